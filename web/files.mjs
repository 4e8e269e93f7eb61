// What a chosen or dropped file is for: a model to open, or an input of the open one.
import {isNpy} from './npy.mjs';

const starts = (head, bytes, at = 0) => bytes.every((b, i) => head[at + i] === b);
const ascii = (text) => [...text].map((c) => c.charCodeAt(0));
/** First bytes of pictures that browsers read. */
const PICTURES = [
    (head) => starts(head, [0x89, ...ascii('PNG')]),
    (head) => starts(head, [0xff, 0xd8, 0xff]),
    (head) => starts(head, ascii('GIF8')),
    (head) => starts(head, ascii('BM')),
    (head) => starts(head, ascii('RIFF')) && starts(head, ascii('WEBP'), 8),
    (head) => starts(head, ascii('ftypavif'), 4),
];

/** @param {File} file @returns {Promise<'model' | 'npy' | 'image'>} 'model' also for what is none: the runtime names it */
export async function kindOf(file) {
    let head;
    try {
        head = new Uint8Array(await file.slice(0, 16).arrayBuffer());
    } catch {
        return 'model'; // a folder, or gone meanwhile: opening it says so
    }
    if (starts(head, ascii('TFL3'), 4) || starts(head, ascii('CIR0'), 4)) return 'model';
    if (isNpy(head)) return 'npy';
    return file.type.startsWith('image/') || PICTURES.some((is) => is(head)) ? 'image' : 'model';
}
