/* A tiny formatter: enough for diagnostics and reports, and the same text on every libc. */
#include "base.h"

typedef struct npu__out {
    char  *p;
    size_t cap, n;
} npu__out;

NPU__FN void npu__out_char(npu__out *o, char c) {
    if (o->n + 1 < o->cap) o->p[o->n] = c;
    o->n++;
}

NPU__FN void npu__out_text(npu__out *o, const char *p, size_t n) {
    const size_t room = o->n + 1 < o->cap ? o->cap - 1 - o->n : 0;
    if (room && n) memcpy(o->p + o->n, p, NPU__MIN(n, room)); /* not a loop over what is cut off: names may be long */
    o->n += n;
}

NPU__FN void npu__out_u64(npu__out *o, uint64_t v) {
    char   buf[20];
    size_t n = 0;
    do {
        buf[n++] = (char)('0' + (int)(v % 10u));
        v /= 10u;
    } while (v);
    while (n) npu__out_char(o, buf[--n]);
}

NPU__FN void npu__out_i64(npu__out *o, int64_t v) {
    if (v < 0) npu__out_char(o, '-');
    npu__out_u64(o, v < 0 ? 0u - (uint64_t)v : (uint64_t)v);
}

/* Like %g with six significant digits; the last digit may differ from libc's by one. */
NPU__FN void npu__out_double(npu__out *o, double v) {
    char     digits[6];
    int      exp10 = 0, last = 5;
    uint64_t m;
    if (v != v) { npu__out_text(o, "nan", 3); return; }
    if (v < 0) { npu__out_char(o, '-'); v = -v; }
    if (v > 1.7976931348623157e308) { npu__out_text(o, "inf", 3); return; }
    if (!(v > 0)) { npu__out_char(o, '0'); return; }
    exp10 = (int)floor(log10(v));
    m = (uint64_t)(exp10 - 5 > -300 ? v / pow(10.0, exp10 - 5) + 0.5 : v * 1e300 / pow(10.0, exp10 + 295) + 0.5);
    if (m >= 1000000u) { m = (m + 5u) / 10u; exp10++; }
    if (m < 100000u) { m = m * 10u; exp10--; }
    for (int i = 5; i >= 0; i--) { digits[i] = (char)('0' + (int)(m % 10u)); m /= 10u; }
    while (last > 0 && digits[last] == '0') last--;
    if (exp10 < -5 || exp10 > 5) {
        npu__out_char(o, digits[0]);
        if (last > 0) { npu__out_char(o, '.'); npu__out_text(o, digits + 1, (size_t)last); }
        npu__out_char(o, 'e');
        npu__out_char(o, exp10 < 0 ? '-' : '+');
        if (exp10 < 0) exp10 = -exp10;
        if (exp10 < 10) npu__out_char(o, '0');
        npu__out_u64(o, (uint64_t)exp10);
        return;
    }
    if (exp10 < 0) {
        npu__out_text(o, "0.", 2);
        for (int i = -1; i > exp10; i--) npu__out_char(o, '0');
        npu__out_text(o, digits, (size_t)last + 1);
        return;
    }
    for (int i = 0; i <= NPU__MAX(last, exp10); i++) {
        npu__out_char(o, i <= last ? digits[i] : '0');
        if (i == exp10 && last > exp10) npu__out_char(o, '.');
    }
}

#if NPU__HAS_REPORTS
/* In groups of three digits. */
NPU__FN void npu__out_grouped(npu__out *o, int64_t v) {
    const uint64_t size = v < 0 ? 0u - (uint64_t)v : (uint64_t)v;
    uint64_t       unit = 1;
    if (v < 0) npu__out_char(o, '-');
    while (size / unit >= 1000u) unit *= 1000u; /* bounded: six times */
    npu__out_u64(o, size / unit);
    while (unit > 1) {
        uint64_t group = size % unit;
        unit /= 1000u;
        group /= unit;
        npu__out_char(o, ',');
        npu__out_char(o, (char)('0' + (int)(group / 100u)));
        npu__out_char(o, (char)('0' + (int)(group / 10u % 10u)));
        npu__out_char(o, (char)('0' + (int)(group % 10u)));
    }
}

/* To two digits behind the point. */
NPU__FN void npu__out_bytes(npu__out *o, int64_t bytes) {
    static const char *const units[] = {" KiB", " MiB", " GiB", " TiB"};
    double                   v = (double)bytes / 1024;
    int                      k = 0;
    if (bytes < 1024) {
        npu__out_i64(o, bytes);
        npu__out_text(o, " B", 2);
        return;
    }
    for (; v >= 1024 && k < 3; k++) v /= 1024;
    npu__out_double(o, v < 1e13 ? (double)(int64_t)(v * 100 + 0.5) / 100 : v);
    npu__out_text(o, units[k], 4);
}
#endif

NPU__FN size_t npu__vformat(char *out, size_t cap, const char *fmt, va_list args) {
    npu__out o;
    o.p = out; o.cap = cap; o.n = 0;
    for (; *fmt; fmt++) {
        if (*fmt != '%') { npu__out_char(&o, *fmt); continue; }
        fmt++;
        switch (*fmt) {
        case 'd': npu__out_i64(&o, va_arg(args, int)); break;
        case 'u': npu__out_u64(&o, va_arg(args, unsigned)); break;
        case 'l': npu__out_i64(&o, va_arg(args, int64_t)); break;
        case 'z': npu__out_u64(&o, va_arg(args, size_t)); break;
        case 'g': npu__out_double(&o, va_arg(args, double)); break;
#if NPU__HAS_REPORTS
        case 'k': npu__out_grouped(&o, va_arg(args, int64_t)); break;
        case 'b': npu__out_bytes(&o, va_arg(args, int64_t)); break;
#endif
        case 'c': npu__out_char(&o, (char)va_arg(args, int)); break;
        case 's': {
            const char *s = va_arg(args, const char *);
            npu__out_text(&o, s, strlen(s));
            break;
        }
        case 'S': {
            const npu__str *s = va_arg(args, const npu__str *);
            npu__out_text(&o, s->p, s->n);
            break;
        }
        default: npu__out_char(&o, '%'); if (*fmt == 0) fmt--; break;
        }
    }
    if (cap) out[NPU__MIN(o.n, cap - 1)] = 0;
    return o.n;
}

NPU__FN size_t npu__format(char *out, size_t cap, const char *fmt, ...) {
    va_list args;
    size_t  n;
    va_start(args, fmt);
    n = npu__vformat(out, cap, fmt, args);
    va_end(args);
    return n;
}
