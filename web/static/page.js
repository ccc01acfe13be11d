// What the page does in addition to htmx:
// - gives each form a request id, and keeps it until the server answers, so that nothing is written twice
// - opens the panel, the tray and the feed, so that Back closes them, and moves the focus to the answer
// - closes the panel, copies texts, shows the number of the slider, and shows local times
// - keeps what was typed into the forms of the GM page, into a line of the feed, and into a form that was previewed
// - keeps the settings of this device, and plays a sound or vibrates when it is the person's turn
// - connects to the stream when the page becomes visible, and reconnects after a long silence
// - says when the connection is lost
// - reloads the parts of the page that are different for each person
// - over TLS, keeps a page that says when the server cannot be reached
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
  const { sourceElement, response, text } = event.detail.ctx;
  // a button with its own request, such as Odds, does not submit the form that it is in
  if (!sourceElement.matches?.("form[hx-post]") || (response?.status ?? 500) >= 500) return;
  ids.delete(sourceElement); // answered: the next request is a new command
  if (response.status < 300) for (const box of sourceElement.querySelectorAll("[data-once]")) box.checked = false;
  if (response.status >= 300 || !sourceElement.matches("[hx-post^='say/']") || text.includes('name="agreed"')) return;
  sourceElement.reset(); // the command was written
  for (const form of document.querySelectorAll(`main[data-keeps] form[hx-post="${sourceElement.getAttribute("hx-post")}"]`)) form.reset();
});
document.addEventListener("click", (event) => {
  const closes = event.target.closest("[data-close]");
  if (closes) (closes.closest("[aria-live]") ?? document.getElementById("panel")).replaceChildren(...(closes.matches("[data-back]") ? previewed : []));
  const copies = event.target.closest("[data-copies]");
  if (copies) copy(copies, document.getElementById(copies.dataset.copies));
});
// Cancel after a preview shows the form in the panel again, as it was filled in.
let previewed = [];
document.addEventListener("htmx:before:swap", ({ detail: { ctx } }) => {
  const panel = document.getElementById("panel");
  if (!ctx.text?.includes('name="agreed"') || panel.querySelector("[name=agreed]")) return;
  previewed = panel.contains(ctx.sourceElement) ? [...panel.childNodes] : [];
  for (const part of previewed) part.remove(); // htmx would make them unusable
});
// The GM's desk: a button such as −N takes the amount from the field above the buttons.
document.addEventListener("click", (event) => {
  const field = event.target.closest("#desk button")?.form.querySelector("[data-sign]");
  const amount = document.getElementById("desk-amount")?.value;
  if (field && amount) field.value = field.dataset.sign + amount;
}, true);
async function copy(button, text) {
  try {
    await navigator.clipboard.writeText(text.textContent);
    button.textContent = "Copied";
  } catch {
    getSelection().selectAllChildren(text); // over plain HTTP, browsers allow only the old way to copy
    button.textContent = document.execCommand("copy") ? "Copied" : "The text is selected. Copy it yourself.";
  }
}
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") openPlace()?.matches(".answers") ? openPlace().replaceChildren() : leave();
});
// Layout. The panel, the tray and the feed are places. The address names the open place, so that Back closes it and
// Forward opens it again, with everything that somebody typed there.
let opener; // the last element outside the places that had the focus
function openPlace() {
  return document.querySelector(".place:target");
}
function open(place) {
  if (place === openPlace()) return;
  history.scrollRestoration = "manual"; // so that closing the place does not scroll the page
  location.hash = place.id;
}
let leaves = false; // the browser goes back only after a moment
function leave() {
  if (!openPlace() || leaves) return;
  leaves = true;
  history.back();
}
function markPlace() {
  leaves = false;
  const opened = openPlace();
  // on a phone, the feed or the desk stays behind a panel that was opened from it
  if (opened?.id !== "panel") for (const place of document.querySelectorAll("#feed, #gms")) showWhole(place, place === opened);
  if (opened) history.replaceState({ place: true }, "");
  else {
    history.scrollRestoration = "auto";
    if (opener?.isConnected) opener.focus({ preventScroll: true });
  }
}
function showWhole(place, whole) {
  const closes = place.classList.contains("whole") && !whole;
  place.classList.toggle("whole", whole);
  if (closes) place.closest(".feed")?.scrollTo(0, 0); // the strip shows the newest entries again
}
addEventListener("hashchange", markPlace);
// Except in Chromium, htmx loads a page again when somebody goes back to a place on the same page. It must not do that.
let address = location.pathname + location.search;
document.addEventListener("htmx:after:history:push", (event) => (address = event.detail.path));
document.addEventListener("htmx:before:history:restore", (event) => {
  if (event.detail.path === address) event.preventDefault();
  address = event.detail.path;
});
if (openPlace() && !history.state?.place) {
  const { hash } = location; // the page was opened with this address: add the page without it, for Back
  history.replaceState(null, "", location.pathname + location.search);
  location.hash = hash;
}
for (const place of document.querySelectorAll(".place.answers")) {
  const follow = () => {
    if (leaves) addEventListener("hashchange", follow, { once: true });
    else if (place.hasChildNodes()) open(place);
    else if (place === openPlace()) leave();
  };
  new MutationObserver(follow).observe(place, { childList: true });
  if (place === openPlace()) follow();
}
document.addEventListener("focusin", (event) => {
  if (!event.target.closest(".place")) opener = event.target;
});
document.addEventListener("click", (event) => {
  if (event.target.closest("[data-leaves]")) leave();
  const to = document.getElementById(event.target.closest(".jumps a")?.hash.slice(1));
  if (!to) return;
  event.preventDefault(); // the address names the open place
  if (to.id === "more") to.open = true;
  to.scrollIntoView();
});
document.addEventListener("htmx:after:swap", (event) => {
  const { sourceElement, sourceEvent, target } = event.detail.ctx;
  if (sourceElement.matches(".stream, #mine")) alertTurn();
  else if (target?.id === "refused") target.scrollIntoView({ block: "nearest" });
  else if (["click", "submit"].includes(sourceEvent?.type) && !sourceElement.matches("#tray-odds, #undo"))
    target?.closest?.("[tabindex='-1']")?.focus({ preventScroll: true });
});
// Settings of this device, and what it does when it is the person's turn.
const settings = localStorage;
for (const box of document.querySelectorAll("[data-setting]")) {
  box.checked = settings.getItem(box.dataset.setting) === "yes";
  box.addEventListener("change", () => settings.setItem(box.dataset.setting, box.checked ? "yes" : "no"));
}
function turnText() {
  return document.querySelector("#mine .own")?.textContent ?? "";
}
let turn = turnText();
function alertTurn() {
  const before = turn;
  turn = turnText();
  if (!turn || turn === before) return;
  if (settings.getItem("vibration") === "yes") navigator.vibrate?.(200);
  if (settings.getItem("sound") === "yes") beep();
}
function beep() {
  const audio = new AudioContext(), tone = audio.createOscillator();
  tone.frequency.value = 660;
  tone.connect(audio.destination);
  tone.start();
  tone.stop(audio.currentTime + 0.2);
  tone.onended = () => audio.close();
}
document.addEventListener("input", (event) => {
  const shows = event.target.dataset?.shows;
  if (shows) document.getElementById(shows).value = event.target.value;
});
// What somebody typed into a form of the GM page stays until the form is sent, also if the person leaves the page.
// The browser does not keep it, because it must not store a page of the campaign.
const kept = "main[data-keeps] form[hx-post^='say/']";
function keptAt(form) {
  return `typed:${location.pathname}:${form.getAttribute("hx-post")}`;
}
document.addEventListener("input", ({ target: { form } }) => {
  if (form?.matches(kept)) sessionStorage.setItem(keptAt(form), JSON.stringify([...new FormData(form)]));
});
document.addEventListener("reset", ({ target }) => sessionStorage.removeItem(keptAt(target))); // it was sent
function fillKept(forms) {
  for (const form of forms) {
    for (const [name, value] of JSON.parse(sessionStorage.getItem(keptAt(form)) ?? "[]")) {
      const field = form.elements[name];
      if (field?.type === "checkbox") field.checked = true;
      else if (field && field.type !== "hidden") field.value = value;
    }
  }
}
fillKept(document.querySelectorAll(kept));
// An update replaces lines of the feed and forms of the GM page. An open line stays open, with what was typed there.
let typing, outdated; // the field with the focus before an update, and the open lines to load again after it
let reading; // the open line with the focus: it keeps its place when lines appear above it
const feed = document.querySelector(".feed"), topOf = (id) => document.getElementById(id).getBoundingClientRect().top;
document.addEventListener("htmx:before:swap", ({ detail: { ctx, tasks } }) => {
  if (!ctx.sourceElement.matches(".stream")) return;
  const { activeElement: field } = document;
  [typing, outdated] = [{ field, selection: [field.selectionStart, field.selectionEnd] }, []];
  const line = feed?.scrollTop === 0 ? field.closest("#feed > li:has(> [open])")?.id : ""; // otherwise the browser does it
  reading = line && { line, top: topOf(line) };
  for (const { target, fragment } of tasks) {
    const working = target?.querySelector(":scope > details[open] > .working");
    if (!working) continue;
    const details = fragment.querySelector("details");
    if (!working.querySelector("details[open]")) outdated.push(details);
    details.querySelector(".working").replaceWith(working);
    details.open = true;
  }
});
document.addEventListener("htmx:after:swap", ({ detail: { ctx } }) => {
  if (!ctx.sourceElement.matches(".stream")) return;
  for (const details of outdated) htmx.trigger(details, "look");
  if (reading && getComputedStyle(feed).overflowY === "auto") feed.scrollBy(0, topOf(reading.line) - reading.top);
  fillKept(document.querySelectorAll(`#evening :is(${kept})`));
  const field = document.getElementById(typing.field.id);
  if (!field || (field === typing.field && field === document.activeElement)) return;
  field.focus({ preventScroll: true });
  if (typeof typing.selection[0] === "number") field.setSelectionRange(...typing.selection);
});
// The server sends times in UTC; the page shows them in this device's time zone.
function localTimes() {
  for (const time of document.querySelectorAll("time[datetime]:not([title])")) {
    const moment = new Date(time.dateTime), two = (number) => String(number).padStart(2, "0");
    const day = [moment.getFullYear(), two(moment.getMonth() + 1), two(moment.getDate())].join("-");
    time.title = time.textContent;
    time.textContent = `${day} ${two(moment.getHours())}:${two(moment.getMinutes())}`;
  }
}
localTimes();
document.addEventListener("htmx:after:process", localTimes);
function says(text) {
  const line = document.getElementById("connection");
  if (line && line.textContent !== text) line.textContent = text;
}
// The stream sends something every few seconds. After a long silence, the connection is dead.
let stream, heard;
function hears() {
  heard = performance.now();
}
document.addEventListener("toggle", (event) => {
  const working = event.target.querySelector(":scope > .working");
  if (event.target.open && working?.childElementCount === 0) htmx.trigger(event.target, "look");
}, true);
setInterval(() => {
  const silence = Number(document.querySelector(".stream")?.dataset.silence) * 1000;
  if (document.hidden) hears(); // a hidden page closes the stream on purpose, and reconnects when it is shown
  if (!stream?.reader || !silence || performance.now() - heard < silence) return;
  hears();
  says("The table has been silent for a while. Reconnecting …");
  stream.reader.cancel();
}, 500);
// Firefox reports everything that the page still loads as an error when somebody leaves the page.
let leftAt = 0;
addEventListener("beforeunload", () => {
  leftAt = performance.now();
  stream?.reader?.cancel(); // if the link was a download, the page connects again
});
document.addEventListener("still", hears);
document.addEventListener("visits", hears);
document.addEventListener("htmx:sse:after:connection", (event) => {
  stream = event.detail.connection;
  hears();
  says("");
  followChanges();
  const panel = document.getElementById("panel");
  panel.querySelector(":scope > .unanswered")?.remove();
  if (panel.childElementCount === 1 && panel.querySelector(":scope > .close")) panel.replaceChildren();
  // if the page was hidden while it was connecting, tell the stream now, so that it closes
  setTimeout(() => {
    if (document.hidden) document.dispatchEvent(new Event("visibilitychange"));
  });
});
let loggedOut = false;
async function lost() {
  if (loggedOut) return;
  says("Not connected. Trying again …");
  const answer = await fetch(location.pathname).catch(() => null);
  if (answer?.status !== 401) return;
  loggedOut = true;
  says("You are no longer logged in. Ask the GM for a new invitation.");
  for (const name of Object.keys(sessionStorage)) if (name.startsWith("typed:")) sessionStorage.removeItem(name);
}
document.addEventListener("htmx:sse:error", lost);
document.addEventListener("htmx:sse:before:connection", (event) => loggedOut && event.preventDefault());
document.addEventListener("anew", () => location.reload()); // the page shows another history, or missed too many updates
htmx.config.sse = { reconnectMaxDelay: 5000 }; // so that the page soon finds a server that comes back after a long time
const watching = new WeakSet();
function watch() {
  // a hidden tab would use one of the few connections that a browser allows
  if (document.hidden || loggedOut) return;
  for (const stream of document.querySelectorAll(".stream")) {
    if (!watching.has(stream)) htmx.trigger(stream, "seen");
    watching.add(stream);
  }
}
document.addEventListener("htmx:after:process", watch);
document.addEventListener("visibilitychange", watch);
// Parts that the page loads without being asked. If one cannot be loaded, the page tries again when the server answers.
const unasked = "#tray-odds, #undo, #mine, #desk, .secrets", missed = new Set();
function loadMissed() {
  const ids = [...missed];
  missed.clear();
  for (const id of ids) if (document.getElementById(id)) htmx.trigger(`#${id}`, "look");
}
document.addEventListener("htmx:after:request", (event) => event.detail.ctx.response && loadMissed());
document.addEventListener("htmx:error", (event) => {
  const source = event.detail.ctx?.sourceElement;
  if (!source || (leftAt && performance.now() - leftAt < 3000)) return;
  if (source.matches(".stream")) {
    lost();
    watching.delete(source);
    setTimeout(watch, 1000);
  } else if (source.matches(unasked)) {
    if (source.matches("[hx-trigger=look]")) missed.add(source.id);
  } else {
    const panel = document.getElementById("panel"), text = document.createElement("p");
    panel.querySelector(".unanswered")?.remove();
    text.className = "problem unanswered";
    text.setAttribute("role", "alert");
    text.textContent = source.matches("[hx-post*='say/']")
      ? "The table did not answer. Try again: nothing is saved twice."
      : event.detail.ctx.request.method.toUpperCase() === "POST"
        ? "The table did not answer. Check whether it was saved before you try again."
        : "The table did not answer. Try again.";
    if (!panel.hasChildNodes()) panel.append(closes());
    panel.prepend(text); // keep the form in the panel, so that people can send it again
  }
});
function closes() {
  const button = document.createElement("button");
  button.className = "close";
  button.dataset.close = "";
  button.setAttribute("aria-label", "Close");
  button.textContent = "×";
  return button;
}
function followChanges() {
  const cast = document.querySelector("#cast[data-changed]");
  cast?.removeAttribute("data-changed");
  if (cast) follow().catch(() => document.getElementById("cast")?.setAttribute("data-changed", "")); // the next event tries again
}
async function follow() {
  const answer = await fetch(location.href);
  if (!answer.ok) throw new Error(answer.statusText);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const part of document.querySelectorAll("[data-follows]")) {
    const fresh = page.getElementById(part.id);
    const search = part.querySelector("form input");
    if (!fresh || search?.value || (search && search === document.activeElement)) continue; // somebody is typing there
    part.replaceWith(fresh);
    htmx.process(fresh);
  }
}
document.addEventListener("htmx:sse:after:message", (event) => {
  hears();
  followChanges();
  loadMissed();
  if (event.detail.message.event) return; // a control event, without HTML
  const mine = document.getElementById("mine"), waits = document.getElementById("waits");
  const desk = document.getElementById("desk");
  if (desk) htmx.trigger(desk, "look");
  if (mine && waits.dataset.state !== mine.dataset.state) htmx.trigger(mine, "look");
});
// Browsers allow a service worker only over TLS, and only if they trust the certificate.
if (location.protocol === "https:") navigator.serviceWorker?.register("worker.js").catch(() => {});

// Tray. With the setting of this device, the first tap on a sheet rolls. The undo button always names the last action.
document.addEventListener("htmx:after:swap", (event) => {
  if (settings.getItem("roll") !== "yes" || !event.detail.ctx.sourceElement.matches(".tap, #dice a")) return;
  document.querySelector("#tray form[data-ready]")?.requestSubmit();
});
let undoTimer;
document.addEventListener("htmx:sse:after:message", () => {
  clearTimeout(undoTimer);
  undoTimer = setTimeout(() => document.getElementById("undo") && htmx.trigger("#undo", "look"), 200);
});
