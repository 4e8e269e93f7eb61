// Records that module.c and JavaScript share, as border.h lists them: where their fields lie, reading and writing them.
import {MAX_RANK, RECORDS} from './border.mjs';

/** How many numbers a field holds, their bytes, which are also their alignment, and how a DataView gets at one. */
const TYPES = {
    word: {count: 1, bytes: 4, get: 'getUint32', set: 'setUint32'},
    whole: {count: 1, bytes: 4, get: 'getInt32', set: 'setInt32'},
    real: {count: 1, bytes: 8, get: 'getFloat64', set: 'setFloat64'},
    address: {count: 1, bytes: 4, get: 'getUint32', set: 'setUint32'},
    dims: {count: MAX_RANK, bytes: 4, get: 'getInt32', set: 'setInt32'},
};
const up = (n, to) => Math.ceil(n / to) * to;

/** Where C puts the fields: module.c proves it. */
function layout(fields) {
    let end = 0,
        largest = 1;
    const placed = fields.map(([name, type]) => {
        const {count, bytes} = TYPES[type],
            at = up(end, bytes);
        end = at + bytes * count;
        largest = Math.max(largest, bytes);
        return {name, at, ...TYPES[type]};
    });
    return {fields: placed, bytes: up(end, largest)};
}

const LAYOUTS = Object.fromEntries(Object.entries(RECORDS).map(([name, fields]) => [name, layout(fields)]));

/** @param {string} name @returns {number} its size in bytes */
export const recordBytes = (name) => LAYOUTS[name].bytes;

/** @param {ArrayBuffer} buffer @param {number} start of the record @param {string} name
 *  @returns {Record<string, any>} a number for each field, a list for dims */
export function readRecord(buffer, start, name) {
    const {fields, bytes} = LAYOUTS[name],
        view = new DataView(buffer, start, bytes),
        record = {};
    for (const f of fields) {
        const one = (i) => view[f.get](f.at + i * f.bytes, true);
        record[f.name] = f.count === 1 ? one(0) : Array.from({length: f.count}, (_, i) => one(i));
    }
    return record;
}

/** Fields that `values` leaves out become 0. @param {ArrayBuffer} buffer @param {number} start @param {string} name
 *  @param {Record<string, number | number[]>} values */
export function writeRecord(buffer, start, name, values) {
    const {fields, bytes} = LAYOUTS[name],
        view = new DataView(buffer, start, bytes);
    for (const f of fields) {
        const given = values[f.name] ?? 0,
            list = Array.isArray(given) ? given : [given];
        for (let i = 0; i < f.count; i++) view[f.set](f.at + i * f.bytes, list[i] ?? 0, true);
    }
}
