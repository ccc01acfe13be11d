// What the page does besides htmx: gives each form an id of its own until it is answered, so that nothing is written
// twice; closes the panel; copies a link; shows the slider's number; watches once it is seen; and says when it is not connected.
function freshId() {
  return Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
const ids = new WeakMap();
document.addEventListener("htmx:config:request", (event) => {
  const { ctx } = event.detail;
  const form = ctx.sourceElement.closest?.("form");
  if (!form || ctx.request.method.toUpperCase() !== "POST") return;
  if (!ids.has(form)) ids.set(form, freshId());
  ctx.request.headers["Idempotency-Key"] = ids.get(form);
});
document.addEventListener("htmx:after:request", (event) => {
  const form = event.detail.ctx.sourceElement.closest?.("form");
  const status = event.detail.ctx.response?.status ?? 500;
  if (form && status < 500) ids.delete(form); // it was answered: what is said next is something else
  if (form?.matches("form.move") && status < 300 && event.detail.ctx.sourceElement === form) form.reset(); // written
});
document.addEventListener("click", (event) => {
  if (event.target.closest("[data-close]")) document.getElementById("panel").replaceChildren();
  const copies = event.target.closest("[data-copies]");
  if (copies) copy(copies, document.getElementById(copies.dataset.copies));
});
async function copy(button, text) {
  try {
    await navigator.clipboard.writeText(text.textContent);
    button.textContent = "Copied";
  } catch {
    getSelection().selectAllChildren(text); // the browser does not let a page copy: whoever asks does it by hand
  }
}
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") document.getElementById("panel").replaceChildren();
});
document.addEventListener("input", (event) => {
  const shows = event.target.dataset?.shows;
  if (shows) document.getElementById(shows).value = event.target.value;
});
function says(text) {
  const line = document.getElementById("connection");
  if (line && line.textContent !== text) line.textContent = text;
}
document.addEventListener("htmx:sse:after:connection", () => {
  says("");
  document.querySelector("#panel > .unanswered")?.remove();
  // hidden while it was being connected: the stream hears of it now, and lets go
  setTimeout(() => {
    if (document.hidden) document.dispatchEvent(new Event("visibilitychange"));
  });
});
document.addEventListener("htmx:sse:error", () => says("Not connected; trying again …"));
document.addEventListener("anew", () => location.reload()); // what it shows is of another history, or too long ago to bring up to date
htmx.config.sse = { reconnectMaxDelay: 5000 }; // a server that was away for long is found soon after it is back
const watching = new WeakSet();
function watch() {
  // a tab behind another would take one of the few connections that a browser has
  if (document.hidden) return;
  for (const stream of document.querySelectorAll(".stream")) {
    if (!watching.has(stream)) htmx.trigger(stream, "seen");
    watching.add(stream);
  }
}
document.addEventListener("htmx:after:process", watch);
document.addEventListener("visibilitychange", watch);
document.addEventListener("htmx:error", (event) => {
  const source = event.detail.ctx?.sourceElement;
  if (!source) return;
  if (source.matches(".stream")) {
    says("Not connected; trying again …");
    watching.delete(source);
    setTimeout(watch, 1000);
  } else {
    const text = document.createElement("p");
    text.className = "problem unanswered";
    text.setAttribute("role", "alert");
    text.textContent = "The table did not answer. Say it again: nothing is written twice.";
    document.getElementById("panel").replaceChildren(text);
  }
});
