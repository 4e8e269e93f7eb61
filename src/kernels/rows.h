/* NPU__<family>_ROW(X, ...): a row of a kernel list, nothing where the family is not in this build; with NPU__ALL_ROWS, always a
 * row, except for NPU__X86_ALIKE_ROW, which but for its code is what a weaker instruction set's row is. Has no include guard: select.c
 * asks twice. */
#undef NPU__X86_ROW
#undef NPU__X86_ALIKE_ROW
#undef NPU__AVXVNNI_ROW
#undef NPU__AMX_ROW
#undef NPU__NEON_ROW
#undef NPU__NEON64_ROW
#undef NPU__NEON_DOT_ROW
#undef NPU__I8MM_ROW
#undef NPU__WASM_ROW
#undef NPU__WASM_DOT_ROW
#undef NPU__RELAXED_ROW
#undef NPU__EXPAND
#define NPU__EXPAND(x) x /* MSVC hands __VA_ARGS__ on as one argument otherwise */
#if NPU__HAS_X86 || defined(NPU__ALL_ROWS)
#  define NPU__X86_ROW(X, ...) NPU__EXPAND(X(__VA_ARGS__))
#else
#  define NPU__X86_ROW(X, ...)
#endif
#if NPU__HAS_X86 && !defined(NPU__ALL_ROWS)
#  define NPU__X86_ALIKE_ROW(X, ...) NPU__EXPAND(X(__VA_ARGS__))
#else
#  define NPU__X86_ALIKE_ROW(X, ...)
#endif
#if NPU__HAS_AVXVNNI || defined(NPU__ALL_ROWS)
#  define NPU__AVXVNNI_ROW(X, ...) NPU__EXPAND(X(__VA_ARGS__))
#else
#  define NPU__AVXVNNI_ROW(X, ...)
#endif
#if NPU__HAS_AMX || defined(NPU__ALL_ROWS)
#  define NPU__AMX_ROW(X, ...) NPU__EXPAND(X(__VA_ARGS__))
#else
#  define NPU__AMX_ROW(X, ...)
#endif
#if NPU__HAS_NEON || defined(NPU__ALL_ROWS)
#  define NPU__NEON_ROW(X, ...) NPU__EXPAND(X(__VA_ARGS__))
#else
#  define NPU__NEON_ROW(X, ...)
#endif
#if NPU__HAS_NEON64 || defined(NPU__ALL_ROWS)
#  define NPU__NEON64_ROW(X, ...) NPU__EXPAND(X(__VA_ARGS__))
#else
#  define NPU__NEON64_ROW(X, ...)
#endif
#if NPU__HAS_NEON_DOT || defined(NPU__ALL_ROWS)
#  define NPU__NEON_DOT_ROW(X, ...) NPU__EXPAND(X(__VA_ARGS__))
#else
#  define NPU__NEON_DOT_ROW(X, ...)
#endif
#if NPU__HAS_I8MM || defined(NPU__ALL_ROWS)
#  define NPU__I8MM_ROW(X, ...) NPU__EXPAND(X(__VA_ARGS__))
#else
#  define NPU__I8MM_ROW(X, ...)
#endif
#if NPU__HAS_WASM_SIMD || defined(NPU__ALL_ROWS)
#  define NPU__WASM_ROW(X, ...) NPU__EXPAND(X(__VA_ARGS__))
#else
#  define NPU__WASM_ROW(X, ...)
#endif
#if NPU__HAS_WASM_RELAXED || defined(NPU__ALL_ROWS) || defined(NPU__V_DOT8)
#  define NPU__WASM_DOT_ROW(X, ...) NPU__EXPAND(X(__VA_ARGS__))
#else
#  define NPU__WASM_DOT_ROW(X, ...)
#endif
#if NPU__HAS_WASM_RELAXED || defined(NPU__ALL_ROWS)
#  define NPU__RELAXED_ROW(X, ...) NPU__EXPAND(X(__VA_ARGS__))
#else
#  define NPU__RELAXED_ROW(X, ...)
#endif
