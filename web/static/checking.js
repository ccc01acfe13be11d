// Shows what this phone checks by itself (check.js): a mark at the top of each page, and the part "This phone" of the Trust page.
"use strict";
(() => {
  const part = (id) => document.getElementById(id);

  function show(seen) {
    const mark = part("checked");
    if (!seen) return;
    mark.textContent = seen.wrong ? "✗ The record was changed" : seen.isOther ? "? A different campaign" : "✓ Checked";
    mark.dataset.size = seen.size;
    mark.classList.toggle("problem", Boolean(seen.wrong));
    if (part("this-phone")) showPhone(seen);
  }

  function showPhone(seen) {
    const lines = seen.wrong
      ? [`On ${phone.day(seen.wrong.at)}, this phone noticed that the record was changed: ${seen.wrong.says}.`,
        `Before that, the record had ${phone.entries(seen.size)} with the fingerprint ${seen.root}. Then it had ${phone.entries(seen.wrong.size)} with the fingerprint ${seen.wrong.root}.`,
        "Ask the others at the table what their phones show. If the GM restored a backup, that is the reason. Then start again."]
      : [`Since ${phone.day(seen.since)}, this phone has checked each entry that it showed. Nothing has changed up to #${seen.size}.`,
        seen.signed ? `The campaign’s key signed the entries up to #${seen.signed}.` : "The campaign’s key has not signed anything yet."];
    if (seen.isOther && !seen.wrong) {
      lines.unshift("At this address, this phone has seen a different campaign before. If your table plays this second campaign here, confirm it. "
        + "Otherwise, somebody replaced the whole record: ask the others at the table.");
    }
    part("phone-says").replaceChildren(...lines.map((line) => Object.assign(document.createElement("p"), { textContent: line })));
    part("phone-again").hidden = !seen.wrong && !seen.isOther;
    part("phone-again").textContent = seen.wrong ? "Forget that, and start again from this record" : "Yes, this is a second campaign";
    const address = phone.link(seen);
    if (part("phone-link").value === address) return;
    part("phone-link").value = address;
    part("phone-code").innerHTML = qrCode(address);
  }

  // Return a QR code as SVG. The phone makes it, so that the server cannot show the head of another history.
  function qrCode(text) {
    const { size, data } = qr.encode(text, { border: 4 });
    const path = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join("");
    return `<svg viewBox="0 0 ${size} ${size}" role="img" aria-label="The link as a QR code"><path d="${path}"/></svg>`;
  }

  async function compare(text) {
    const answer = part("phone-answer");
    try {
      answer.textContent = await phone.compare(phone.typedHead(text));
      show(phone.memory());
    } catch (error) {
      answer.textContent = error instanceof record.UsageError ? error.message : "The table did not answer. Try again.";
    }
  }

  let soon = 0;
  function look() {
    clearTimeout(soon);
    soon = setTimeout(() => phone.check().then(show, () => {}), phone.SOON); // without an answer, the next update tries again
  }

  show(phone.memory());
  look();
  document.addEventListener("htmx:sse:after:message", look);
  document.addEventListener("htmx:after:swap", look);
  document.addEventListener("toggle", async (event) => {
    const shown = event.target.matches?.("[data-recorded]") && event.target.open && event.target.querySelector("pre");
    if (!shown || shown.textContent) return;
    const found = await phone.recordedEntry(Number(event.target.dataset.recorded)).catch(() => []);
    shown.textContent = found.map(({ stored }) => JSON.stringify(JSON.parse(stored), null, 1)).join("\n") || "This phone could not check the entry. Try again.";
  }, true);
  part("phone-compare")?.addEventListener("submit", (event) => {
    event.preventDefault();
    compare(part("phone-text").value);
  });
  part("phone-again")?.addEventListener("click", () => {
    const seen = phone.memory();
    if (seen.wrong) phone.forget();
    else phone.remember({ ...seen, isOther: false });
    look();
  });
  function takeLink() {
    if (!location.hash.startsWith("#head=") || !part("this-phone")) return;
    const text = location.hash;
    history.replaceState(null, "", location.pathname);
    phone.check().then(() => compare(text), () => {});
  }
  takeLink();
  addEventListener("hashchange", takeLink); // the Trust page was open already
})();
