// Keeps the page for use without a network, and says when a newer one is there. The service worker does the keeping
// (sw.js); this file registers it and speaks for it. Nothing is claimed before it is so.
import {$, h, put, say} from './dom.mjs';

const CHECK_MS = 60 * 60 * 1000; // pages stay open for days

/** Asks a service worker and waits for its answer. @returns {Promise<any>} */
const ask = (worker, message) =>
    new Promise((resolve) => {
        const {port1, port2} = new MessageChannel();
        port1.onmessage = ({data}) => resolve(data);
        worker.postMessage(message, [port2]);
    });

function offer(text, act) {
    const button = h('button.button.primary', {type: 'button'}, 'Reload');
    button.onclick = act;
    put($('update'), h('span', null, text), button);
    $('update').hidden = false;
}

/** Keeps another module too: the one for threads, once somebody uses it. @param {string} [file] */
export async function alsoOffline(file) {
    if (!file) return;
    const registration = await navigator.serviceWorker?.getRegistration().catch(() => undefined);
    if (registration?.active) await ask(registration.active, {type: 'keep', file});
}

/** @param {string} module the .wasm file this browser runs: the one of the two that is kept */
export async function keepOffline(module) {
    const service = navigator.serviceWorker;
    if (!service) return; // not on a secure origin, or switched off
    const before = service.controller;
    let reload = false;
    service.addEventListener('controllerchange', () => {
        if (reload) location.reload();
        else if (before) offer('The page was updated in another tab.', () => location.reload());
    });
    try {
        const registration = await service.register('sw.js', {updateViaCache: 'none'});
        const waiting = () => {
            if (!registration.waiting || !registration.active) return;
            offer('A new version of this page is there.', () => {
                reload = true;
                registration.waiting?.postMessage({type: 'take over'});
            });
        };
        registration.addEventListener('updatefound', () => {
            const worker = registration.installing;
            worker?.addEventListener('statechange', () => worker.state === 'installed' && waiting());
        });
        waiting();
        setInterval(() => registration.update().catch(() => {}), CHECK_MS); // without a network: later
        const {active} = await service.ready,
            {ok, version} = await ask(active, {type: 'keep', file: module});
        if (ok) say($('offline'), ` It works offline from now on (version ${version}).`);
    } catch {
        // Nothing is kept, and nothing says so.
    }
}
