// Checks parts of a campaign's record in a browser: entries, signed heads (checkpoints), keys and proofs.
// It needs only `noble` (SHA-256, SHA-512, HMAC and the curve of Ed25519), and works on a page without TLS too.
// The rules are those of ledger/archive/standalone.py and ledger/tlog.
"use strict";
const record = (() => {
  const { Point, hmac, sha256, sha512 } = noble;
  const LONGEST_ENTRY = 60_000, LONGEST_ORIGIN = 255, LARGEST_NOTE = 1_000_000, DEEPEST = 500;
  const HASH = 32, KEY_ID = 4, ED25519 = 1, PRIME = 2n ** 255n - 19n;
  const ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;
  const SPACE = "\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000"; // as Python's \s
  const NAME = `[^${SPACE}+\\x00-\\x1f]+`;
  const SIGNATURE = `\u2014 (${NAME}) ([0-9A-Za-z+/]{7,}={0,2})\\n`;
  const HEAD = "([^\\x00-\\x1f]+)\\n([1-9][0-9]{0,18})\\n([^=\\n]{43}=)\\n(?:[^\\x00-\\x1f]+\\n)*";
  const NOTE = new RegExp(`^(${HEAD})\\n((?:${SIGNATURE}){1,100})$`, "u");
  const UNSIGNED = "one of your checkpoints proves nothing, because none of your keys signed it";

  // The error for a record that was damaged or changed, and for a file or text that cannot be used.
  class CheckFailed extends Error {}
  class UsageError extends Error {}

  const utf8 = (text) => new TextEncoder().encode(text);
  const decoded = (bytes) => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  const isWellFormed = (text) => !/[\ud800-\udfff]/u.test(text);
  const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  const fromHex = (text) => Uint8Array.from(text.match(/../g) ?? [], (byte) => parseInt(byte, 16));
  const base64 = (bytes) => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  const areEqual = (one, other) => one.length === other.length && one.every((byte, at) => byte === other[at]);
  const littleEndian = (bytes) => bytes.reduceRight((number, byte) => (number << 8n) | BigInt(byte), 0n);

  function joined(...parts) {
    const all = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
    parts.reduce((at, part) => (all.set(part, at), at + part.length), 0);
    return all;
  }

  // Decode base64. Throw a `CheckFailed` for a form that is not standard.
  function fromBase64(text) {
    let data = "";
    try {
      data = atob(text);
    } catch {
      throw new CheckFailed("not base64");
    }
    if (btoa(data) !== text) throw new CheckFailed("not base64");
    return Uint8Array.from(data, (byte) => byte.charCodeAt(0));
  }

  // Parse JSON in the form that is hashed. Throw a `SyntaxError` for any other form.
  function parseStrictly(bytes) {
    let text = "";
    try {
      text = decoded(bytes);
    } catch {
      throw new SyntaxError("not UTF-8");
    }
    const value = JSON.parse(text);
    if (canonical(value, 0) !== text) throw new SyntaxError("not canonical");
    return value;
  }

  function canonical(value, depth) {
    if (depth > DEEPEST) throw new RangeError("too deep");
    if (typeof value === "number" && !Number.isSafeInteger(value)) throw new SyntaxError("not a whole number");
    if (typeof value === "string" && !isWellFormed(value)) throw new SyntaxError("half a character");
    if (value === null || typeof value !== "object") return JSON.stringify(value);
    if (Array.isArray(value)) return `[${value.map((item) => canonical(item, depth + 1)).join(",")}]`;
    const names = Object.keys(value).sort();
    if (names.some((name) => /[\ud800-\udfff]/.test(name))) throw new SyntaxError("a name beyond U+FFFF");
    return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(value[name], depth + 1)}`).join(",")}}`;
  }

  const leafHash = (entry) => sha256(joined(Uint8Array.of(0), entry));
  const nodeHash = (left, right) => sha256(joined(Uint8Array.of(1), left, right));
  const commitmentHash = (salt, text) => hex(hmac(sha256, salt, utf8(text)));

  // Return the root that an inclusion proof gives for the leaf at `place` in a tree of `size` leaves (RFC 9162, 2.1.3.2).
  function rootFromInclusion(place, size, leaf, proof) {
    if (!(place >= 0 && place < size)) throw new CheckFailed("the entry is not in this history");
    let [at, last, root] = [place, size - 1, leaf];
    for (const hash of proof) {
      if (last === 0) throw new CheckFailed("the proof is too long");
      if (at % 2 || at === last) {
        root = nodeHash(hash, root);
        while (at % 2 === 0 && at) [at, last] = [at / 2, Math.floor(last / 2)];
      } else {
        root = nodeHash(root, hash);
      }
      [at, last] = [Math.floor(at / 2), Math.floor(last / 2)];
    }
    if (last !== 0) throw new CheckFailed("the proof is too short");
    return root;
  }

  // Throw a `CheckFailed` unless the tree with `root` continues the tree with `oldRoot` (RFC 9162, 2.1.4.2).
  function checkConsistency(oldSize, size, oldRoot, root, proof) {
    if (!(oldSize > 0 && oldSize <= size)) throw new CheckFailed("the history is shorter than before");
    const wrong = new CheckFailed(`the first ${oldSize} entries are not the same as before`);
    if (oldSize === size) {
      if (proof.length || !areEqual(oldRoot, root)) throw wrong;
      return;
    }
    const hashes = [...proof];
    if (Number.isInteger(Math.log2(oldSize))) hashes.unshift(oldRoot);
    let [at, last] = [oldSize - 1, size - 1];
    while (at % 2) [at, last] = [Math.floor(at / 2), Math.floor(last / 2)];
    const first = hashes.shift();
    if (!first) throw wrong;
    let [oldGot, got] = [first, first];
    for (const hash of hashes) {
      if (last === 0) throw wrong;
      if (at % 2 || at === last) {
        [oldGot, got] = [nodeHash(hash, oldGot), nodeHash(hash, got)];
        while (at % 2 === 0 && at) [at, last] = [at / 2, Math.floor(last / 2)];
      } else {
        got = nodeHash(got, hash);
      }
      [at, last] = [Math.floor(at / 2), Math.floor(last / 2)];
    }
    if (last !== 0 || !areEqual(oldGot, oldRoot) || !areEqual(got, root)) throw wrong;
  }

  // Parse a checkpoint: its campaign, size (also as it was typed), root, signed text and signatures. A signature is a name, and bytes
  // that start with the key id. Throw `error` if the text is not a checkpoint.
  function headOf(note, error) {
    const found = NOTE.exec(note);
    if (!found) throw error;
    const [, text, origin, typed, root, below] = found;
    try {
      const signatures = [...below.matchAll(new RegExp(SIGNATURE, "gu"))].map(([, name, blob]) => [name, fromBase64(blob)]);
      const fits = utf8(origin).length <= LONGEST_ORIGIN && utf8(note).length <= LARGEST_NOTE && BigInt(typed) < 2n ** 63n;
      if (!fits || !isWellFormed(note)) throw error;
      return { origin, size: Number(typed), typed, root: fromBase64(root), text, signatures };
    } catch (wrong) {
      throw wrong instanceof CheckFailed ? error : wrong;
    }
  }

  // Read a key like NAME+ID+KEY: its name, id and public key. Throw a `UsageError` if the text is not a safe key.
  function keyOf(text) {
    const wrong = new UsageError("This is not a campaign's key. A key has the form NAME+ID+KEY");
    const [, name, id, encoded] = new RegExp(`^(${NAME})\\+([0-9a-f]{8})\\+([^]+)$`, "u").exec(text) ?? [];
    if (!name || !isWellFormed(name)) throw wrong;
    let data = new Uint8Array();
    try {
      data = fromBase64(encoded);
    } catch {
      throw wrong;
    }
    const own = sha256(joined(utf8(`${name}\n`), data)).slice(0, KEY_ID);
    if (hex(own) !== id || data[0] !== ED25519 || data.length !== 1 + HASH) throw wrong;
    const y = littleEndian(data.slice(1)) & (2n ** 255n - 1n);
    // RFC 8032, 5.1.3: y < p; "Taming the Many EdDSAs": the order is small if y = 0, 1 or -1, or x^2 = -y^2
    if (!(1n < y && y < PRIME - 1n) || (121666n * (2n * y ** 2n - 1n) - 121665n * y ** 4n) % PRIME === 0n) {
      throw new UsageError("This key is unsafe: either anybody can sign with it, or its format is not standard");
    }
    return { name, id: own, publicKey: data.slice(1) };
  }

  // Check a signature as OpenSSL does: without the cofactor, and byte for byte (RFC 8032, 5.1.7).
  function isSignedBy(publicKey, signature, message) {
    if (signature.length !== 2 * HASH) return false;
    const [commitment, s] = [signature.slice(0, HASH), littleEndian(signature.slice(HASH))];
    if (s >= ORDER) return false;
    try {
      const challenge = littleEndian(sha512(joined(commitment, publicKey, message))) % ORDER;
      const sum = Point.BASE.multiply(s, false).add(Point.fromBytes(publicKey).negate().multiply(challenge, false));
      return areEqual(sum.toBytes(), commitment);
    } catch {
      return false; // the key is not a point of the curve
    }
  }

  // Return the reason why none of these keys proves a checkpoint, or "".
  function whyUnproved(head, keys) {
    const signed = keys.flatMap((key) =>
      head.signatures
        .filter(([by, line]) => by === key.name && areEqual(line.slice(0, KEY_ID), key.id))
        .map(([, line]) => [key.publicKey, line.slice(KEY_ID)]));
    const isWrong = signed.some(([key, signature]) => !isSignedBy(key, signature, utf8(head.text)));
    if (isWrong) return `the checkpoint at entry ${head.typed} proves nothing, because its signature is not valid`;
    return signed.length ? "" : UNSIGNED;
  }

  return {
    CheckFailed, LONGEST_ENTRY, NAME, SPACE, UNSIGNED, UsageError, areEqual, base64, checkConsistency, commitmentHash, decoded, fromBase64,
    fromHex, headOf, hex, isSignedBy, isWellFormed, joined, keyOf, leafHash, nodeHash, parseStrictly, rootFromInclusion, utf8, whyUnproved,
  };
})();
