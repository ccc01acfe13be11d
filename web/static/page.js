// What the page does besides htmx: gives each form an id of its own until it is answered, so that nothing is written
// twice; closes the panel; shows the slider's number; and says when it is not connected.
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
  if (form) ids.delete(form); // it was answered: what is said next is something else
});
document.addEventListener("click", (event) => {
  if (event.target.closest("[data-close]")) document.getElementById("panel").replaceChildren();
});
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
document.addEventListener("htmx:sse:after:connection", () => says(""));
document.addEventListener("htmx:sse:error", () => says("Not connected; trying again …"));
document.addEventListener("anew", () => location.reload()); // it lacks too much to wait for
