// Makes this phone a witness (see ledger/trust/witnessing.py): it signs a checkpoint only if that continues the last one that it signed.
"use strict";
(() => {
  const { areEqual, base64, checkConsistency, fromHex, headOf, hex, joined, utf8 } = record;
  const { getPublicKey, hashes, sha256, sha512, sign } = noble;
  const COSIGNATURE = 4, ID = 4, SEED = 32;
  hashes.sha512 = sha512;
  const part = (id) => document.getElementById(id);
  const kept = () => phone.kept("witness");
  const keep = (witness) => phone.keep("witness", witness);

  function publicData(seed) {
    return joined(Uint8Array.of(COSIGNATURE), getPublicKey(seed));
  }

  const idOf = (name, data) => sha256(joined(utf8(`${name}\n`), data)).slice(0, ID);

  // The line that the GM adds to the policy.
  function keyLine({ name, seed }) {
    const data = publicData(fromHex(seed));
    return `${name}+${hex(idOf(name, data))}+${base64(data)}`;
  }

  // Return the signature line for a checkpoint (C2SP tlog-cosignature): the key id, the time, and the signature.
  function signatureLine({ name, seed }, head, now) {
    const secret = fromHex(seed), time = new Uint8Array(8);
    new DataView(time.buffer).setBigUint64(0, BigInt(now));
    const signature = sign(utf8(`cosignature/v1\ntime ${now}\n${head.text}`), secret);
    return `\u2014 ${name} ${base64(joined(idOf(name, publicData(secret)), time, signature))}\n`;
  }

  // Return the latest checkpoint, after the check that it continues the one that this phone signed last.
  async function nextHead(signed) {
    const seen = await phone.check();
    if (seen.wrong) throw new record.UsageError("This phone noticed that the record was changed. It signs nothing.");
    const answer = await phone.ask(`record/head?from=${signed?.size ?? 0}`);
    if (!answer.note) throw new record.UsageError("There is no checkpoint yet. The GM makes one by closing a session.");
    const head = headOf(answer.note, new record.UsageError("The latest checkpoint is damaged."));
    if (!signed) return head;
    if (head.size < signed.size) throw new record.UsageError(`You signed ${phone.entries(signed.size)}. The latest checkpoint has only ${head.size}.`);
    try {
      checkConsistency(signed.size, answer.size, fromHex(signed.root), fromHex(answer.root), answer.proof.map(fromHex));
      checkConsistency(head.size, answer.size, head.root, fromHex(answer.root), answer.signed_proof.map(fromHex));
      if (head.size === signed.size && !areEqual(head.root, fromHex(signed.root))) throw new record.CheckFailed("two roots");
    } catch {
      throw new record.UsageError("The latest checkpoint does not continue the one that you signed. Keep both, and ask the others at the table.");
    }
    return head;
  }

  async function signLatest() {
    const witness = kept(), answer = part("witness-answer");
    try {
      const head = await nextHead(witness.signed);
      const line = signatureLine(witness, head, Math.floor(Date.now() / 1000));
      keep({ ...witness, signed: { size: head.size, root: hex(head.root) } }); // first: a second checkpoint of this size is never signed
      const sent = { method: "POST", headers: { "hx-request": "true" }, body: new URLSearchParams({ line }) };
      answer.innerHTML = await (await fetch("record/signature", sent)).text();
    } catch (error) {
      answer.textContent = error instanceof record.UsageError ? error.message : "The table did not answer. Try again.";
    }
    show();
  }

  function show() {
    const witness = kept();
    part("witness-none").hidden = isSecureContext;
    part("witness-new").hidden = !isSecureContext || Boolean(witness);
    part("witness").hidden = !isSecureContext || !witness;
    if (!witness) return;
    part("witness-key").textContent = keyLine(witness);
    part("witness-says").textContent = witness.signed ? `You signed ${phone.entries(witness.signed.size)} last.` : "You have not signed anything yet.";
  }

  part("witness-new").addEventListener("submit", (event) => {
    event.preventDefault();
    keep({ name: part("witness-name").value.trim(), seed: hex(crypto.getRandomValues(new Uint8Array(SEED))) });
    show();
  });
  part("witness-sign").addEventListener("click", signLatest);
  show();
})();
