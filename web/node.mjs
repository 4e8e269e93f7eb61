// What node has and browsers have not.

const {process} = /** @type {any} */ (globalThis);

/** One of node's own modules; undefined elsewhere. Bundlers do not see which.
 *  @param {string} name @returns {Promise<any>} */
export async function builtin(name) {
    if (!process?.versions?.node) return undefined;
    return process.getBuiltinModule?.(name) ?? import(/* @vite-ignore */ /* webpackIgnore: true */ name);
}
