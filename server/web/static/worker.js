// The worker of the installed page: what was shown can be shown again without a connection.
//
// Modules and styles have a version in their addresses, so a copy of them is never old. All else is
// asked for first, and its copy is shown only where the server can't be reached. The pages below are
// fetched once after the installation, with their modules and those that these load later, so that they
// open without a connection; a page that was never seen leads to the first of them.

const KEPT = "mancala";
const MOST = 400;
const FOREVER = "/page/";
const PAGES = ["/", "/play", "/ladders", "/analysis", "/lesson", "/puzzles"];
const PARTS = /\/page\/[^"]+|\.\/[^"/]+(?="\))/g;

const worker = /** @type {any} */ (self);

worker.addEventListener("install", (event) => event.waitUntil(prepare().then(() => worker.skipWaiting())));
worker.addEventListener("activate", (event) => event.waitUntil(worker.clients.claim()));
worker.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  const isStream = request.headers.get("Accept") === "text/event-stream";
  if (request.method !== "GET" || origin !== location.origin || isStream) return;
  event.respondWith(pathname.startsWith(FOREVER) ? copyOr(request) : freshOr(request));
});

async function prepare() {
  const cache = await caches.open(KEPT);
  const wanted = new Set(PAGES);
  for (const address of wanted) {
    await cache.add(address);
    const text = await (await cache.match(address)).text();
    for (const part of text.match(PARTS) ?? []) wanted.add(new URL(part, location.origin + address).pathname);
  }
}

async function copyOr(request) {
  return await caches.match(request) ?? fetched(request);
}

async function freshOr(request) {
  try {
    return await fetched(request);
  } catch {
    const isPage = request.mode === "navigate";
    const kept = await caches.match(request) ?? (isPage ? await caches.match(request, { ignoreSearch: true }) : null);
    return kept ?? (isPage ? Response.redirect(PAGES[0]) : Response.error());
  }
}

async function fetched(request) {
  const response = await fetch(request);
  if (!response.ok) return response;
  const cache = await caches.open(KEPT);
  await cache.put(request, response.clone());
  const kept = await cache.keys();
  for (const old of kept.slice(0, Math.max(0, kept.length - MOST))) await cache.delete(old);
  return response;
}
