// Checks an export of a campaign in a browser, as verify.py does (ledger/archive/standalone.py), with the same answers.
// `files` maps each path in the export to a function that returns at most a number of the file's bytes.
"use strict";
const exported = (() => {
  const {
    CheckFailed, LONGEST_ENTRY, NAME, SPACE, UNSIGNED, UsageError, areEqual, base64, commitmentHash, fromHex, headOf, hex, joined, keyOf, leafHash,
    nodeHash, parseStrictly, utf8, whyUnproved,
  } = record;
  const COMPLETE = 0, NOT_CHECKED = 2, FAILED = 6, NOT_PROVED = 7;
  const LONGEST_LINE = 2 ** 24, SCHEMA = 5, WIDTH = 256, HEIGHT = 8, PAUSE_AFTER = 2000;
  const IS_HASH = /^[0-9a-f]{64}$/;

  const sizeOf = (count) => `${count} ${count === 1 ? "entry" : "entries"}`;
  const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

  function wrongEntry(seq, what) {
    return new CheckFailed(`entry ${seq} ${what}; ${seq > 1 ? `the last good entry is ${seq - 1}` : "there is no earlier entry"}`);
  }

  function compare(one, other) { // by code points, as Python compares texts
    if (typeof one === "number") return one - other;
    const [left, right] = [Array.from(one, (sign) => sign.codePointAt(0)), Array.from(other, (sign) => sign.codePointAt(0))];
    const at = left.findIndex((sign, place) => sign !== right[place]);
    return at < 0 ? left.length - right.length : at < right.length ? left[at] - right[at] : 1;
  }

  // Check an export. Return the exit code of verify.py and its sentences. `keys` and `checkpoints` are texts.
  async function check(files, keys = [], checkpoints = [], progress = () => {}) {
    try {
      const known = keys.map((key) => keyOf(keyIn(key)));
      const saved = checkpoints.map((text) => pasted.headIn(text, new UsageError("This text does not contain a checkpoint")));
      if (!files.has("journal.jsonl")) throw new UsageError("There is no export here: the file journal.jsonl is missing");
      return await checkRecord(await readExport(files, progress), known, saved, progress);
    } catch (wrong) {
      if (wrong instanceof UsageError) return { code: NOT_CHECKED, lines: [`Error: ${wrong.message}.`] };
      if (wrong instanceof CheckFailed) return { code: FAILED, lines: [`Check failed: ${wrong.message}.`] };
      const isUnreadable = wrong instanceof TypeError || wrong instanceof RangeError || wrong instanceof SyntaxError;
      if (isUnreadable) return { code: FAILED, lines: ["Check failed: part of the record cannot be read."] };
      throw wrong;
    }
  }

  async function checkRecord({ entries, bodies, words, heads, tiles }, keys, saved, progress) {
    if (!entries.length) bodyOf(1, new Uint8Array());
    const [here, away] = await checkWords(bodies, words, progress);
    const tree = await hashTree(entries, progress);
    const unreadable = new CheckFailed("a checkpoint stored with the entries cannot be read");
    const own = heads.map(({ note }) => headOf(note, unreadable));
    if (own.some((head, at) => head.size !== heads[at].size)) throw unreadable;
    own.forEach((head) => checkHead(tree, head));
    const ownKeys = keysIn(bodies);
    const origin = ownKeys.length ? ownKeys[0].split("+", 1)[0] : "unsigned";
    const others = saved.map((head) => head.origin).filter((other) => other !== origin).sort(compare);
    if (others.length) {
      throw new UsageError(`A checkpoint that you gave belongs to ${others[0]}, not to this campaign (${origin})`);
    }
    for (const head of keys.length ? own : []) {
      const bad = whyUnproved(head, ownKeys.flatMap(readKeys));
      if (bad) throw new CheckFailed(`the checkpoint of ${head.typed} entries is not signed with the campaign's own key; ${bad}`);
    }
    const [evidence, lacking] = checkCheckpoints(tree, own, keys, saved);
    await checkTiles(tilesFor(tree, [...new Set([tree.size, ...own.slice(-1).map((head) => head.size)])], entries), tiles);
    const lines = [...new Set(lacking)].map((reason) => `Not proved: ${reason}.`);
    lines.push(`${lacking.length ? "Complete" : "OK"}: ${sizeOf(tree.size)}. Fingerprint: ${base64(rootOf(tree, tree.size))}`);
    lines.push(`Texts: ${here} match${away ? `; ${away} not in this copy (erased or secret).` : "."}`);
    lines.push(`${tiles.size ? "The" : "There are no"} fingerprint (hash) files ${tiles.size ? "match the entries" : "to check"}.`);
    lines.push("This program does not check the rules or the sheets.", ...(evidence ? [evidence] : []));
    return { code: lacking.length ? NOT_PROVED : COMPLETE, lines };
  }

  function bodyOf(seq, stored) {
    let body;
    try {
      body = parseStrictly(stored.length <= LONGEST_ENTRY ? stored : new Uint8Array());
    } catch (wrong) {
      if (!(wrong instanceof SyntaxError)) throw wrong;
      throw wrongEntry(seq, "is missing, cut off, too long, or not in the program's exact format");
    }
    const isFirst = isObject(body) && body.type === "campaign-opened";
    if (!isObject(body) || body.seq !== seq || isFirst !== (seq === 1)) throw wrongEntry(seq, "is in the wrong place");
    return body;
  }

  // Return the keys in the entries, in order. Throw a `CheckFailed` if the keys have different names.
  function keysIn(bodies) {
    const withKeys = bodies.filter((body) => (body.type === "campaign-opened" || body.type === "key-rotated") && body.key);
    const names = withKeys.map((body) => String(body.key).split("+", 1)[0]);
    names.forEach((name, at) => {
      if (name !== names[0]) throw wrongEntry(withKeys[at].seq, "adds the key of a different campaign");
    });
    return withKeys.map((body) => String(body.key));
  }

  function readKeys(text) {
    try {
      return [keyOf(text)];
    } catch (wrong) {
      if (wrong instanceof UsageError) return [];
      throw wrong;
    }
  }

  // Count the texts that match their commitments, and the commitments without a text.
  async function checkWords(bodies, words, progress) {
    const place = (seq, field) => JSON.stringify([seq, field]);
    const unmatched = new Map(words.map((word) => [place(word.entry, word.field), word]));
    const last = words.reduce((most, word) => Math.max(most, word.entry), 0);
    if (last > bodies.length) throw wrongEntry(bodies.length + 1, `is missing, but the file has a text for entry ${last}`);
    const erased = new Set(bodies.filter((body) => body.type === "words-erased").flatMap(erasedBy).map(([seq, field]) => place(seq, field)));
    let [here, away] = [0, 0];
    for (const [at, body] of bodies.entries()) {
      if (at % PAUSE_AFTER === 0) await progress(`The texts of ${at} of ${sizeOf(bodies.length)} are checked …`);
      const seq = at + 1;
      for (const [field, kind, committed] of commitments(body, "")) {
        const word = unmatched.get(place(seq, field));
        const isErased = erased.has(place(String(seq), field));
        unmatched.delete(place(seq, field));
        if (!word && kind === "word" && !isErased) throw wrongEntry(seq, `has lost its text (${field})`);
        if (word && isErased) throw wrongEntry(seq, `still contains text (${field}) that was erased`);
        if (word && (commitmentHash(word.salt, word.text) !== committed || word.kind !== kind)) {
          throw wrongEntry(seq, `has a text that differs from the original (${field})`);
        }
        [here, away] = word ? [here + 1, away] : [here, away + 1];
      }
    }
    const extra = [...unmatched.values()].sort((one, other) => one.entry - other.entry || compare(one.field, other.field));
    if (extra.length) throw wrongEntry(extra[0].entry, `has an extra text that does not belong to it (${extra[0].field})`);
    return [here, away];
  }

  function erasedBy(body) {
    if (!isObject(body.erased)) throw new TypeError("not a list of texts");
    return Object.entries(body.erased).flatMap(([seq, fields]) => {
      const all = isObject(fields) ? Object.keys(fields) : [...fields];
      if (all.some((field) => field !== null && typeof field === "object")) throw new TypeError("not a field");
      return all.map((field) => [seq, field]);
    });
  }

  // Yield the commitments in an entry: the field, the kind (`word` or `secret`), and the hash.
  function* commitments(value, path) {
    const items = value === null || typeof value !== "object" ? [] : Array.isArray(value) ? value.map((item, at) => [at, item])
      : Object.keys(value).sort().map((name) => [name, value[name]]);
    for (const [name, item] of items) {
      const where = path ? `${path}.${name}` : String(name);
      const [kind, ...more] = isObject(item) ? Object.keys(item) : [];
      if ((kind === "word" || kind === "secret") && !more.length && typeof item[kind] === "string" && IS_HASH.test(item[kind])) {
        yield [where, kind, item[kind]];
      }
      yield* commitments(item, where);
    }
  }

  // The hash tree of the entries: `levels[0]` has the leaves. A hash above combines two hashes one level below.
  async function hashTree(entries, progress) {
    const leaves = [];
    for (const [at, entry] of entries.entries()) {
      leaves.push(leafHash(entry));
      if (at % PAUSE_AFTER === 0) await progress(`${at} of ${sizeOf(entries.length)} are checked …`);
    }
    const levels = [leaves];
    for (let below = leaves; below.length > 1; below = levels.at(-1)) {
      levels.push(Array.from({ length: below.length >> 1 }, (_, at) => nodeHash(below[2 * at], below[2 * at + 1])));
    }
    return { size: leaves.length, levels };
  }

  // Return the root of the first `size` entries. Combine the roots of complete subtrees, the smallest first.
  function rootOf(tree, size) {
    let root = null;
    for (let level = 0, left = size; left; level += 1, left = Math.floor(left / 2)) {
      if (left % 2 === 0) continue;
      const part = tree.levels[level][left - 1];
      root = root ? nodeHash(part, root) : part;
    }
    return root;
  }

  function checkHead(tree, head, end = "") {
    if (head.size > tree.size) {
      throw new CheckFailed(`a checkpoint covers ${head.typed} entries, but the record ends earlier or has a different history${end}`);
    }
    if (!areEqual(rootOf(tree, head.size), head.root)) {
      throw new CheckFailed(`one of the entries 1 to ${head.typed} does not match the checkpoint of ${head.typed} entries${end}`);
    }
  }

  // Map paths to the tiles for trees of these sizes: hashes of every eighth level, and entries (C2SP tlog-tiles).
  function tilesFor(tree, sizes, entries) {
    const expected = new Map();
    for (const size of sizes) {
      for (let level = 0; level < tree.levels.length; level += HEIGHT) {
        const most = Math.floor(size / 2 ** level);
        for (let first = 0; first < most; first += WIDTH) {
          const last = Math.min(first + WIDTH, most);
          let [at, rest] = [first / WIDTH, last - first === WIDTH ? "" : `.p/${last - first}`];
          let name = `${String(at % 1000).padStart(3, "0")}${rest}`;
          while ((at = Math.floor(at / 1000))) name = `x${String(at % 1000).padStart(3, "0")}/${name}`;
          expected.set(`tile/${level / HEIGHT}/${name}`, () => joined(...tree.levels[level].slice(first, last)));
          if (!level) expected.set(`tile/entries/${name}`, () => joined(...entries.slice(first, last).flatMap(withLength)));
        }
      }
    }
    return expected;
  }

  const withLength = (entry) => [Uint8Array.of(entry.length >> 8, entry.length & 255), entry];

  async function checkTiles(expected, tiles) {
    if (!tiles.size) return;
    const wrong = [];
    for (const name of new Set([...expected.keys(), ...tiles.keys()])) {
      if (!expected.has(name) || !tiles.has(name)) {
        wrong.push(name);
        continue;
      }
      const bytes = expected.get(name)();
      if (!areEqual(await tiles.get(name)(bytes.length + 1), bytes)) wrong.push(name);
    }
    if (wrong.length) {
      throw new CheckFailed(`the fingerprint (hash) files do not match the entries (first mismatch: ${wrong.sort(compare)[0]})`);
    }
  }

  // Return a sentence about the trusted checkpoints, and the reasons why something is not proved.
  function checkCheckpoints(tree, own, keys, saved) {
    if (!keys.length && !saved.length) {
      return ["You gave no key and no saved checkpoint. To prove more, add one of them.", []];
    }
    const identity = (head) => JSON.stringify([head.text, head.signatures.map(([name, line]) => [name, hex(line)])]);
    const savedOnes = new Set(saved.map(identity));
    const all = new Map((keys.length ? [...own, ...saved] : saved).map((head) => [identity(head), head]));
    const end = keys.length ? "" : "; its signature was not checked, because you gave no key";
    const [lacking, proved] = [[], []];
    for (const [id, head] of all) {
      const wrong = keys.length ? whyUnproved(head, keys.filter((key) => key.name === head.origin)) : "";
      if (!wrong) {
        checkHead(tree, head, end);
        proved.push(head);
      } else if (savedOnes.has(id) || wrong !== UNSIGNED) {
        lacking.push(wrong);
      }
    }
    if (!proved.length) return ["", [...lacking, "none of your keys proves a checkpoint of these entries"]];
    const longest = proved.reduce((one, other) => (other.size - one.size || compare(other.origin, one.origin)) > 0 ? other : one);
    const later = tree.size - longest.size;
    const after = later ? ` ${sizeOf(later)} after #${longest.typed} ${later === 1 ? "is" : "are"}${keys.length ? " not signed yet." : " not in that checkpoint."}` : "";
    const by = keys.length ? `it is signed by ${longest.origin}` : end.slice(2);
    return [`The entries up to ${longest.typed} match a checkpoint; ${by}.${after}`, lacking];
  }

  // Return the key in a text: the first line that looks like a key, or the text itself.
  function keyIn(text) {
    return new RegExp(`^${NAME}\\+[0-9a-f]{8}\\+[^${SPACE}]+$`, "mu").exec(text)?.[0] ?? text.trim();
  }

  // Read the record in the files of an export.
  async function readExport(files, progress) {
    if (files.has("schema")) {
      const [line, ...more] = linesIn(await whole(files, "schema"), 100);
      if (more.length || !line || !/^[1-9][0-9]{0,8}$/.test(latin1(line))) throw new CheckFailed("the file 'schema' does not contain a version number");
      if (Number(latin1(line)) > SCHEMA) throw new UsageError(`A newer program wrote this (format ${latin1(line)}; this page reads up to ${SCHEMA})`);
    }
    const [entries, bodies] = [[], []];
    for (const line of linesIn(await whole(files, "journal.jsonl"), LONGEST_ENTRY + 1)) {
      bodies.push(bodyOf(bodies.length + 1, line));
      entries.push(line);
      if (entries.length % PAUSE_AFTER === 0) await progress(`${sizeOf(entries.length)} are read …`);
    }
    const words = await objectsIn(files, "words.jsonl", { entry: "number", field: "string", kind: "string", salt: "string", text: "string" }, (line) => {
      if (IS_HASH.test(line.salt)) return { ...line, salt: fromHex(line.salt) };
      throw wrongEntry(line.entry, "has a text with an invalid salt (the random number stored with the text)");
    });
    const heads = await objectsIn(files, "checkpoints.jsonl", { size: "number", note: "string" }, (line) => line);
    const isOrdered = (rows, order) => rows.every((row, at) => !at || order(rows[at - 1], row) < 0);
    const inOrder = isOrdered(words, (one, other) => one.entry - other.entry || compare(one.field, other.field));
    if (!inOrder || !isOrdered(heads, (one, other) => one.size - other.size)) {
      throw new CheckFailed("a line in words.jsonl or checkpoints.jsonl is repeated or in the wrong place");
    }
    const note = utf8(heads.at(-1)?.note ?? "");
    const longest = files.has("checkpoint") ? await files.get("checkpoint")(note.length + 1) : new Uint8Array();
    if (!areEqual(longest, note)) throw new CheckFailed("the file 'checkpoint' is not the same as the latest checkpoint in checkpoints.jsonl");
    const tiles = new Map([...files].filter(([path]) => path.startsWith("tile/")));
    return { entries, bodies, words, heads, tiles };
  }

  async function whole(files, name) {
    if ([...files.keys()].some((path) => path.startsWith(`${name}/`))) throw new CheckFailed(`${name} is not a file`);
    if (!files.has(name)) throw new CheckFailed(`${name} cannot be read: No such file or directory`);
    return files.get(name)(Infinity);
  }

  const latin1 = (bytes) => String.fromCharCode(...bytes);

  // Return the lines. A line that is not complete, or longer than `longest` bytes with its end, is empty.
  function linesIn(bytes, longest) {
    const lines = [];
    for (let start = 0, end = 0; start < bytes.length; start = end + 1) {
      end = bytes.indexOf(10, start);
      const isComplete = end >= 0 && end - start < longest;
      lines.push(isComplete ? bytes.subarray(start, end) : new Uint8Array());
      if (end < 0) break;
    }
    return lines;
  }

  async function objectsIn(files, name, kinds, convert) {
    return linesIn(await whole(files, name), LONGEST_LINE).map((line, at) => {
      const wrong = new CheckFailed(`line ${at + 1} of ${name} is not valid in an export`);
      let value;
      try {
        value = parseStrictly(line);
      } catch (unreadable) {
        throw unreadable instanceof SyntaxError ? wrong : unreadable;
      }
      const fields = isObject(value) ? Object.keys(value) : [];
      if (fields.length !== Object.keys(kinds).length || fields.some((field) => typeof value[field] !== kinds[field])) throw wrong;
      return convert(value);
    });
  }

  // Return the files of an export, from the paths of a folder or a zip file: those in the folder that has journal.jsonl.
  function inExport(paths) {
    const journals = [...paths.keys()].filter((path) => path === "journal.jsonl" || path.endsWith("/journal.jsonl"));
    const [first] = journals.sort((one, other) => one.split("/").length - other.split("/").length || compare(one, other));
    const folder = (first ?? "").slice(0, -"journal.jsonl".length);
    return new Map([...paths].filter(([path]) => path.startsWith(folder)).map(([path, read]) => [path.slice(folder.length), read]));
  }

  return { check, inExport };
})();
