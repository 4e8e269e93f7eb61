// One instance of the module: calls, strings and records. Private to npu_rt.mjs.
import {misuse, noMemory, NpuError} from './errors.mjs';
import {instantiate} from './loader.mjs';
import {ask, isFormat} from './reports.mjs';

const utf8 = new TextDecoder();

export class Wasm {
    constructor(module) {
        this.exports = instantiate(module);
        this.record = this.exports.npuw_record();
        this.broken = null;
    }
    get buffer() {
        return this.exports.memory.buffer;
    }
    words(n) {
        return new Uint32Array(this.buffer, this.record, n);
    }
    doubles(n) {
        return new Float64Array(this.buffer, this.record, n);
    }
    string(at, length) {
        const bytes = new Uint8Array(this.buffer, at >>> 0);
        return at ? utf8.decode(bytes.subarray(0, length ?? bytes.indexOf(0))) : '';
    }

    /** Calls an export. A trap becomes an error like any other; the instance is not to be trusted afterwards. */
    call(name, ...args) {
        if (this.broken) throw this.broken;
        try {
            return this.exports[name](...args);
        } catch (e) {
            if (!(e instanceof WebAssembly.RuntimeError) && !(e instanceof RangeError)) throw e;
            this.broken = new NpuError({
                status: 'RUNTIME',
                rule: 'wasm.trap',
                text: `the module stopped: ${e.message}`,
                exitCode: 1,
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
        const [, exitCode, rule, text, opName, status, subgraph, op] = this.words(8),
            fileOffset = this.doubles(5)[4];
        return new NpuError({
            status: this.string(status),
            rule: this.string(rule),
            text: this.string(text),
            exitCode,
            opName: this.string(opName),
            subgraph: subgraph | 0,
            op: op | 0,
            fileOffset,
        });
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

    /** Names that an export counts up, until it has no more. */
    names(name, ...args) {
        const all = [];
        for (let p; (p = this.call(name, ...args, all.length));) all.push(this.string(p));
        return all;
    }

    /** @param {string} kind @param {{format?: string, [about: string]: any}} question */
    report(kind, {format = 'json', ...about}) {
        if (!isFormat(format)) throw misuse('web.format', `format must be text, json or markdown: got ${format}`);
        const {ok, text} = ask(this, kind, format, about);
        if (ok) return format === 'json' ? JSON.parse(text) : text;
        const e = this.error();
        if (kind === 'stream' && text && e.status !== 'RUNTIME') e.report = format === 'json' ? JSON.parse(text) : text;
        throw e;
    }
}
