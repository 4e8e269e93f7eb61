/* Buffered report text and JSON. */
#include "text.h"

#if NPU__HAS_REPORTS

NPU__FN void npu__text_init(npu__text *t, const npu_writer *writer) {
    memset(t, 0, sizeof *t);
    t->writer = writer;
}

NPU__FN void npu__text_flush(npu__text *t) {
    if (t->n && !t->failed && t->writer->write(t->writer->user, t->buf, t->n) != 0) t->failed = 1;
    t->n = 0;
}

NPU__FN void npu__text_put(npu__text *t, const char *p, size_t n) {
    while (n && !t->failed) {
        size_t part = NPU__MIN(n, sizeof t->buf - t->n);
        memcpy(t->buf + t->n, p, part);
        t->n += part;
        p += part;
        n -= part;
        if (t->n == sizeof t->buf) npu__text_flush(t);
    }
}

/* Plain pieces are formatted in a small buffer; names (%S, %s) of any length go straight through. */
NPU__FN void npu__text_f(npu__text *t, const char *fmt, ...) {
    va_list args;
    char    piece[64], spec[3];
    va_start(args, fmt);
    while (*fmt) {
        const char *p = fmt;
        while (*p && *p != '%') p++;
        npu__text_put(t, fmt, (size_t)(p - fmt));
        if (!*p || !p[1]) break;
        spec[0] = '%';
        spec[1] = p[1];
        spec[2] = 0;
        fmt = p + 2;
        switch (spec[1]) {
        case 'd': case 'c': npu__format(piece, sizeof piece, spec, va_arg(args, int)); break;
        case 'u': npu__format(piece, sizeof piece, spec, va_arg(args, unsigned)); break;
        case 'l': case 'k': case 'b': npu__format(piece, sizeof piece, spec, va_arg(args, int64_t)); break;
        case 'z': npu__format(piece, sizeof piece, spec, va_arg(args, size_t)); break;
        case 'g': npu__format(piece, sizeof piece, spec, va_arg(args, double)); break;
        case 's': {
            const char *s = va_arg(args, const char *);
            npu__text_put(t, s, strlen(s));
            continue;
        }
        case 'S': npu__text_name(t, *va_arg(args, const npu__str *)); continue;
        default: piece[0] = spec[1]; piece[1] = 0; break;
        }
        npu__text_put(t, piece, strlen(piece));
    }
    va_end(args);
}

/* Length of the valid UTF-8 sequence at p (1 to 4), 0 when there is none. */
NPU__FN size_t npu__utf8_length(const uint8_t *p, size_t n) {
    uint32_t c = p[0], lead;
    size_t   len = c < 0x80u ? 1 : c >= 0xC2u && c < 0xE0u ? 2 : c >= 0xE0u && c < 0xF0u ? 3 : c >= 0xF0u && c < 0xF5u ? 4 : 0;
    if (len == 0 || len > n) return 0;
    for (size_t i = 1; i < len; i++) if ((p[i] & 0xC0u) != 0x80u) return 0;
    lead = len > 1 ? p[1] : 0u; /* overlong forms, surrogates and codes above U+10FFFF */
    if ((c == 0xE0u && lead < 0xA0u) || (c == 0xEDu && lead > 0x9Fu) || (c == 0xF0u && lead < 0x90u) ||
        (c == 0xF4u && lead > 0x8Fu)) return 0;
    return len;
}

NPU__FN npu__str npu__text_short(npu__str s, int *cut) {
    *cut = s.n > NPU__TEXT_NAME;
    if (!*cut) return s;
    s.n = NPU__TEXT_NAME;
    for (int i = 0; i < 3 && ((uint8_t)s.p[s.n] & 0xC0u) == 0x80u; i++) s.n--;
    return s;
}

NPU__FN void npu__text_name(npu__text *t, npu__str name) {
    int            cut;
    const npu__str s = npu__text_short(name, &cut);
    const uint8_t *p = (const uint8_t *)s.p;
    for (size_t i = 0; i < s.n;) {
        size_t len = npu__utf8_length(p + i, s.n - i);
        if (len == 0 || p[i] < 0x20u || p[i] == 0x7Fu) {
            npu__text_put(t, "?", 1);
            i++;
        } else {
            npu__text_put(t, s.p + i, len);
            i += len;
        }
    }
    if (cut) npu__text_put(t, "...", 3);
}

NPU__FN void npu__text_pad(npu__text *t, size_t from, size_t width) {
    do npu__text_put(t, " ", 1); while (++from < width);
}

NPU__FN npu_status npu__text_end(npu__text *t, npu_diag *diag) {
    npu__text_flush(t);
    if (!t->failed) return NPU_OK;
    return npu__diag_fail(diag, NPU_RUNTIME, "report.write", "the report could not be written whole");
}

/* What stands between the quotes. */
NPU__FN void npu__json_escaped(npu__text *t, npu__str s) {
    static const char hex[] = "0123456789abcdef";
    const uint8_t    *p = (const uint8_t *)s.p;
    for (size_t i = 0; i < s.n;) {
        size_t len = npu__utf8_length(p + i, s.n - i);
        char   esc[6];
        if (len == 0) {
            npu__text_put(t, "\xEF\xBF\xBD", 3); /* U+FFFD */
            i++;
        } else if (p[i] == '"' || p[i] == '\\') {
            esc[0] = '\\';
            esc[1] = (char)p[i++];
            npu__text_put(t, esc, 2);
        } else if (p[i] < 0x20u) {
            memcpy(esc, "\\u00", 4);
            esc[4] = hex[p[i] >> 4];
            esc[5] = hex[p[i++] & 15u];
            npu__text_put(t, esc, 6);
        } else {
            npu__text_put(t, s.p + i, len);
            i += len;
        }
    }
}

NPU__FN void npu__json_quoted(npu__text *t, npu__str s) {
    npu__text_put(t, "\"", 1);
    npu__json_escaped(t, s);
    npu__text_put(t, "\"", 1);
}

NPU__FN void npu__json_key(npu__text *t, const char *key) {
    uint32_t bit = 1u << (t->depth & 31);
    if (t->has_item & bit) npu__text_put(t, ",", 1);
    if (t->depth > 0 && t->depth < 3) npu__text_put(t, "\n", 1);
    t->has_item |= bit;
    if (key) {
        npu__json_quoted(t, npu__str_of(key));
        npu__text_put(t, ":", 1);
    }
}

NPU__FN void npu__json_open(npu__text *t, const char *key, char open) {
    npu__json_key(t, key);
    npu__text_put(t, &open, 1);
    t->depth++;
    t->has_item &= ~(1u << (t->depth & 31));
}

NPU__FN void npu__json_close(npu__text *t, char close) {
    t->depth--;
    npu__text_put(t, &close, 1);
    if (t->depth == 0) npu__text_put(t, "\n", 1);
}

NPU__FN void npu__json_int(npu__text *t, const char *key, int64_t v) {
    npu__json_key(t, key);
    npu__text_f(t, "%l", v);
}

NPU__FN void npu__json_bool(npu__text *t, const char *key, int v) {
    npu__json_key(t, key);
    npu__text_f(t, "%s", v ? "true" : "false");
}

NPU__FN void npu__json_num(npu__text *t, const char *key, double v) {
    npu__json_key(t, key);
    npu__text_f(t, v - v == 0.0 ? "%g" : "null", v);
}

NPU__FN void npu__json_str(npu__text *t, const char *key, npu__str s) {
    int            cut;
    const npu__str shown = npu__text_short(s, &cut);
    npu__json_key(t, key);
    npu__text_put(t, "\"", 1);
    npu__json_escaped(t, shown);
    if (cut) npu__text_put(t, "...", 3);
    npu__text_put(t, "\"", 1);
}

NPU__FN void npu__json_z(npu__text *t, const char *key, const char *z) { npu__json_str(t, key, npu__str_of(z)); }

#endif
