// What the browser tests share: Debian's Chromium through playwright-core, the served page, and a count of checks.
import {chromium} from 'playwright-core';
import {execFileSync} from 'node:child_process';
import {fileURLToPath} from 'node:url';
import {serve} from '../../web/serve.mjs';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** NPU_RT_WEB names another build of the page and module, such as Emscripten's. */
export const PAGE = `${ROOT}${process.env.NPU_RT_WEB ?? 'build/web'}/`;
export const MODELS = `${ROOT}../shared/models/`;

const ARGS = [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
];

export const launch = () =>
    chromium.launch({executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ARGS});

/** The built page on a free port. */
export const servePage = (extra) => serve(PAGE, {extra});

/** A model that tests/cli/tiny_model.py writes. */
const tiny = (name, ...sizes) =>
    execFileSync(
        'python3',
        [
            '-c',
            `import sys; sys.path.insert(0, sys.argv[1]); import tiny_model
sys.stdout.buffer.write(getattr(tiny_model, sys.argv[2])(*map(int, sys.argv[3:])))`,
            `${ROOT}tests/cli`,
            name,
            ...sizes.map(String),
        ],
        {maxBuffer: 1 << 28},
    );
/** A model of half a kilobyte that runs for minutes; the smaller the picture, the shorter. */
export const slowModel = (height = 512, width = 1024) => tiny('slow_model', height, width);
/** A model of so many operators. */
export const chainModel = (n) => tiny('chain_model', n);

/** A model that models.py beside this file writes. */
export const pageModel = (name, ...sizes) =>
    execFileSync('python3', [`${ROOT}tests/web/models.py`, name, ...sizes.map(String)], {maxBuffer: 1 << 28});

/** What `f` throws, or null. */
export const failure = (f) => {
    try {
        f();
        return null;
    } catch (e) {
        return e;
    }
};

/** Named checks; `end` prints the last line and sets the exit code. */
export class Checks {
    passed = 0;
    failed = 0;
    only = process.env.NPU_RT_TEST ?? ''; // a section, or tests whose names hold this; tests/case sets it
    ok(condition, what) {
        if (condition) this.passed++;
        else {
            this.failed++;
            console.log(`FAIL ${what}`);
        }
        return Boolean(condition);
    }
    equal(got, want, what) {
        return this.ok(Object.is(got, want), `${what}: got ${JSON.stringify(got)}, want ${JSON.stringify(want)}`);
    }
    /** A case of its own: what it throws is a failure, not the end. */
    async test(name, body) {
        if (!name.includes(this.only)) return;
        try {
            await body();
        } catch (e) {
            this.ok(false, `${name}: ${e.message.split('\n').slice(0, 6).join(' | ')}`);
        }
    }
    /** Tests that stand in a file of their own, one after the other: all of them, or none. */
    async section(name, body) {
        const {only} = this;
        if (only && name !== only) return;
        this.only = '';
        await body();
        this.only = only;
    }
    end() {
        console.log(`${this.passed} passed, ${this.failed} failed`);
        process.exitCode = this.failed || !this.passed ? 1 : 0;
    }
}
