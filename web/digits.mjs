// The drawing pad for the bundled digit models: strokes become 8 by 8 pixels as in scikit-learn's digits.
import {$, h, percent, put, width} from './dom.mjs';

const BOX = 32; // their bitmaps: 32 by 32, each pixel of the 8 by 8 counts the ink in a block of 4 by 4
const WIDEST = 22; // they fill the height, but are seldom wider than 6 of the 8 columns
const PEN = 5; // usual width of their strokes, in bitmap pixels
const STEP = 1 / 24; // of the pad, for each arrow key

/** Samples: images with their labels, from a PGM whose comment lists the labels. */
export function readSamples(bytes) {
    const text = new TextDecoder('latin1').decode(bytes),
        labels = /# labels ([\d ]+)\n/.exec(text)[1].trim().split(' ').map(Number);
    const pixels = bytes.subarray(bytes.length - labels.length * 64);
    return labels.map((label, i) => ({label, pixels: pixels.subarray(i * 64, i * 64 + 64)}));
}

/** Where the ink goes: its bounding box fills the bitmap's height, and is squeezed where it would be too wide. */
function fit(strokes) {
    const points = strokes.flat(),
        xs = points.map((p) => p[0]),
        ys = points.map((p) => p[1]);
    const left = Math.min(...xs),
        top = Math.min(...ys),
        wide = Math.max(...xs) - left,
        high = Math.max(...ys) - top;
    const scale = (BOX - PEN) / Math.max(high, wide / 2, 0.08),
        across = Math.min(scale, (WIDEST - PEN) / Math.max(wide, 1e-6));
    return ([x, y]) => [BOX / 2 + (x - left - wide / 2) * across, BOX / 2 + (y - top - high / 2) * scale];
}

function trace(context, strokes, place, pen) {
    context.lineWidth = pen;
    context.lineCap = context.lineJoin = 'round';
    context.strokeStyle = '#fff';
    for (const stroke of strokes) {
        context.beginPath();
        stroke.map(place).forEach(([x, y], i) => context[i ? 'lineTo' : 'moveTo'](x, y));
        if (stroke.length === 1) context.lineTo(...place(stroke[0]));
        context.stroke();
    }
}

/** Strokes as 64 values 0..16. */
export function toPixels(strokes) {
    const pixels = new Uint8Array(64);
    if (!strokes.length) return pixels;
    const context = new OffscreenCanvas(BOX, BOX).getContext('2d', {willReadFrequently: true});
    trace(context, strokes, fit(strokes), PEN);
    const {data} = context.getImageData(0, 0, BOX, BOX);
    for (let i = 0; i < BOX * BOX; i++) if (data[4 * i + 3] > 127) pixels[(i >> 7) * 8 + ((i % BOX) >> 2)]++;
    return pixels;
}

function paint(canvas, pixels) {
    const image = new ImageData(8, 8);
    pixels.forEach((v, i) => image.data.set([v * 15.9, v * 15.9, v * 15.9, 255], 4 * i));
    canvas.getContext('2d').putImageData(image, 0, 0);
}

/** Is this one of the bundled models' kind? 8 by 8 pixels in, ten classes out. */
export function isDigitModel({entries}) {
    const [input] = entries[0].inputs,
        [output] = entries[0].outputs;
    return (
        entries[0].inputs.length === 1 &&
        entries[0].outputs.length === 1 &&
        String(input.shape) === '1,8,8,1' &&
        String(output.shape) === '1,10' &&
        ['INT8', 'FLOAT32'].includes(input.type) &&
        input.type === output.type
    );
}

/** Pixels 0..16 as the model's input: real = pixel / 16. */
function toInput(pixels, t) {
    if (t.type === 'FLOAT32') return Float32Array.from(pixels, (p) => p / 16);
    const {
        scale: [scale],
        zeroPoint: [zero],
    } = t.quantization;
    return Int8Array.from(pixels, (p) => Math.max(-128, Math.min(127, Math.round(p / 16 / scale) + zero)));
}

export class DigitPad {
    #client;
    #model;
    #strokes = [];
    #drawing = false;
    #busy = false;
    #again = false;
    #cursor = [0.5, 0.5];
    #penDown = false;
    #keys = false;
    #shown = null;
    /** Told when the drawing becomes another one. */ onchange = () => {};
    constructor(client) {
        this.#client = client;
        put(
            $('bars'),
            Array.from({length: 10}, (_, d) =>
                h(
                    'li',
                    null,
                    h('span', null, String(d)),
                    h('span.track', {'aria-hidden': 'true'}, h('span.fill')),
                    h('span', null, '–'),
                ),
            ),
        );
        put(
            $('samples'),
            Array.from({length: 10}, (_, d) =>
                h(
                    'button.button',
                    {type: 'button', disabled: true, 'aria-label': `Sample of a ${d}`},
                    h('canvas', {width: 8, height: 8, 'aria-hidden': 'true'}),
                    String(d),
                ),
            ),
        );
        const pad = $('draw');
        pad.addEventListener('pointerdown', (e) => {
            if (e.button) return;
            pad.setPointerCapture(e.pointerId);
            this.#drawing = true;
            this.#keys = false;
            this.#begin(this.#at(e));
        });
        pad.addEventListener('pointermove', (e) => {
            if (!this.#drawing) return;
            for (const one of e.getCoalescedEvents?.().length ? e.getCoalescedEvents() : [e])
                this.#strokes.at(-1).push(this.#at(one));
            this.#changed();
        });
        for (const end of ['pointerup', 'pointercancel'])
            pad.addEventListener(end, () => {
                this.#drawing = false;
            });
        pad.addEventListener('keydown', (e) => this.#key(e));
        pad.addEventListener('blur', () => {
            this.#keys = this.#penDown = false;
            this.#redraw();
        });
        $('clear').onclick = () => this.clear();
    }

    #at(e) {
        const box = $('draw').getBoundingClientRect();
        return [(e.clientX - box.left) / box.width, (e.clientY - box.top) / box.height];
    }
    #begin(point) {
        if (this.#shown) {
            this.#strokes = [];
            this.#shown = null;
        }
        this.#strokes.push([point]);
        this.#changed();
    }
    #key(e) {
        const move = {ArrowLeft: [-STEP, 0], ArrowRight: [STEP, 0], ArrowUp: [0, -STEP], ArrowDown: [0, STEP]}[e.key];
        if (move) {
            this.#cursor = this.#cursor.map((v, i) => Math.max(0.05, Math.min(0.95, v + move[i])));
            if (this.#penDown) this.#strokes.at(-1).push([...this.#cursor]);
        } else if (e.key === ' ') {
            this.#penDown = !this.#penDown;
            if (this.#penDown) this.#begin([...this.#cursor]);
        } else if (e.key === 'Delete' || e.key === 'Backspace') {
            this.clear();
        } else return;
        e.preventDefault();
        this.#keys = true;
        if (this.#penDown) this.#changed();
        else this.#redraw();
    }

    clear() {
        this.#strokes = [];
        this.#shown = null;
        this.#penDown = false;
        this.#changed();
    }

    /** A new model: what is on the pad stays and is recognised again. */
    use(model) {
        this.#model = model;
        this.#changed();
    }

    /** One button for each digit; every press takes the next image of that digit. */
    samples(all) {
        [...$('samples').children].forEach((button, digit) => {
            const mine = all.filter((s) => s.label === digit),
                canvas = button.firstChild;
            let next = 0;
            const preview = () => paint(canvas, mine[next % mine.length].pixels);
            button.disabled = false;
            button.onclick = () => {
                this.#strokes = [];
                this.#shown = mine[next++ % mine.length].pixels;
                preview();
                this.#changed();
            };
            preview();
        });
    }

    #redraw() {
        const canvas = $('draw'),
            context = canvas.getContext('2d'),
            size = canvas.width;
        context.clearRect(0, 0, size, size);
        if (this.#shown) {
            const small = new OffscreenCanvas(8, 8);
            paint(small, this.#shown);
            context.imageSmoothingEnabled = false;
            context.drawImage(small, 0, 0, size, size);
        }
        trace(context, this.#strokes, ([x, y]) => [x * size, y * size], size / 11);
        if (!this.#keys) return;
        context.lineWidth = 5;
        context.strokeStyle = this.#penDown ? '#a5f3fc' : '#8f8afc';
        context.beginPath();
        context.arc(this.#cursor[0] * size, this.#cursor[1] * size, 16, 0, 7);
        context.stroke();
    }

    #pixels() {
        return this.#shown ?? toPixels(this.#strokes);
    }
    #changed() {
        this.#redraw();
        paint($('small'), this.#pixels());
        this.#recognise(this.#pixels());
        this.onchange();
    }
    /** The drawing as the model's input, null while the pad is empty. */
    input() {
        const pixels = this.#pixels();
        return this.#model && pixels.some(Boolean) ? toInput(pixels, this.#model.entries[0].inputs[0]) : null;
    }

    /** Never more than one question on its way; the newest drawing is asked next. */
    async #recognise(pixels) {
        if (!this.#model) return;
        if (this.#busy) {
            this.#again = true;
            return;
        }
        if (!pixels.some(Boolean)) return this.#show(null);
        this.#busy = true;
        try {
            const model = this.#model,
                {output} = await this.#client.call('classify', toInput(pixels, model.entries[0].inputs[0]));
            if (model === this.#model)
                this.#show(
                    Array.from(output.data, (v) =>
                        output.type === 'INT8'
                            ? output.quantization.scale[0] * (v - output.quantization.zeroPoint[0])
                            : v,
                    ),
                );
        } catch (e) {
            this.#show(null);
            $('digit').textContent = e.message;
        } finally {
            this.#busy = false;
        }
        if (this.#again) {
            this.#again = false;
            this.#recognise(this.#pixels());
        }
    }

    #show(p) {
        const best = p ? p.indexOf(Math.max(...p)) : -1,
            text = p ? `This is a ${best} (${percent(p[best])})` : 'Draw, or take a sample below.';
        if ($('digit').textContent !== text) $('digit').textContent = text;
        [...$('bars').children].forEach((bar, d) => {
            bar.className = d === best ? 'best' : '';
            width(bar.querySelector('.fill'), p ? p[d] : 0);
            bar.lastChild.textContent = p ? percent(p[d]) : '–';
        });
    }

    /** The model is another one: nothing to recognise with. */
    leave() {
        this.#model = null;
    }
}
