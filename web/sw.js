// Serves the page from a cache, so that it works without a network. `make web` puts the constant FILES in front: for every
// file of the page the SHA-256 of its content. All files of a cache are of one build; another build has another cache, and
// takes over when no page of the older one is left or when the visitor says so.

const TEXT = new TextEncoder(),
    hex = (buffer) => Array.from(new Uint8Array(buffer), (b) => b.toString(16).padStart(2, '0')).join(''),
    sha256 = async (bytes) => hex(await crypto.subtle.digest('SHA-256', bytes));
const PREFIX = 'npu_rt page ';
const versionOnce = sha256(TEXT.encode(JSON.stringify(FILES))).then((hash) => hash.slice(0, 12));
const cacheName = async () => PREFIX + (await versionOnce);
const urlOf = (name) => new URL(name, self.registration.scope).href;
const isModule = (name) => name.endsWith('.wasm'); // a browser needs one of them, and another for threads

/** Fetches a file and keeps it, if it is the one of this build. */
async function keep(cache, name) {
    const url = urlOf(name);
    if (await cache.match(url)) return;
    const response = await fetch(url, {cache: 'no-cache'});
    if (!response.ok) throw new Error(`${name}: ${response.status}`);
    const copy = response.clone();
    if ((await sha256(await response.arrayBuffer())) !== FILES[name]) throw new Error(`${name} is of another build`);
    await cache.put(url, copy);
}

/** Module files that an older cache holds: this browser runs those. */
async function modulesInUse() {
    const names = Object.keys(FILES).filter(isModule),
        found = await Promise.all(names.map((name) => caches.match(urlOf(name))));
    return names.filter((_, i) => found[i]);
}

self.addEventListener('install', (event) => {
    const store = async () => {
        const cache = await caches.open(await cacheName()),
            names = [...Object.keys(FILES).filter((name) => !isModule(name)), ...(await modulesInUse())];
        await Promise.all(names.map((name) => keep(cache, name)));
    };
    event.waitUntil(store());
});

self.addEventListener('activate', (event) => {
    const tidy = async () => {
        const mine = await cacheName();
        for (const name of await caches.keys()) if (name.startsWith(PREFIX) && name !== mine) await caches.delete(name);
        await self.clients.claim();
    };
    event.waitUntil(tidy());
});

self.addEventListener('message', (event) => {
    const {type, file} = event.data;
    if (type === 'take over') self.skipWaiting();
    if (type !== 'keep') return;
    const answer = async () => {
        try {
            await keep(await caches.open(await cacheName()), file);
            event.ports[0].postMessage({ok: true, version: await versionOnce});
        } catch {
            event.ports[0].postMessage({ok: false});
        }
    };
    event.waitUntil(answer());
});

/** Another project may serve this port tomorrow. Where the server has no such service worker, this one goes. */
async function isStillServed() {
    if (!['localhost', '127.0.0.1', '[::1]'].includes(self.location.hostname)) return true;
    try {
        const response = await fetch(self.location.href, {method: 'HEAD', cache: 'no-store'});
        if (response.status !== 404 && response.status !== 410) return true;
    } catch {
        return true; // no server: that is what the cache is for
    }
    await self.registration.unregister();
    for (const name of await caches.keys()) if (name.startsWith(PREFIX)) await caches.delete(name);
    return false;
}

async function answer(request) {
    if (request.mode === 'navigate' && !(await isStillServed())) return fetch(request);
    const url = new URL(request.url),
        scope = new URL(self.registration.scope);
    const name = url.pathname === scope.pathname ? 'index.html' : url.pathname.slice(scope.pathname.length);
    const kept = Object.hasOwn(FILES, name) && (await caches.match(urlOf(name), {cacheName: await cacheName()}));
    return kept || fetch(request);
}

self.addEventListener('fetch', (event) => {
    const {request} = event;
    if (request.method === 'GET' && request.url.startsWith(self.registration.scope)) event.respondWith(answer(request));
});
