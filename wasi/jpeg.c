/* Huffman tables of a JPEG file, before stb_image sees them: versions of it that are in use (Debian bookworm's) write past
 * their memory when the counts of a table sum up to more than 256 symbols. */
#include "media.h"

/* Start of a table: class and number in one byte, then how many symbols have codes of 1, 2, ..., 16 bits. Past the end of
 * the file stb_image reads zeros. Returns how many bytes the table takes; 0 where decoding stops by itself; -1: too many. */
static long table_bytes(const uint8_t *p, size_t n, size_t at) {
    long symbols = 0;
    int  i;
    if (at >= n || p[at] >> 4 > 1 || (p[at] & 15) > 3) return 0;
    for (i = 1; i <= 16; i++)
        if (at + (size_t)i < n) symbols += p[at + (size_t)i];
    return symbols > 256 ? -1 : 17 + symbols;
}

/* Application data and comments at the front: a marker, then a length that counts itself. They may hold anything. */
static size_t skip_front(const uint8_t *p, size_t n) {
    size_t i = 1;
    while (i < n && p[i] == 0xFF) i++; /* a marker may be preceded by any number of these */
    i++;                               /* D8 */
    while (i + 4 <= n && p[i] == 0xFF && ((p[i + 1] & 0xF0) == 0xE0 || p[i + 1] == 0xFE)) {
        size_t bytes = (size_t)p[i + 2] << 8 | p[i + 3];
        if (bytes < 2) return i;
        i += 2 + bytes;
    }
    return i < n ? i : n;
}

/* Wherever the marker of tables stands, whether or not a decoder would come by. Of the tables that many such markers share,
 * each may count again: a file has at most a few dozen, so what asks for more than its bytes would hold is refused too. */
const char *jpeg_refused(const uint8_t *p, size_t n) {
    size_t i, steps = 0, at, end;
    long   bytes;
    if (n < 4 || p[0] != 0xFF) return NULL;
    for (i = skip_front(p, n); i + 4 <= n; i++) {
        if (p[i] != 0xFF || p[i + 1] != 0xC4) continue;
        end = i + 2 + ((size_t)p[i + 2] << 8 | p[i + 3]);
        for (at = i + 4; at < end; at += (size_t)bytes) {
            bytes = table_bytes(p, n, at);
            if (bytes < 0) return "one of its Huffman tables has more than 256 symbols";
            if (bytes == 0) break;
            if (++steps > n / 17 + 64) return "it has more Huffman tables than it can hold";
        }
    }
    return NULL;
}
