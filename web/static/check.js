// What this phone checks by itself, with the scripts in ledger/archive/browser:
// - The record continues the one that the phone saw last. The campaign's key signed the latest checkpoint.
// - Each entry in the feed is in the record, and its texts are the original ones.
// - A checkpoint from the chat, or the head of the record on another phone, belongs to the same history.
// The phone keeps what it saw last of each campaign, in `localStorage`. A campaign is known by the hash of its first
// entry. If this address showed another campaign before, the phone asks if this is a second one. It cannot check this page itself: whoever serves the page can change it.
"use strict";
const phone = (() => {
  const { CheckFailed, areEqual, checkConsistency, commitmentHash, fromHex, headOf, hex, keyOf, leafHash, parseStrictly, rootFromInclusion, utf8, whyUnproved } = record;
  const MOST_ASKED = 50, SOON = 300;
  const { campaign } = document.getElementById("checked").dataset;
  const provedActs = new Map(); // the entries of each action that was checked, as they are stored
  let current = null; // the head that was checked last

  const place = (kind) => `${kind}:${campaign}`;
  const kept = (kind) => JSON.parse(localStorage.getItem(place(kind)) ?? "null");
  const keep = (kind, value) => localStorage.setItem(place(kind), JSON.stringify(value));
  const memory = () => kept("record");
  const remember = (seen) => keep("record", { ...seen, base: document.baseURI });
  const forget = () => localStorage.removeItem(place("record"));
  takeOldMemory();

  // An older version of this page had one memory for all campaigns at this address.
  function takeOldMemory() {
    const old = JSON.parse(localStorage.getItem("record") ?? "null");
    if (!old) return;
    for (const kind of ["record", "witness"]) {
      const value = localStorage.getItem(kind);
      if (value) localStorage.setItem(`${kind}:${old.first}`, value);
      localStorage.removeItem(kind);
    }
  }

  // An older version of this page did not keep the address of the campaign.
  const isHere = (name) => (JSON.parse(localStorage.getItem(name)).base ?? document.baseURI) === document.baseURI;
  const hasSeenOthers = () => Object.keys(localStorage).some((name) => name.startsWith("record:") && name !== place("record") && isHere(name));
  const hashes = (proof) => proof.map(fromHex);
  const entries = (count) => `${count} ${count === 1 ? "entry" : "entries"}`;
  const day = (iso) => new Date(iso).toLocaleDateString(undefined, { day: "numeric", month: "long", year: "numeric" });

  async function ask(path) {
    const answer = await fetch(path, { headers: { accept: "application/json" } });
    if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
    return answer.json();
  }

  // Check that the record is of this campaign, and that it continues `seen`. Throw a `CheckFailed` with what is wrong.
  function checkContinues(seen, head) {
    if (head.first !== campaign) throw new CheckFailed("this is a different campaign");
    if (!seen) return;
    if (seen.size > head.size) throw new CheckFailed(`the record had ${entries(seen.size)}, and now it has only ${head.size}`);
    checkConsistency(seen.size, head.size, fromHex(seen.root), fromHex(head.root), hashes(head.proof));
  }

  // Return the entries of actions, after the check that they are in the record and that their texts are the original ones.
  async function provedEntries(acts, head) {
    const found = await ask(`record/entries?at=${head.size}&${acts.map((act) => `act=${act}`).join("&")}`);
    for (const { seq, stored, proof, texts } of found) {
      const body = bodyOf(seq, stored);
      if (!areEqual(rootFromInclusion(seq - 1, head.size, leafHash(utf8(stored)), hashes(proof)), fromHex(head.root))) {
        throw new CheckFailed(`entry ${seq} is not in the record`);
      }
      for (const [field, [salt, text]] of Object.entries(texts)) checkText(seq, body, field, commitmentHash(fromHex(salt), text));
    }
    const missing = acts.find((act) => !found.some(({ seq }) => seq === act));
    if (missing) throw new CheckFailed(`entry ${missing} is not in the record`);
    return found;
  }

  function bodyOf(seq, stored) {
    try {
      const body = parseStrictly(utf8(stored));
      if (body.seq === seq) return body;
    } catch {
      // the same answer as for an entry in another place
    }
    throw new CheckFailed(`entry ${seq} is damaged`);
  }

  function checkText(seq, body, field, hash) {
    const committed = field.split(".").reduce((value, name) => value?.[name], body);
    if ((committed?.word ?? committed?.secret) !== hash) throw new CheckFailed(`a text of entry ${seq} is not the original one`);
  }

  // Return the campaign's keys that this phone trusts: those that it remembers, and those that a trusted key added.
  async function trustedKeys(head, remembered = []) {
    const bodies = head.keys.length ? (await provedEntries(head.keys, head)).map(({ stored }) => JSON.parse(stored)) : [];
    const added = bodies.filter((body) => body.key);
    if (!remembered.length) return added.map(({ key }) => key); // a new phone has only the record to believe
    const trusted = [...remembered];
    for (const { key, note } of added.filter((body) => !remembered.includes(body.key))) {
      const rotation = note && headOf(note, new CheckFailed("a change of the campaign's key is damaged"));
      if (rotation?.text.endsWith(`\nkey ${key}\n`) && trusted.some((known) => !whyUnproved(rotation, [keyOf(known)]))) trusted.push(key);
    }
    return trusted;
  }

  async function checkSignature(head, keys) {
    if (!head.note) return;
    const signed = headOf(head.note, new CheckFailed("the latest checkpoint is damaged"));
    if (!keys.length || whyUnproved(signed, keys.map(keyOf))) throw new CheckFailed("the campaign's key did not sign the latest checkpoint");
    checkConsistency(signed.size, head.size, signed.root, fromHex(head.root), hashes(head.signed_proof));
  }

  // Check the record, remember its head, and return what the phone remembers. What is wrong stays there.
  async function check() {
    const seen = memory();
    const head = await ask(`record/head?from=${seen?.size ?? 0}`);
    try {
      checkContinues(seen, head);
      const keys = await trustedKeys(head, seen?.keys);
      await checkSignature(head, keys);
      current = head;
      const { size, root, first, signed } = head;
      const isOther = !seen && hasSeenOthers();
      remember({ since: new Date().toISOString(), isOther, ...seen, first, size, root, signed, keys });
      await checkFeed(head);
    } catch (wrong) {
      if (!(wrong instanceof CheckFailed)) throw wrong;
      const at = new Date().toISOString();
      const { size, root, first, note } = head;
      if (!seen?.wrong) remember({ ...(memory() ?? { size, root, first, since: at }), wrong: { says: wrong.message, size, root, note, at } });
    }
    return memory();
  }

  // Check each action that the feed shows and that was not checked before.
  async function checkFeed(head) {
    const shown = [...document.querySelectorAll("#feed > li[id^='a']")].map((line) => Number(line.id.slice(1)));
    const open = shown.filter((act) => act <= head.size && !provedActs.has(act));
    for (let at = 0; at < open.length; at += MOST_ASKED) await recorded(open.slice(at, at + MOST_ASKED), head);
  }

  async function recorded(acts, head) {
    const found = await provedEntries(acts, head);
    for (const act of acts) provedActs.set(act, found.filter(({ stored }) => JSON.parse(stored).act === act));
    return acts.map((act) => provedActs.get(act));
  }

  // Compare the record with a head that somebody saw elsewhere. Return a sentence.
  async function compare(other) {
    const head = await ask(`record/head?from=${other.size}`);
    if (other.first && other.first !== head.first) return "This head belongs to a different campaign.";
    if (other.size > head.size) return `That head has ${entries(other.size)}, but this record has only ${head.size}. Entries are missing here, or the head is wrong.`;
    try {
      checkConsistency(other.size, head.size, fromHex(other.root), fromHex(head.root), hashes(head.proof));
    } catch {
      return `These are two different histories: the first ${entries(other.size)} are not the same. Keep both, and compare them at the table.`;
    }
    const seen = memory();
    if (seen && !seen.wrong && other.since && other.since < seen.since) remember({ ...seen, since: other.since });
    return `Both histories are the same up to #${other.size}.`;
  }

  // Read a head that somebody pasted: a link from another phone, or a checkpoint from the chat.
  function typedHead(text) {
    const [, size, root, first, since] = /#head=([0-9]{1,9})\.([0-9a-f]{64})\.([0-9a-f]{64})\.([0-9-]{10})/.exec(text) ?? [];
    if (root) return { size: Number(size), root, first, since };
    const head = pasted.headIn(text, new record.UsageError("This text contains no checkpoint and no link from another phone."));
    const keys = memory()?.keys ?? [];
    const wrong = keys.length ? whyUnproved(head, keys.map(keyOf)) : "";
    if (wrong) throw new record.UsageError("The campaign's key did not sign this checkpoint, so it proves nothing.");
    return { size: head.size, root: hex(head.root) };
  }

  async function recordedEntry(act) {
    const [found] = provedActs.has(act) ? [provedActs.get(act)] : await recorded([act], current ?? await ask("record/head"));
    return found;
  }

  const link = ({ size, root, first, since }) => `${location.origin}/trust#head=${size}.${root}.${first}.${since.slice(0, 10)}`;

  return { SOON, ask, check, compare, day, entries, forget, keep, kept, link, memory, recordedEntry, remember, typedHead };
})();
