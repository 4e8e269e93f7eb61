/* NPU__<family>_ROW(X, ...): a row of a kernel list, nothing where the family is not in this build; with NPU__ALL_ROWS, always a
 * row. Has no include guard: select.c asks twice. */
#undef NPU__X86_ROW
#undef NPU__NEON_ROW
#undef NPU__WASM_ROW
#undef NPU__RELAXED_ROW
#undef NPU__EXPAND
#define NPU__EXPAND(x) x /* MSVC hands __VA_ARGS__ on as one argument otherwise */
#if NPU__HAS_X86 || defined(NPU__ALL_ROWS)
#  define NPU__X86_ROW(X, ...) NPU__EXPAND(X(__VA_ARGS__))
#else
#  define NPU__X86_ROW(X, ...)
#endif
#if NPU__HAS_NEON || defined(NPU__ALL_ROWS)
#  define NPU__NEON_ROW(X, ...) NPU__EXPAND(X(__VA_ARGS__))
#else
#  define NPU__NEON_ROW(X, ...)
#endif
#if NPU__HAS_WASM_SIMD || defined(NPU__ALL_ROWS)
#  define NPU__WASM_ROW(X, ...) NPU__EXPAND(X(__VA_ARGS__))
#else
#  define NPU__WASM_ROW(X, ...)
#endif
#if NPU__HAS_WASM_RELAXED || defined(NPU__ALL_ROWS)
#  define NPU__RELAXED_ROW(X, ...) NPU__EXPAND(X(__VA_ARGS__))
#else
#  define NPU__RELAXED_ROW(X, ...)
#endif
