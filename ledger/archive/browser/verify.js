// The form of verify.html.
"use strict";
(() => {
  const part = (id) => document.getElementById(id);
  const ANSWERS = { 0: "good", 2: "bad", 6: "bad", 7: "bad" };
  const readerOf = (file) => async (most) => new Uint8Array(await file.slice(0, Math.min(most, file.size)).arrayBuffer());

  async function chosenFiles() {
    const [packed] = part("zip").files;
    if (packed) return exported.inExport(await zip.read(packed));
    const folder = [...part("folder").files].map((file) => [file.webkitRelativePath || file.name, readerOf(file)]);
    if (!folder.length) throw new record.UsageError("Choose an export first");
    return exported.inExport(new Map(folder));
  }

  function show(kind, lines) {
    const shown = lines.map((line, at) => Object.assign(document.createElement("p"), { textContent: line, className: at ? "" : kind }));
    part("answer").replaceChildren(...shown);
  }

  async function progress(sentence) {
    show("", [sentence]);
    await new Promise((resolve) => setTimeout(resolve)); // so that the browser shows it
  }

  function setDisabled(isDisabled) {
    for (const field of part("form").elements) field.disabled = isDisabled;
  }

  // An old answer does not belong to a new choice, and only one export can be chosen.
  part("form").addEventListener("input", (event) => {
    show("", []);
    if (event.target === part("zip")) part("folder").value = "";
    if (event.target === part("folder")) part("zip").value = "";
  });

  part("or-folder").hidden = !("webkitdirectory" in part("folder"));
  part("form").addEventListener("submit", async (event) => {
    event.preventDefault();
    setDisabled(true);
    show("", ["Checking …"]);
    try {
      const typed = ["key", "checkpoint"].map((id) => [part(id).value].filter((text) => text.trim()));
      const { code, lines } = await exported.check(await chosenFiles(), ...typed, progress);
      show(ANSWERS[code], lines);
    } catch (error) {
      const message = error instanceof record.UsageError ? error.message : `This browser cannot check the export: ${error.message}`;
      show("bad", [`Error: ${message}.`]);
    } finally {
      setDisabled(false);
      part("answer").scrollIntoView({ block: "nearest" });
    }
  });
})();
