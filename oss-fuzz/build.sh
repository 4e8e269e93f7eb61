#!/bin/bash -eu
# Builds every target of tests/fuzz/fuzz.py into $OUT, by OSS-Fuzz's conventions: CC, CXX, CFLAGS, CXXFLAGS and
# LIB_FUZZING_ENGINE come from outside. Beside each target: its seeds, the dictionary, its options.
# tests/run --only oss_fuzz runs this file with clang-19. PYTHON names another Python than python3; with SAMPLE, a word, some of the
# targets that take long to build are left out.
cd "$(dirname "$0")"
[ -d ../tests/fuzz ] || cd "$SRC/npu_rt/oss-fuzz"
REPO=$(cd .. && pwd)
FUZZ=$REPO/tests/fuzz
PYTHON=${PYTHON:-python3}
WORK=${WORK:-$(mktemp -d)}
mkdir -p "$WORK" "$OUT"
STD="-std=c99 -D_POSIX_C_SOURCE=200809L -pthread -I $REPO"

# The mutator without instrumentation: what it does is no coverage. The library once, for all that use it as callers do.
$CC $STD -O2 -c "$FUZZ/mutate.c" -o "$WORK/mutate.o"
$CC $CFLAGS $STD -c "$FUZZ/library.c" -o "$WORK/library.o"
"$PYTHON" "$FUZZ/seeds.py" "$WORK/seeds"

"$PYTHON" "$FUZZ/fuzz.py" --list --sample "${SAMPLE:-}" | while IFS=$'\t' read -r name source seeds flags; do
    parts="$WORK/mutate.o"
    [ "$source" != fuzz_model.c ] || parts="$parts $WORK/library.o"
    $CC $CFLAGS $STD $flags -c "$FUZZ/$source" -o "$WORK/$name.o"
    $CXX ${CXXFLAGS:-$CFLAGS} "$WORK/$name.o" $parts $LIB_FUZZING_ENGINE -pthread -lm -o "$OUT/fuzz_$name"
    corpus=("$WORK/seeds/$seeds" "$FUZZ/corpus/$seeds")
    files=()
    for folder in "${corpus[@]}"; do [ ! -d "$folder" ] || files+=("$folder"/*); done
    "$PYTHON" -m zipfile -c "$OUT/fuzz_${name}_seed_corpus.zip" "${files[@]}"
    cp "$WORK/seeds/tflite.dict" "$OUT/fuzz_$name.dict"
    printf '[libfuzzer]\nmax_len = 65536\ntimeout = 20\nrss_limit_mb = 2048\ndict = fuzz_%s.dict\n' "$name" > "$OUT/fuzz_$name.options"
done
