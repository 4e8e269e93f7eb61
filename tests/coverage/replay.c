/* Runs a fuzz target on files, and on all files of folders: libFuzzer's part when it only replays. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

/* Custom mutators call it; nothing is mutated here. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most) {
    (void)data;
    (void)most;
    return size;
}

static int replay_file(const char *path) {
    FILE    *f = fopen(path, "rb");
    uint8_t *bytes;
    long     n;
    if (!f || fseek(f, 0, SEEK_END) != 0 || (n = ftell(f)) < 0 || fseek(f, 0, SEEK_SET) != 0) return 1;
    bytes = (uint8_t *)malloc(n ? (size_t)n : 1);
    if (!bytes || fread(bytes, 1, (size_t)n, f) != (size_t)n) return 1;
    fclose(f);
    LLVMFuzzerTestOneInput(bytes, (size_t)n);
    free(bytes);
    return 0;
}

static int replay(const char *path, int depth) {
    struct stat    st;
    struct dirent *e;
    DIR           *d;
    int            bad = 0;
    if (stat(path, &st) != 0) return 1;
    if (!S_ISDIR(st.st_mode)) return replay_file(path);
    if (depth > 0) return 0; /* a folder below is another target's */
    d = opendir(path);
    if (!d) return 1;
    while ((e = readdir(d)) != NULL) {
        char inner[1024];
        if (e->d_name[0] == '.') continue;
        snprintf(inner, sizeof inner, "%s/%s", path, e->d_name);
        bad |= replay(inner, depth + 1);
    }
    closedir(d);
    return bad;
}

int main(int argc, char **argv) {
    int bad = argc < 2;
    for (int i = 1; i < argc; i++) bad |= replay(argv[i], 0);
    return bad;
}
