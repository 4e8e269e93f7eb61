// Errors of the runtime, and what is said to a caller who passes something else than was asked for.

import {EXIT_CODES} from './border.mjs';

/** @typedef {import('./reports.mjs').StreamReport} StreamReport */

/** What the runtime reports when a call fails; programs test `rule`. */
export class NpuError extends Error {
    /** @type {string} INVALID_MODEL, BAD_INPUT, CANCELLED, ... */ status = '';
    /** @type {string} the same as `status` */ code = '';
    /** @type {string} stable id of what was broken */ rule = '';
    /** @type {string} */ text = '';
    /** @type {number} the one the command line ends with */ exitCode = 1;
    /** @type {string} */ opName = '';
    /** @type {number} -1: not about one */ subgraph = -1;
    /** @type {number} -1: not about one */ op = -1;
    /** @type {number} -1: not about one */ fileOffset = -1;
    /** @type {StreamReport | string | undefined} what could be read of a damaged command stream */ report = undefined;
    /** @param {{status: string, rule: string, text: string, exitCode?: number, opName?: string, subgraph?: number,
     *           op?: number, fileOffset?: number, report?: StreamReport | string}} d */
    constructor(d) {
        super(`${d.text}${(d.fileOffset ?? -1) >= 0 ? ` (byte ${d.fileOffset})` : ''} [${d.rule}]`);
        this.name = 'NpuError';
        Object.assign(this, {exitCode: EXIT_CODES[d.status]}, d, {code: d.status});
    }
}

/** A call that cannot be answered as things are: a value out of its range, something closed. */
export const misuse = (rule, text) => new NpuError({status: 'INVALID_ARGUMENT', rule, text});
export const badInput = (rule, text) => new NpuError({status: 'BAD_INPUT', rule, text});
export const noMemory = (text) => new NpuError({status: 'OUT_OF_MEMORY', rule: 'web.memory', text});
export const closed = (what) => misuse('web.closed', `the ${what} is closed`);

/** A value of the wrong kind: a TypeError, with the fields of NpuError. @returns {TypeError} */
export const wrongType = (rule, text) =>
    Object.assign(new TypeError(`${text} [${rule}]`), {
        status: 'INVALID_ARGUMENT',
        code: 'INVALID_ARGUMENT',
        rule,
        text,
        exitCode: EXIT_CODES.INVALID_ARGUMENT,
    });

/** A call ended by its AbortSignal (whose reason becomes the cause), or by cancel(). */
export function cancelled(signal) {
    const e = new NpuError({status: 'CANCELLED', rule: 'session.cancelled', text: 'it was cancelled'});
    e.name = signal?.reason?.name === 'TimeoutError' ? 'TimeoutError' : 'AbortError';
    if (signal?.reason !== undefined) e.cause = signal.reason;
    return e;
}

/** The class of a value in words: "a Promise", "a string", "null". */
export function kind(value) {
    if (value === null || value === undefined) return String(value);
    if (typeof value !== 'object' && typeof value !== 'function')
        return `a ${typeof value} (${String(value).slice(0, 40)})`;
    const name = Object.prototype.toString.call(value).slice(8, -1);
    const own = name === 'Object' ? (value.constructor?.name ?? name) : name;
    return `${/^[AEIO]/.test(own) ? 'an' : 'a'} ${own}`;
}

/** How many letters have to be changed, added or left out. */
function distance(a, b) {
    let row = Array.from({length: b.length + 1}, (_, i) => i);
    for (let i = 0; i < a.length; i++) {
        const next = [i + 1];
        for (let k = 0; k < b.length; k++)
            next.push(Math.min(row[k] + (a[i] === b[k] ? 0 : 1), row[k + 1] + 1, next[k] + 1));
        row = next;
    }
    return row[b.length];
}

/** ": did you mean "x"?" for the known name that is nearest; empty where none is near.
 *  @param {string} name @param {readonly string[]} known */
export function suggestion(name, known) {
    const plain = (s) => s.toLowerCase().replace(/[^a-z0-9]/g, ''),
        near = (k) => (plain(k).includes(plain(name)) && plain(name).length > 2 ? 1 : distance(plain(name), plain(k)));
    const [best] = [...known].sort((a, b) => near(a) - near(b));
    return best !== undefined && near(best) <= Math.max(1, name.length / 3) ? `: did you mean "${best}"?` : '';
}

/** The options a call was given, once it is sure that it knows them all.
 *  @param {any} given @param {readonly string[]} known @param {string} call its name @param {string} [hint] */
export function options(given, known, call, hint = '') {
    if (given === undefined) return {};
    const plain = given !== null && typeof given === 'object' && !Array.isArray(given) && !ArrayBuffer.isView(given);
    if (!plain) {
        const what = known.length ? `an object, with ${known.join(', ')}` : 'no options';
        throw wrongType('web.options', `${call} takes ${what}: got ${kind(given)}${hint}`);
    }
    for (const name of Object.keys(given))
        if (!known.includes(name) && given[name] !== undefined)
            throw wrongType(
                'web.option',
                `${call} has no option "${name}"${suggestion(name, known) || '.'} It takes ${known.join(', ') || 'none'}`,
            );
    return given;
}

/** A whole number from 0 on that the module's 32 bits can hold. */
export function index(value, what) {
    if (typeof value !== 'number') throw wrongType('web.index', `${what} must be a number: got ${kind(value)}`);
    if (!(Number.isInteger(value) && value >= 0 && value <= 0x7fffffff))
        throw misuse('web.index', `${what} must be a whole number from 0 on: got ${value}`);
    return value;
}

/** An AbortSignal, or nothing. */
export function optionalSignal(value) {
    if (value === undefined || value === null || typeof value.addEventListener === 'function')
        return value ?? undefined;
    const hint = value.signal ? ': pass controller.signal' : '';
    throw wrongType('web.signal', `signal must be an AbortSignal: got ${kind(value)}${hint}`);
}

/** A function that is told something, or nothing. */
export function optionalFunction(value, what) {
    if (value !== undefined && value !== null && typeof value !== 'function')
        throw wrongType('web.function', `${what} must be a function: got ${kind(value)}`);
    return value ?? undefined;
}

/** A name, or nothing. */
export function optionalName(value, what, hint = '') {
    if (value !== undefined && value !== null && typeof value !== 'string')
        throw wrongType('web.name', `${what} must be a string${hint}: got ${kind(value)}`);
    return value;
}

/** Yes, no, or nothing. */
export function optionalFlag(value, what) {
    if (value !== undefined && typeof value !== 'boolean')
        throw wrongType('web.flag', `${what} must be true or false: got ${kind(value)}`);
    return value;
}

/** Fields that can be posted to another thread. */
export function pack(e) {
    const {message = String(e), rule = 'web.failure', status = 'RUNTIME', exitCode = EXIT_CODES.RUNTIME} = e ?? {},
        {opName, subgraph, op, fileOffset, report} = e ?? {};
    return {
        name: e?.name ?? 'Error',
        npu: e instanceof NpuError,
        message,
        text: e?.text ?? message,
        status,
        rule,
        exitCode,
        ...(e instanceof NpuError ? {opName, subgraph, op, fileOffset, report} : {}),
    };
}

const PLAIN = {TypeError, RangeError, SyntaxError};

/** The error again, of the class it had. */
export function revive({name: kindOf, npu, message, ...fields}) {
    if (npu) return Object.assign(new NpuError(/** @type {any} */ (fields)), {name: kindOf});
    const Class = Object.hasOwn(PLAIN, kindOf) ? PLAIN[kindOf] : Error;
    return Object.assign(new Class(message), fields, {code: fields.status});
}
