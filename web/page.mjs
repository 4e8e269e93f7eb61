// The page: picks a model, shows what the worker says about it, runs it.
import {Client} from './client.mjs';
import {DigitPad, isDigitModel, readSamples} from './digits.mjs';
import {$, bytes, h, plural, put, say} from './dom.mjs';
import {badInput, Inputs} from './feeds.mjs';
import {closeValues} from './inspect.mjs';
import {kindOf} from './files.mjs';
import {Busy} from './busy.mjs';
import {MODULES, THREADED} from './loader.mjs';
import {NpuPanel} from './npu_panel.mjs';
import {alsoOffline, keepOffline} from './offline.mjs';
import {OpsTable, showMissing} from './ops.mjs';
import {noOutputs, showOutputs} from './outputs.mjs';
import {obstacle} from './threads.mjs';
import {showError, showMemory, showModel, showTimes} from './view.mjs';

const MAX_FILE_BYTES = 2 ** 31; // of a module's 4 GiB, half at most for the file
const client = new Client(),
    pad = new DigitPad(client),
    inputs = new Inputs(),
    fileName = () => name,
    busy = new Busy(client),
    npu = new NpuPanel(client, fileName, busy),
    ops = new OpsTable(fileName);
let name = '',
    model = null,
    turn = 0,
    results = false; // of a run are on the page

const fetched = async (path) => {
    const response = await fetch(path);
    if (!response.ok) throw new Error(`the server answered ${response.status}`);
    return new Uint8Array(await response.arrayBuffer());
};

/** Takes what a run left from the page: it must never stand beside other inputs, another model or an error. */
function forget(why) {
    noOutputs(model?.planError ? 'This model cannot run: see above.' : why);
    if (!results) return;
    results = false;
    showTimes(null);
    showMemory(model);
    ops.show(model, model.ops);
    say($('run-status'), '');
    closeValues();
    client.call('forget').catch(() => {}); // a worker that ended knows of no run anyway
}
const changed = () =>
    results && forget('An input has changed since the last run. Run the model again to see its outputs.');

function showAll(size) {
    results = false;
    showModel(name, size, model);
    showMissing(model);
    npu.use(model);
    showMemory(model);
    showTimes(null);
    ops.show(model, model.ops);
    forget('Run the model to see them.');
    $('run').disabled = Boolean(model.planError);
    say($('run-status'), '');
    $('dump').open = false;
    put($('dump').querySelector('pre'));
    showEntries();
    $('about').hidden = $('foot').hidden = false;
    $('digits').hidden = !isDigitModel(model) || Boolean(model.planError);
    $('digits-by').hidden = !model.compiled;
    if ($('digits').hidden) pad.leave();
    else pad.use(model);
}

/** Which signature runs, where there are several. */
function showEntries() {
    const signatures = model.info.error ? [] : model.info.signatures,
        entry = $('entry');
    put(
        entry,
        signatures.map((s) => h('option', {value: String(s.subgraph)}, s.key || '(unnamed)')),
    );
    $('entry-row').hidden = signatures.length < 2;
    const drawing = isDigitModel(model) &&
        !model.planError && {text: 'from the drawing, or from the seed while there is none', data: () => pad.input()};
    entry.onchange = () => {
        inputs.show(model.entries[Number(entry.value || 0)].inputs, drawing || undefined);
        changed();
    };
    entry.onchange();
}

/** Says that `next` is not open. That changes nothing but the alert, and takes old results away. */
function notOpened(next, e) {
    const still = name ? `${name} is still open.` : '';
    if (model) npu.again();
    if (model) forget('Run the model to see them.');
    if (e.code === 'CANCELLED') say($('status'), `Opening ${next} was cancelled. ${still}`);
    else {
        say($('status'), still);
        showError(next, e, still || 'Choose another file.');
    }
}

/** Opens a model, as a step of `busy`. @returns {Promise<boolean>} whether it is open now */
async function open(next, load, until) {
    const mine = ++turn;
    say($('status'), `Opening ${next} …`);
    try {
        const file = await until(load());
        if (file.length > MAX_FILE_BYTES)
            throw new Error(`the file has ${bytes(file.length)}: a page can take ${bytes(MAX_FILE_BYTES)}`);
        const first = (compared) => mine === turn && npu.first(next, compared);
        const opened = await client.ask('open', [file, npu.choice, npu.relaxFp32], {onprogress: first});
        if (mine !== turn) return false;
        [model, name] = [opened, next];
        showError();
        showAll(file.length);
        say($('status'), model.planError ? 'Opened, but this build cannot run it.' : 'Ready to run.');
        if (model.planError)
            showError(next, model.planError, 'What can be said about it without running it stands below.');
    } catch (e) {
        if (mine === turn) notOpened(next, e);
        return false;
    }
    for (const button of document.querySelectorAll('[data-model]'))
        button.setAttribute('aria-pressed', String(button.dataset.model === name));
    return true;
}

const openBundled = (file) => busy.during('open', (until) => open(file, () => fetched(file), until));

/** A file becomes an input of the open model. */
function takeInput(file, kind, on) {
    try {
        const input = inputs.take(file, kind, on);
        showError();
        say($('status'), `${file.name} is now input ${input}. Run the model to see its outputs.`);
        $('inputs').children[input].scrollIntoView({block: 'nearest'});
    } catch (e) {
        say($('status'), `${name} is still open.`);
        showError(file.name, e.rule ? e : badInput('input.file', e.message), `${name} is still open.`);
        forget('Run the model to see them.');
    }
}

/** Chosen or dropped files: a model opens; pictures and .npy files become inputs of the open model.
 *  @param {File[]} files @param {number} [on] the input they were dropped on */
async function take(files, on) {
    if (!files.length) return;
    const names = files.map((file) => file.name).join(', ');
    say($('status'), `Opening ${names} …`);
    await busy.during('open', async (until) => {
        let kinds;
        try {
            kinds = await until(Promise.all(files.map(kindOf)));
        } catch (e) {
            notOpened(names, e);
            return;
        }
        let models = files.filter((_, i) => kinds[i] === 'model');
        if (!models.length && !model) models = files; // the runtime says what they are
        const chosen = models.at(-1);
        const load = async () => new Uint8Array(await chosen.arrayBuffer());
        if (chosen && !(await open(chosen.name, load, until))) return; // its inputs are not for the model before
        for (const [i, file] of files.entries()) if (!models.includes(file)) takeInput(file, kinds[i], on);
    });
}

/** Who ran what, where it was not the CPU alone. */
function ranOn(rows) {
    const ran = rows.filter((row) => row.runs),
        taken = ran.filter((row) => row.vendor),
        segments = new Set(taken.map((row) => `${row.subgraph}:${row.segment}`)).size;
    if (!$('run-on').value) return '';
    if (!taken.length) return ` ${$('run-on').value} took no operator: the CPU ran all of them.`;
    return ` ${taken[0].vendor} ran ${taken.length} of ${plural(ran.length, 'operator')}, in ${plural(segments, 'segment')}.`;
}

/** Why there were fewer threads than were chosen. */
const onOne = ({threads, oneThreadBecause}, chosen) =>
    threads < chosen ? ` It ran on ${plural(threads, 'thread')}: ${oneThreadBecause ?? 'the others did not start'}.` : '';

/** Threads to choose from, where there can be any. */
function showThreads() {
    const most = obstacle() ? 1 : Math.min(navigator.hardwareConcurrency ?? 1, 16);
    put(
        $('threads'),
        Array.from({length: most}, (_, i) => h('option', {value: String(i + 1)}, String(i + 1))),
    );
    $('threads-row').hidden = most < 2;
}

async function run(event) {
    event.preventDefault();
    const used = model,
        subgraph = Number($('entry').value || 0),
        button = $('run');
    button.disabled = true;
    forget('Running …');
    say($('run-status'), 'Running …');
    try {
        const seed = Math.max(0, Math.floor($('seed').valueAsNumber || 0)),
            runs = $('runs').valueAsNumber || 0,
            threads = Number($('threads').value || 1);
        const result = await busy.during('run', async (until) =>
            client.call('run', await until(inputs.feeds(seed)), {subgraph, runs, threads, npu: npu.runner}),
        );
        if (used !== model) return;
        showError();
        results = true;
        showTimes(result);
        showOutputs(result.outputs, name);
        showMemory({...model, memory: result.memory});
        ops.show(model, result.ops, true);
        say($('run-status'), `Done: ${plural(result.runs, 'timed run')}.${ranOn(result.ops)}${onOne(result, threads)}`);
        if (result.threads > 1) alsoOffline(THREADED.find((m) => m.isa === result.isa)?.file);
    } catch (e) {
        if (used !== model) return;
        forget('There are none: the last run did not end.');
        if (e.code === 'CANCELLED') {
            say($('run-status'), 'The run was cancelled. The model can be run again.');
            return;
        }
        say($('run-status'), 'The run failed, see the message above.');
        showError(name, e);
        $('alert').scrollIntoView({block: 'nearest'});
    } finally {
        button.disabled = Boolean(model.planError);
    }
}

function listenForFiles() {
    $('file').onchange = () => {
        take([...$('file').files]);
        $('file').value = ''; // the same file can be chosen again
    };
    for (const button of document.querySelectorAll('[data-model]'))
        button.onclick = () => openBundled(button.dataset.model);
    let depth = 0;
    const drag = (change) => (e) => {
        e.preventDefault();
        depth = Math.max(0, depth + change);
        document.body.classList.toggle('dragging', depth > 0);
    };
    document.addEventListener('dragenter', drag(1));
    document.addEventListener('dragleave', drag(-1));
    document.addEventListener('dragover', drag(0));
    document.addEventListener('drop', (e) => {
        drag(-9)(e);
        const on = e.target instanceof Element ? e.target.closest('[data-input]') : null;
        take([...e.dataTransfer.files], on ? Number(on.dataset.input) : undefined);
    });
}

function listen() {
    listenForFiles();
    inputs.onchange = pad.onchange = $('seed').oninput = $('run-on').onchange = $('threads').onchange = changed;
    $('run-form').addEventListener('submit', run);
    $('dump').addEventListener('toggle', async () => {
        const pre = $('dump').querySelector('pre');
        if (!$('dump').open || pre.textContent || !model) return;
        try {
            pre.textContent = await client.call('text');
        } catch (e) {
            pre.textContent = '';
            $('dump').open = false;
            if (e.code !== 'CANCELLED') showError(name, e);
        }
    });
    busy.listen();
}

async function start() {
    $('unstarted').remove();
    listen();
    showThreads();
    const forced = new URLSearchParams(location.search).get('isa');
    let engine;
    try {
        engine = await client.call('start', forced);
        $('engine').textContent = `npu_rt ${engine.version} · ${engine.isa} · ${bytes(engine.moduleBytes)}`;
        npu.start(engine.backends, engine.memoryModes);
    } catch (e) {
        $('engine').textContent = 'cannot run here';
        say($('status'), '');
        showError('npu_rt', e, 'Nothing can be run in this browser.');
        return;
    }
    await openBundled('digits_int8.tflite');
    try {
        pad.samples(readSamples(await fetched('held_out.pgm')));
    } catch (e) {
        put($('samples'), `no samples: ${e.message}`);
    }
    keepOffline(MODULES.find((m) => m.isa === engine.isa).file);
}

start();
