// Operators that a worker imports (user_ops_test.mjs), and that the tests on this thread take too.

export const operators = {
    Scale: {
        inputs: 1,
        outputs: 1,
        pure: true,
        shape: ([x]) => x.shape,
        eval([x], [y], {factor}) {
            x.data.forEach((v, i) => (y.data[i] = v * factor));
        },
    },
    // Adds what it got in all runs.
    Total: {
        state: 16,
        shape: ([x]) => [x.shape],
        eval([x], [y], options, {state}) {
            const sums = new Float32Array(state.buffer, state.byteOffset, 4);
            x.data.forEach((v, i) => (y.data[i] = sums[i] += v));
        },
    },
};
