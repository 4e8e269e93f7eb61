/* The mutator as a program:
 *
 *     mutate SEED EDITS IN.tflite OUT.tflite [OTHER.tflite]     one mutant
 *     mutate --many FIRST_SEED COUNT FOLDER IN.tflite...        FOLDER/SEED.tflite, each from one IN and parts of another
 *
 * EDITS 0 writes the file as it was read. */
#include <stdio.h>

typedef struct file {
    uint8_t *p;
    size_t   n;
} file;

static file read_file(const char *path) {
    file  f = {NULL, 0};
    FILE *in = fopen(path, "rb");
    long  size;
    if (in && fseek(in, 0, SEEK_END) == 0 && (size = ftell(in)) >= 0 && fseek(in, 0, SEEK_SET) == 0) {
        f.p = (uint8_t *)malloc((size_t)size + 1);
        if (f.p && fread(f.p, 1, (size_t)size, in) == (size_t)size) f.n = (size_t)size;
    }
    if (in) fclose(in);
    if (f.n == 0) {
        fprintf(stderr, "mutate: cannot read %s\n", path);
        exit(1);
    }
    return f;
}

static void write_mutant(const char *path, file in, file other, uint64_t seed, uint32_t edits) {
    size_t   cap = 2 * in.n + 2 * other.n + 65536, n;
    uint8_t *out = (uint8_t *)malloc(cap);
    FILE    *to = fopen(path, "wb");
    if (!out || !to) exit(1);
    n = mutate_file(in.p, in.n, other.p, other.n, out, cap, seed, edits);
    if (n == 0) { /* no model, or no room: some bytes of it change */
        tree t;
        memset(&t, 0, sizeof t);
        t.rng = seed;
        memcpy(out, in.p, n = in.n);
        while (edits--) out[pick(&t, n)] = (uint8_t)pick(&t, 256);
    }
    if (fwrite(out, 1, n, to) != n || fclose(to) != 0) exit(1);
    free(out);
}

static int many(uint64_t seed, uint64_t count, const char *folder, int n, char **paths) {
    file *files = (file *)calloc((size_t)n, sizeof *files);
    if (!files) return 1;
    for (int i = 0; i < n; i++) files[i] = read_file(paths[i]);
    for (uint64_t end = seed + count; seed < end; seed++) {
        tree     t;
        char     path[1024];
        file     other = {NULL, 0};
        uint32_t edits = 1;
        int      i;
        memset(&t, 0, sizeof t);
        t.rng = seed * 0x2545F4914F6CDD1Du;
        i = (int)pick(&t, (uint64_t)n);
        if (once_in(&t, 6)) other = files[pick(&t, (uint64_t)n)];
        while (edits < 8 && once_in(&t, 2)) edits++;
        snprintf(path, sizeof path, "%s/%llu.tflite", folder, (unsigned long long)seed);
        write_mutant(path, files[i], other, random_bits(&t), edits);
    }
    for (int i = 0; i < n; i++) free(files[i].p);
    free(files);
    return 0;
}

int main(int argc, char **argv) {
    file in, other = {NULL, 0};
    if (argc >= 6 && strcmp(argv[1], "--many") == 0) {
        return many(strtoull(argv[2], NULL, 10), strtoull(argv[3], NULL, 10), argv[4], argc - 5, argv + 5);
    }
    if (argc != 5 && argc != 6) {
        fprintf(stderr, "usage: mutate SEED EDITS IN OUT [OTHER]\n       mutate --many FIRST_SEED COUNT FOLDER IN...\n");
        return 2;
    }
    in = read_file(argv[3]);
    if (argc == 6) other = read_file(argv[5]);
    write_mutant(argv[4], in, other, strtoull(argv[1], NULL, 10), (uint32_t)strtoul(argv[2], NULL, 10));
    free(in.p);
    free(other.p);
    return 0;
}
