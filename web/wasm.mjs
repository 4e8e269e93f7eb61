// One instance of the module: calls, strings and records. Private to npu_rt.mjs.
import {FORMATS} from './border.mjs';
import {misuse, noMemory, NpuError} from './errors.mjs';
import {instantiate} from './loader.mjs';
import {readRecord} from './records.mjs';
import {ask, isFormat} from './reports.mjs';
import {Crew} from './threads.mjs';

const utf8 = new TextDecoder();

export class Wasm {
    /** @param {WebAssembly.Module} module @param {import('./operators.mjs').UserOperators} [operators] of the caller's own
     *  @param {number} [threads] */
    constructor(module, operators, threads = 1) {
        this.operators = operators;
        this.exports = instantiate(module, operators && ((phase, which, call) => operators.answer(phase, which, call)));
        this.record = this.exports.npuw_record();
        this.broken = null;
        this.crew = threads > 1 ? new Crew(this, module, threads) : null;
    }
    /** @type {WebAssembly.Memory} */
    get memory() {
        return this.exports.memory;
    }
    /** Anew after each call: it grows, and then is another object. */
    get buffer() {
        return this.memory.buffer;
    }
    /** Ends the threads. The memory goes with the last reference to it. */
    close() {
        this.crew?.close();
    }
    /** What a call left in the record. @param {string} name of border.h's list @returns {Record<string, any>} */
    result(name) {
        return readRecord(this.buffer, this.record, name);
    }
    string(at, length) {
        const bytes = new Uint8Array(this.buffer, at >>> 0);
        return at ? utf8.decode(bytes.slice(0, length ?? bytes.indexOf(0))) : ''; // a copy: what threads share is not decoded
    }

    /** Calls an export. A trap becomes an error like any other; the instance is not to be trusted afterwards. */
    call(name, ...args) {
        if (this.broken) throw this.broken;
        if (this.operators?.inside)
            throw misuse('web.operators', 'a callback of an operator cannot use the model that it belongs to');
        try {
            return this.exports[name](...args);
        } catch (e) {
            if (!(e instanceof WebAssembly.RuntimeError) && !(e instanceof RangeError)) throw e;
            this.broken = new NpuError({
                status: 'RUNTIME',
                rule: 'wasm.trap',
                text: `the module stopped: ${e.message}`,
            });
            throw this.broken;
        }
    }

    /** As `call`, for functions that return 0 after a failure. */
    must(name, ...args) {
        const result = this.call(name, ...args) >>> 0;
        if (!result) throw this.error();
        return result;
    }

    error() {
        const d = this.result('diag'),
            cause = this.operators?.thrown;
        const e = new NpuError({
            status: this.string(d.status),
            rule: this.string(d.rule),
            text: this.string(d.text),
            exitCode: d.exit_code,
            opName: this.string(d.op_name),
            subgraph: d.subgraph,
            op: d.op,
            fileOffset: d.file_offset,
        });
        if (this.operators) this.operators.thrown = undefined;
        if (e.rule === 'user_op.threw' && cause !== undefined) e.cause = cause;
        return e;
    }

    alloc(bytes) {
        const p = bytes <= 0x7fffffff ? this.call('npuw_alloc', bytes) >>> 0 : 0; // an i32 would wrap
        if (!p) throw noMemory(`no memory for ${bytes} bytes`);
        return p;
    }

    /** A copy of the text that ends in 0, for npuw_free. */
    string0(text) {
        const bytes = new TextEncoder().encode(`${text}\0`),
            p = this.alloc(bytes.length);
        new Uint8Array(this.buffer, p, bytes.length).set(bytes);
        return p;
    }

    /** Calls `use` with the addresses of texts, 0 for those that are missing. @param {(string | null | undefined)[]} texts
     *  @template T @param {(...at: number[]) => T} use @returns {T} */
    withStrings(texts, use) {
        const at = texts.map((text) => (text === undefined || text === null ? 0 : this.string0(text)));
        try {
            return use(...at);
        } finally {
            if (!this.broken) for (const p of at) if (p) this.call('npuw_free', p);
        }
    }

    /** Names that an export counts up, until it has no more. */
    names(name, ...args) {
        const all = [];
        for (let p; (p = this.call(name, ...args, all.length));) all.push(this.string(p));
        return all;
    }

    /** @param {string} kind @param {{format?: string, [about: string]: any}} question */
    report(kind, {format = 'json', ...about}) {
        if (!isFormat(format)) throw misuse('web.format', `format must be one of ${FORMATS.join(', ')}: got ${format}`);
        const {ok, text} = ask(this, kind, format, about);
        if (ok) return format === 'json' ? JSON.parse(text) : text;
        const e = this.error();
        if (kind === 'stream' && text && e.status !== 'RUNTIME') e.report = format === 'json' ? JSON.parse(text) : text;
        throw e;
    }
}
