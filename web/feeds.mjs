// The inputs of a model: a row each, fed from the seed, from an image or from a .npy file.
import {EXIT_CODES} from './border.mjs';
import {$, h, put, say} from './dom.mjs';
import {describe} from './outputs.mjs';
import {isNpy} from './npy.mjs';
import {elements, numberToHalf, typeInfo} from './types.mjs';

const IMAGE_TYPES = ['FLOAT32', 'UINT8', 'INT8', 'INT16', 'FLOAT16'];
/** What becomes of a pixel p in 0..255. `real` gives the real number, otherwise the stored one. */
const RULES = {
    pixel: ['0 to 255', (p) => p],
    unit: ['0 to 1', (p) => p / 255],
    symmetric: ['−1 to 1', (p) => (p - 127.5) / 127.5],
};

/** Where height, width and channels lie, or null for inputs that are no image. */
export function imageLayout(t) {
    const [n, ...rest] = t.shape.length === 4 ? t.shape : [1, ...t.shape];
    if (n !== 1 || rest.length !== 3 || !IMAGE_TYPES.includes(t.type)) return null;
    if (rest[2] === 1 || rest[2] === 3) return {height: rest[0], width: rest[1], channels: rest[2], planar: false};
    if (rest[0] === 1 || rest[0] === 3) return {height: rest[1], width: rest[2], channels: rest[0], planar: true};
    return null;
}

async function pixels(file, {width, height}) {
    const image = await createImageBitmap(file),
        canvas = new OffscreenCanvas(width, height),
        context = canvas.getContext('2d');
    context.imageSmoothingQuality = 'high';
    context.drawImage(image, 0, 0, width, height);
    image.close();
    return context.getImageData(0, 0, width, height).data;
}

/** Pixels as elements of the tensor. Unquantized reals are stored as they are; int8 takes p - 128, uint8 p. */
export function imageToTensor(rgba, t, layout, rule) {
    const {width, height, channels, planar} = layout,
        {array} = typeInfo(t.type),
        out = new array(elements(t.shape)),
        q = t.quantization;
    const store = (p) => {
        if (t.type === 'UINT8') return p;
        if (t.type === 'INT8' && rule === 'pixel') return p - 128;
        const real = RULES[rule][1](p);
        if (t.type === 'FLOAT32') return real;
        if (t.type === 'FLOAT16') return numberToHalf(real);
        const limit = t.type === 'INT8' ? 127 : 32767,
            stored = Math.round(real / (q?.scale[0] ?? 1)) + (q?.zeroPoint[0] ?? 0);
        return Math.max(-limit - 1, Math.min(limit, stored));
    };
    for (let i = 0; i < width * height; i++) {
        const [r, g, b] = rgba.subarray(4 * i, 4 * i + 3);
        const values = channels === 1 ? [Math.round(0.299 * r + 0.587 * g + 0.114 * b)] : [r, g, b];
        for (let c = 0; c < channels; c++) out[planar ? c * width * height + i : i * channels + c] = store(values[c]);
    }
    return out;
}

/** A mistake in an input, with the status that the command line gives for it. */
export const badInput = (rule, message) =>
    Object.assign(new Error(message), {status: 'BAD_INPUT', rule, exitCode: EXIT_CODES.BAD_INPUT});

/** What one input is asked with, not yet wired: where its values come from, a file, a rule for pixels, a shape. */
function controls(t, i, layout, unchosen) {
    const id = `input-${i}`;
    const rule = h(
        'select',
        {id: `${id}-rule`},
        Object.entries(RULES).map(([key, [text]]) => h('option', {value: key}, text)),
    );
    rule.value = t.type === 'UINT8' || t.type === 'INT8' ? 'pixel' : 'symmetric';
    return {
        state: h('span.quiet', {id: `${id}-from`, role: 'status'}, unchosen),
        picker: h('input.unseen', {
            type: 'file',
            id: `${id}-file`,
            'aria-describedby': `${id}-from`,
            accept: layout ? 'image/*,.npy' : '.npy',
        }),
        label: h(
            'label.button',
            {for: `${id}-file`},
            layout ? 'Image or .npy' : '.npy file',
            h('span.unseen', null, ` for input ${i}`),
        ),
        rule,
        ruleField: h('div.field', {hidden: true}, h('label', {for: `${id}-rule`}, 'Pixels become'), rule),
        dims: h('input.mono', {
            id: `${id}-shape`,
            value: t.shape.join(','),
            pattern: '\\s*\\d+(\\s*,\\s*\\d+)*\\s*',
            title: 'dimensions, separated by commas',
            size: '12',
        }),
        seeded: h(
            'button.button',
            {type: 'button', hidden: true},
            'Remove',
            h('span.unseen', null, ` the file of input ${i}`),
        ),
    };
}

/** The row of an input of strings: they are typed, a line for each element. A dimension that the model leaves open follows them. */
function stringRow(t, i, changed) {
    const id = `input-${i}`,
        open = t.declaredShape.flatMap((d, k) => (d < 0 ? [k] : [])),
        {dims} = controls(t, i, null, ''),
        text = h('textarea', {id: `${id}-text`, rows: '3', cols: '30', spellcheck: 'false'});
    const shaped = () => (dims.value.trim() ? dims.value.split(',').map(Number) : []);
    const typed = () => {
        const lines = text.value.split('\n');
        return lines.length > 1 && lines.at(-1) === '' ? lines.slice(0, -1) : lines; // the last line may be ended too
    };
    text.oninput = () => {
        const given = shaped(),
            n = typed().length / given.reduce((all, d, k) => (k === open[0] ? all : all * d), 1);
        if (open.length === 1 && text.value && Number.isInteger(n)) dims.value = given.map((d, k) => (k === open[0] ? n : d)).join(',');
        changed();
    };
    dims.oninput = changed;
    const node = h(
        'div.input',
        {'data-input': String(i)},
        h('div', null, h('div.name', null, `${i}: ${t.name}`), h('div.quiet', null, describe(t))),
        h(
            'div.row',
            null,
            open.length ? h('div.field', null, h('label', {for: dims.id}, 'Shape'), dims) : null,
            h('div.field', null, h('label', {for: text.id}, `Strings of input ${i}, one a line`), text),
        ),
    );
    const feed = async () => {
        const shape = shaped(),
            n = elements(shape),
            lines = text.value ? typed() : Array(n).fill('');
        if (lines.length !== n)
            throw badInput('input.strings', `input ${i} takes ${n} strings ([${shape}]), a line each: got ${lines.length}`);
        return {strings: lines, shape};
    };
    return {node, feed, take: () => {}, hasFile: () => false, picture: false, numbers: false};
}

/** One input's row. `feed` asks for the values when the model runs; `changed` is told when they become others. */
function row(t, i, other, changed) {
    const layout = imageLayout(t),
        open = t.declaredShape.some((d) => d < 0),
        unchosen = other?.text ?? 'from the seed';
    const {state, picker, label, rule, ruleField, dims, seeded} = controls(t, i, layout, unchosen);
    let file = null;
    const take = (next) => {
        file = next ?? null;
        say(state, file ? `from ${file.name}` : unchosen);
        ruleField.hidden = !(file && layout && !file.name.endsWith('.npy') && t.type !== 'UINT8');
        seeded.hidden = !file;
        changed();
    };
    picker.onchange = () => {
        take(picker.files[0]);
        picker.value = ''; // the same file can be chosen again
    };
    seeded.onclick = () => {
        take(null);
        picker.focus();
    };
    rule.onchange = dims.oninput = changed;
    const node = h(
        'div.input',
        {'data-input': String(i)},
        h('div', null, h('div.name', null, `${i}: ${t.name}`), h('div.quiet', null, describe(t), ' · ', state)),
        h(
            'div.row',
            null,
            open ? h('div.field', null, h('label', {for: dims.id}, 'Shape'), dims) : null,
            ruleField,
            h('span', null, picker, label),
            seeded,
        ),
    );
    const feed = async (seed) => {
        const shape = dims.value.trim() ? dims.value.split(',').map(Number) : [];
        const drawn = !file && other?.data();
        if (drawn) return {data: drawn};
        if (!file) return open ? {seed, shape} : {seed};
        const bytes = new Uint8Array(await file.arrayBuffer());
        if (isNpy(bytes)) return {npy: bytes};
        if (!layout) throw badInput('input.file', `${file.name} is no .npy file, and input ${i} takes no picture`);
        let rgba;
        try {
            rgba = await pixels(file, layout);
        } catch {
            throw badInput('input.file', `${file.name} is neither a picture this browser reads nor a .npy file`);
        }
        return {data: imageToTensor(rgba, t, layout, rule.value)};
    };
    return {node, feed, take, hasFile: () => Boolean(file), picture: Boolean(layout), numbers: true};
}

/** The inputs of the open model, a row each. */
export class Inputs {
    #rows = [];
    /** Told when an input becomes another one. */ onchange = () => {};

    /** Draws the rows. `other`: where the values come from while no file is chosen, if not from the seed. */
    show(tensors, other) {
        const changed = () => this.onchange();
        this.#rows = tensors.map((t, i) => (t.type === 'STRING' ? stringRow(t, i, changed) : row(t, i, other, changed)));
        put(
            $('inputs'),
            this.#rows.length ? this.#rows.map((r) => r.node) : h('p.quiet', null, 'This model takes no inputs.'),
        );
    }
    /** What the inputs are to be. @param {number} seed @returns {Promise<object[]>} */
    feeds(seed) {
        return Promise.all(this.#rows.map((r) => r.feed(seed)));
    }
    /** A dropped file becomes the input it was dropped on, or else the first that can take it and has none.
     *  @param {'image' | 'npy'} kind @param {number} [on] @returns {number} which one */
    take(file, kind, on) {
        const can = (r) => (kind === 'npy' ? r.numbers : r.picture);
        let i = this.#rows[on] && can(this.#rows[on]) ? on : this.#rows.findIndex((r) => can(r) && !r.hasFile());
        if (i < 0) i = this.#rows.findIndex(can);
        if (i < 0)
            throw badInput(
                'input.file',
                this.#rows.length ? `no input of the open model takes ${kind === 'npy' ? 'numbers' : 'a picture'}` : 'the open model takes no inputs',
            );
        this.#rows[i].take(file);
        return i;
    }
}
