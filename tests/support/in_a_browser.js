// Runs the checks that a browser runs, without a browser. Each line of the input is a list: the name of a check, and its arguments.
// Each line of the output is the answer, or the name of the error.
"use strict";
const { readFileSync, readdirSync } = require("node:fs");
const { join } = require("node:path");
const { createInterface } = require("node:readline");
const { runInThisContext } = require("node:vm");
const [, , ...scripts] = process.argv;
const { record, pasted, zip, exported } = runInThisContext(
  `${scripts.map((script) => readFileSync(script, "utf8")).join("\n")}\n;({ record, pasted, zip, exported })`);

function filesIn(folder, below = "") {
  return readdirSync(join(folder, below), { withFileTypes: true }).flatMap((item) => {
    const path = below ? `${below}/${item.name}` : item.name;
    return item.isDirectory() ? filesIn(folder, path) : [[path, async (most) => new Uint8Array(readFileSync(join(folder, path)).subarray(0, Math.min(most, 2 ** 31)))]];
  });
}

const bytes = record.fromHex;
const told = (head) => [head.origin, head.typed, record.hex(head.root)];
const CHECKS = {
  folder: (folder, keys, notes) => exported.check(new Map(filesIn(folder)), keys, notes),
  zip: async (file, keys, notes) => exported.check(exported.inExport(await zip.read(new Blob([readFileSync(file)]))), keys, notes),
  head: (note) => told(record.headOf(note, new record.CheckFailed("no checkpoint"))),
  found: (text) => told(pasted.headIn(text, new record.CheckFailed("no checkpoint"))),
  key: (text) => record.hex(record.keyOf(text).publicKey),
  signed: (key, signature, message) => record.isSignedBy(bytes(key), bytes(signature), bytes(message)),
  inclusion: (place, size, leaf, proof) => record.hex(record.rootFromInclusion(place, size, bytes(leaf), proof.map(bytes))),
  consistency: (...[old, size, oldRoot, root, proof]) => record.checkConsistency(old, size, bytes(oldRoot), bytes(root), proof.map(bytes)) ?? true,
};

(async () => {
  for await (const line of createInterface({ input: process.stdin })) {
    const [check, ...typed] = JSON.parse(line);
    let answer;
    try {
      answer = await CHECKS[check](...typed);
    } catch (error) {
      if (!(error instanceof record.CheckFailed || error instanceof record.UsageError)) throw error;
      answer = error.constructor.name;
    }
    console.log(JSON.stringify(answer));
  }
})();
