// The page: picks a model, shows what the worker says about it, runs it.
import {Client} from './client.mjs';
import {DigitPad, isDigitModel, readSamples} from './digits.mjs';
import {$, bytes, h, put} from './dom.mjs';
import {showInputs} from './feeds.mjs';
import {Busy} from './busy.mjs';
import {NpuPanel} from './npu_panel.mjs';
import {showError, showMemory, showModel, showOps, showOutputs, showTimes} from './view.mjs';

const MAX_FILE_BYTES = 2 ** 31; // of a module's 4 GiB, half at most for the file
const client = new Client(),
    pad = new DigitPad(client),
    npu = new NpuPanel(client),
    busy = new Busy(client);
let name = '',
    model = null,
    feeds = null,
    turn = 0;

const fetched = async (path) => {
    const response = await fetch(path);
    if (!response.ok) throw new Error(`the server answered ${response.status}`);
    return new Uint8Array(await response.arrayBuffer());
};

function showAll(fileName, size) {
    showModel(fileName, size, model);
    showMemory(model);
    npu.use(model);
    showOps(model, model.ops);
    showTimes(null);
    put(
        $('outputs'),
        h('p.quiet', null, model.planError ? 'This model cannot run, see above.' : 'Run the model to see them.'),
    );
    $('run').disabled = Boolean(model.planError);
    $('run-status').textContent = '';
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
        feeds = showInputs(model.entries[Number(entry.value || 0)].inputs, drawing || undefined);
    };
    entry.onchange();
}

/** Opens a model. A file that does not open changes nothing but the alert. */
async function open(fileName, load) {
    const mine = ++turn;
    $('status').textContent = `Opening ${fileName} …`;
    try {
        const file = await load();
        if (file.length > MAX_FILE_BYTES)
            throw new Error(`the file has ${bytes(file.length)}: a page can take ${bytes(MAX_FILE_BYTES)}`);
        const next = await client.call('open', file, npu.choice);
        if (mine !== turn) return;
        model = next;
        name = fileName;
        showError();
        showAll(fileName, file.length);
        $('status').textContent = model.planError ? 'Opened, but this build cannot run it.' : 'Ready to run.';
        if (model.planError)
            showError(fileName, model.planError, 'What can be said about it without running it stands below.');
    } catch (e) {
        if (mine !== turn) return;
        $('status').textContent = name ? `${name} is still open.` : '';
        if (e.code === 'CANCELLED') $('status').textContent = `Opening ${fileName} was cancelled. ${$('status').textContent}`;
        else showError(fileName, e, name ? `${name} is still open.` : 'Choose another file.');
    }
    for (const button of document.querySelectorAll('[data-model]'))
        button.setAttribute('aria-pressed', String(button.dataset.model === name));
}

const openFile = (file) => open(file.name, async () => new Uint8Array(await file.arrayBuffer()));
const openBundled = (file) => open(file, () => fetched(file));

async function run(event) {
    event.preventDefault();
    const used = model,
        subgraph = Number($('entry').value || 0),
        button = $('run');
    button.disabled = true;
    $('run-status').textContent = 'Running …';
    try {
        const values = await feeds(Math.max(0, Math.floor($('seed').valueAsNumber || 0)));
        const result = await client.call('run', values, {subgraph, runs: $('runs').valueAsNumber || 0});
        if (used !== model) return;
        showError();
        showTimes(result);
        showOutputs(result.outputs);
        showMemory({...model, memory: result.memory});
        showOps(model, result.ops, true);
        $('run-status').textContent = `Done: ${result.runs} timed runs.`;
    } catch (e) {
        if (e.code === 'CANCELLED') {
            $('run-status').textContent = 'The run was cancelled. The model can be run again.';
            return;
        }
        $('run-status').textContent = 'The run failed, see the message above.';
        showError(name, e);
        $('alert').scrollIntoView({block: 'nearest'});
    } finally {
        button.disabled = Boolean(model.planError);
    }
}

function listen() {
    $('file').onchange = () => {
        if ($('file').files[0]) openFile($('file').files[0]);
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
        if (e.dataTransfer.files[0]) openFile(e.dataTransfer.files[0]);
    });
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
    listen();
    const forced = new URLSearchParams(location.search).get('isa');
    try {
        const engine = await client.call('start', forced);
        $('engine').textContent = `npu_rt ${engine.version} · ${engine.isa} · ${bytes(engine.moduleBytes)}`;
        npu.start(engine.backends, engine.memoryModes);
    } catch (e) {
        $('engine').textContent = 'cannot run here';
        showError('npu_rt', e, 'Nothing can be run in this browser.');
        return;
    }
    await openBundled('digits_int8.tflite');
    try {
        pad.samples(readSamples(await fetched('held_out.pgm')));
    } catch (e) {
        put($('samples'), `no samples: ${e.message}`);
    }
}

start();
