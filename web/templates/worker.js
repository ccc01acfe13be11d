// Shows a page of its own while the server cannot be reached. It keeps no page of the campaign.
const cacheName = {{ cache|safe }};
const ours = {{ ours|safe }}; // the start of the names of this campaign's caches
const files = {{ files|safe }};
self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(cacheName).then((cache) => cache.addAll(files)));
});
self.addEventListener("activate", (event) => {
  const removeOld = (names) => Promise.all(names.filter((name) => name.startsWith(ours) && name !== cacheName).map((name) => caches.delete(name)));
  event.waitUntil(caches.keys().then(removeOld));
});
self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.mode === "navigate") event.respondWith(fetch(request).catch(() => caches.match(files[0])));
  else if (files.some((file) => request.url.endsWith(file))) event.respondWith(fetch(request).catch(() => caches.match(request)));
});
