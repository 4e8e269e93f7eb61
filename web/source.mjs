// Models from where users have them: bytes, files, responses, addresses.
import {bytesOf, is, limit, MOST} from './bytes.mjs';
import {badInput, cancelled, kind, NpuError, optionalFunction, optionalSignal, wrongType} from './errors.mjs';
import {builtin} from './node.mjs';

/** @typedef {import('./bytes.mjs').Bytes} Bytes */
/** @typedef {Bytes | Blob | Response | ReadableStream | URL | string} Source bytes, or what they can be read from: a Blob or
 *           File, a Response, a stream, an address (in node also a path) */
/** @typedef {{phase: string, done: number, total?: number}} Progress `total` is left out where it is not known */

function parts(list, length) {
    if (list.length === 1) return list[0];
    const all = new Uint8Array(length);
    let at = 0;
    for (const part of list) {
        all.set(part, at);
        at += part.length;
    }
    return all;
}

/** What came in one piece. */
function whole(bytes, onprogress) {
    onprogress?.({phase: 'read', done: bytes.length, total: bytes.length});
    return bytes;
}

async function drained(stream, total, onprogress, signal) {
    const reader = stream.getReader(),
        list = [],
        stop = () => reader.cancel(signal.reason).catch(() => {});
    let done = 0;
    signal?.addEventListener('abort', stop);
    try {
        for (let next; !(next = await reader.read()).done;) {
            if (!ArrayBuffer.isView(next.value))
                throw wrongType('web.bytes', `the stream gives ${kind(next.value)}: a stream of bytes is needed`);
            done += next.value.byteLength;
            if (done > MOST) throw limit(done);
            list.push(next.value);
            onprogress?.({phase: 'read', done, ...(total ? {total} : {})});
        }
    } finally {
        signal?.removeEventListener('abort', stop);
    }
    if (signal?.aborted) throw cancelled(signal);
    return parts(list, done);
}

async function response(answer, onprogress, signal) {
    const where = answer.url || 'the response';
    if (!answer.ok) throw badInput('web.fetch', `${where}: the server answered ${answer.status}`);
    if (answer.bodyUsed)
        throw badInput('web.fetch', `${where} has been read already: pass response.clone(), or its bytes`);
    const plain = !answer.headers.get('content-encoding'), // else the length is that of the coded bytes
        total = plain ? Number(answer.headers.get('content-length')) : 0;
    return answer.body ? drained(answer.body, total, onprogress, signal) : new Uint8Array(0);
}

async function address(given, onprogress, signal) {
    const node = await builtin('node:fs'),
        path = typeof given === 'string' && !/^[a-z][a-z0-9+.-]+:/i.test(given);
    try {
        if (node && (path || new URL(given).protocol === 'file:'))
            return whole(
                new Uint8Array(await node.promises.readFile(path ? given : new URL(given), {signal})),
                onprogress,
            );
        return await response(await fetch(given, {signal}), onprogress, signal);
    } catch (e) {
        if (signal?.aborted) throw cancelled(signal);
        if (e instanceof NpuError) throw e;
        throw Object.assign(badInput('web.fetch', `${given} cannot be read: ${e.message}`), {cause: e});
    }
}

/** The bytes of a model from wherever it is. Aborting rejects at once.
 *  @param {Source | Promise<Source>} source
 *  @param {{signal?: AbortSignal, onprogress?: (p: Progress) => void}} [options] @returns {Promise<Uint8Array>} */
export async function readSource(source, {signal, onprogress} = {}) {
    optionalSignal(signal);
    optionalFunction(onprogress, 'onprogress');
    const waits = typeof (/** @type {any} */ (source)?.then) === 'function';
    const value = /** @type {any} */ (waits ? await source : source);
    if (signal?.aborted) throw cancelled(signal);
    if (typeof value === 'string' || is(value, 'URL')) return address(value, onprogress, signal);
    if (is(value, 'Response')) return response(value, onprogress, signal);
    if (is(value, 'ReadableStream')) return drained(value, 0, onprogress, signal);
    if (is(value, 'Blob') || is(value, 'File')) {
        if (value.size > MOST) throw limit(value.size);
        return drained(value.stream(), value.size, onprogress, signal);
    }
    return whole(bytesOf(value, 'openModel'), onprogress);
}
