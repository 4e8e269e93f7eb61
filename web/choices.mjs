// What reports can be asked for: options looked at before the module is, so that what is wrong with one is said in words.
import {FORMATS} from './border.mjs';
import {kind, misuse, optionalFlag, optionalName, options, suggestion, wrongType} from './errors.mjs';
import {isFormat} from './reports.mjs';

/** The choice of a backend, which has to be there. */
export function judging(choice, known, call, runtime) {
    const example = runtime.backends()[1],
        hint = `: write ${call}({backend: '${typeof choice === 'string' ? choice : example}'})`;
    const got = options(choice, known, call, hint),
        all = () => runtime.backends().join(', ');
    if (got.backend === undefined || got.backend === null)
        throw wrongType('backend.name', `${call} needs a backend${hint}. Backends: ${all()}`);
    for (const key of ['backend', 'profile', 'memoryMode', 'runtime']) optionalName(got[key], key);
    if (!runtime.backends().includes(got.backend) && suggestion(got.backend, runtime.backends()))
        throw misuse(
            'backend.name',
            `no backend "${got.backend}"${suggestion(got.backend, runtime.backends())} Backends: ${all()}`,
        );
    return got;
}

export const reporting = (given, known, call) => {
    const got = options(given, known, call);
    if (got.format !== undefined && !isFormat(got.format))
        throw misuse('web.format', `format must be one of ${FORMATS.join(', ')}: got ${kind(got.format)}`);
    return got;
};

/** What to compare; the names have to be those of backends. */
export function comparing(choice, runtime) {
    const known = ['backends', 'sramBytes', 'title', 'relaxFp32', 'clockHz', 'verdictsOnly', 'format'],
        got = options(choice, known, 'compare'),
        {backends, sramBytes, title, format} = got,
        form = "backends is a list of names, ['ethos-u55-128', 'neuron']";
    if (format !== undefined && (!isFormat(format) || format === 'dot'))
        throw misuse('web.format', `format must be json, text, markdown or html: got ${kind(format)}`);
    if (backends !== undefined && !Array.isArray(backends)) throw wrongType('backend.name', `${form}: got ${kind(backends)}`);
    if (backends?.length === 0) throw misuse('backend.name', `${form}: got an empty one. Leave it out to compare all`);
    for (const name of backends ?? []) {
        if (typeof name !== 'string') throw wrongType('backend.name', `${form}: one of them is ${kind(name)}`);
        if (!runtime.backends().includes(name))
            throw misuse(
                'backend.name',
                `no backend "${name}"${suggestion(name, runtime.backends()) || '.'} Backends: ${runtime.backends().join(', ')}`,
            );
    }
    if (sramBytes !== undefined && typeof sramBytes !== 'number')
        throw wrongType('web.sram', `sramBytes must be a number of bytes: got ${kind(sramBytes)}`);
    if (sramBytes !== undefined && !(Number.isInteger(sramBytes) && sramBytes > 0 && sramBytes < 2 ** 53))
        throw misuse('web.sram', `sramBytes must be a whole number of bytes from 1 on: got ${sramBytes}`);
    optionalName(title, 'title');
    for (const name of ['relaxFp32', 'verdictsOnly']) optionalFlag(got[name], name);
    optionalClock(got.clockHz);
    return got;
}

export function optionalClock(hz) {
    if (hz !== undefined && !(typeof hz === 'number' && hz > 0 && hz < Infinity))
        throw misuse('web.clock', `clockHz must be a frequency: got ${hz}`);
}

const PLAN_REPORT = {
    choice: ['backend', 'profile', 'format'],
    flags: ['relaxFp32', 'suppressInputConversion', 'suppressOutputConversion'],
    more: ['transposeConv', 'fusionRules', 'mvpu', 'weightBytes', 'clockHz'],
};

/** What a planner is told, as the module's question has it. */
export function planning(choice, runtime) {
    const known = Object.values(PLAN_REPORT).flat(),
        {relaxFp32 = false, transposeConv, mvpu, ...got} = judging(choice, known, 'planReport', runtime),
        {weightBytes, fusionRules, backend, profile} = got;
    optionalFlag(relaxFp32, 'relaxFp32');
    for (const name of PLAN_REPORT.flags) optionalFlag(got[name], name);
    optionalClock(got.clockHz);
    optionalName(fusionRules, 'fusionRules');
    if (transposeConv !== undefined && transposeConv !== 'hardware' && transposeConv !== 'software')
        throw misuse('web.transpose_conv', `transposeConv must be "hardware" or "software": got ${kind(transposeConv)}`);
    if (mvpu !== undefined && !(Array.isArray(mvpu) && mvpu.every((name) => typeof name === 'string')))
        throw wrongType('web.mvpu', `mvpu is a list of operators, ['SOFTMAX']: got ${kind(mvpu)}`);
    if (weightBytes !== undefined && !(Number.isInteger(weightBytes) && weightBytes > 0 && weightBytes < 2 ** 53))
        throw misuse('web.weight_bytes', `weightBytes must be a whole number of bytes from 1 on: got ${kind(weightBytes)}`);
    const relaxed = relaxFp32 ? runtime.relaxed(backend, profile) : null;
    if (relaxFp32 && !relaxed)
        throw misuse('backend.relax', `relaxFp32 is nothing that the rules of ${backend} know: leave it out`);
    return {
        ...got,
        profile: relaxed ?? profile,
        softwareTransposeConv: transposeConv === 'software',
        mvpu: mvpu?.length ? mvpu.join(',') : undefined,
    };
}
