#!/usr/bin/env python3
"""`npu_rt info --ops-define`: a program built with the printed lines, and with nothing else of the header's operators, runs just
these networks; the bytes it prints are those of a program with all operators. Custom operators, subgraphs that others call and
networks compiled by Vela included. And what is left for a Cortex-M4: code size by model, one line each.

    only_ops.py [--command build/npu_rt] [--sample SEED]

--sample takes a third of the programs and of the models."""

import argparse
import concurrent.futures
import os
import shlex
import shutil
import subprocess
import sys
import tempfile

REPO = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(REPO, "tests", "conformance"))
from runner import Score  # noqa: E402
from sample import Sample, add_option  # noqa: E402

SHARED = os.path.join(REPO, "..", "shared", "models")
DIGITS = os.path.join(REPO, "examples", "digits")
# Programs by the models they are for. The last column: a network that must not run in that program.
PROGRAMS = [
    (["digits_int8", "hello_world_int8"], "micro_speech_quantized"),
    (["audio_preprocessor_int8", "micro_speech_quantized"], "trained_lstm_int8"),  # Signal* operators
    (["coco_ssd_mobilenet_v1_1.0_quant_2018_06_29"], "hello_world_int8"),  # TFLite_Detection_PostProcess
    (["mww_v2_okay_nabu"], "audio_preprocessor_int8"),  # CALL_ONCE, resource variables
    (["person_detect_vela", "digits_int8_ethos_u55_128"], "digits_int8"),  # ethos-u
    (["trained_lstm_int8", "keyword_scrambled_8bit"], "digits_float32"),
]
FIRMWARE = [
    "hello_world_int8",
    "digits_int8",
    "micro_speech_quantized",
    "audio_preprocessor_int8",
    "mww_v2_okay_nabu",
    "person_detect",
    "person_detect_vela",
]
PROGRAM = r"""
#define NPU_RT_IMPLEMENTATION
#define NPU_RT_STATIC
%s
#include "npu_rt.h"
#include <stdio.h>
static unsigned char file[64 << 20];
int main(int argc, char **argv) { /* every output's bytes after two runs on inputs of a pattern */
    npu_model *model; npu_plan *plan; npu_session *session;
    npu_diag diag;
    npu_tensor t;
    FILE *f = argc == 2 ? fopen(argv[1], "rb") : NULL;
    size_t n = f ? fread(file, 1, sizeof file, f) : 0;
    if (!n) return 9;
    if (npu_model_open(&model, file, n, NULL, &diag) || npu_plan_create(&plan, model, NULL, &diag) ||
        npu_session_create(&session, plan, NULL, &diag)) { fprintf(stderr, "%%s %%s\n", diag.rule, diag.op_name); return diag.status; }
    for (int run = 0; run < 2; run++) {
        for (int i = 0; npu_session_input(session, i, &t) == NPU_OK; i++)
            for (size_t k = 0; k < t.bytes; k++) ((uint8_t *)t.data)[k] = t.type == NPU_FLOAT32 ? 0 : (uint8_t)(k %% 7);
        if (npu_session_invoke(session, &diag)) { fprintf(stderr, "%%s %%s\n", diag.rule, diag.op_name); return diag.status; }
        for (int i = 0; npu_session_output(session, i, &t) == NPU_OK; i++) fwrite(t.data, 1, t.bytes, stdout);
    }
    return 0;
}
"""
# A call of everything that firmware needs; without the model.
CHIP = r"""
%s
#define NPU_RT_NO_MALLOC
#define NPU_RT_NO_STRINGS
#define NPU_RT_NO_REPORTS
#define NPU_RT_NO_PROFILE
#define NPU_RT_NO_SIMD
#define NPU_RT_NO_SOFTWARE_DEVICE
#define NPU_RT_ASSERT(x) ((void)(x))
#define NPU_RT_STATIC
#define NPU_RT_IMPLEMENTATION
#include "npu_rt.h"
npu_status classify(const void *model, size_t n, npu_allocator a, const npu_ethosu_driver *npu, const float *in, float *out);
npu_status classify(const void *model, size_t n, npu_allocator a, const npu_ethosu_driver *npu, const float *in, float *out) {
    npu_model_desc md; npu_plan_desc pd; npu_session_desc sd;
    npu_model *m; npu_plan *p; npu_session *s; npu_tensor t;
    npu_status status;
    memset(&md, 0, sizeof md); memset(&pd, 0, sizeof pd); memset(&sd, 0, sizeof sd);
    md.allocator = pd.allocator = sd.allocator = a;
    sd.ethosu = npu;
    if ((status = npu_model_open(&m, model, n, &md, NULL)) || (status = npu_plan_create(&p, m, &pd, NULL)) ||
        (status = npu_session_create(&s, p, &sd, NULL)) || (status = npu_session_input(s, 0, &t)) ||
        (status = npu_tensor_quantize(&t, in, t.bytes, NULL)) || (status = npu_session_invoke(s, NULL)) ||
        (status = npu_session_output(s, 0, &t))) return status;
    return npu_tensor_dequantize(&t, out, t.bytes, NULL);
}
"""


def path_of(name):
    own = os.path.join(DIGITS, name + ".tflite")
    return own if os.path.exists(own) else os.path.join(SHARED, name + ".tflite")


def execute(*command):
    return subprocess.run([str(c) for c in command], capture_output=True, timeout=900)


def compile_program(folder, name, defines, cc="gcc"):
    source, program = os.path.join(folder, name + ".c"), os.path.join(folder, name)
    with open(source, "w") as f:
        f.write(PROGRAM % defines)
    p = execute(
        cc,
        "-std=c99",
        "-O1",
        "-Wall",
        "-Wextra",
        "-Wpedantic",
        "-Wconversion",
        "-Wshadow",
        "-Werror",
        "-I",
        REPO,
        source,
        "-lm",
        "-o",
        program,
    )
    return program if p.returncode == 0 else p.stderr.decode()[-600:]


def check_programs(score, command, folder, sample):
    def defines(models):
        p = execute(*command, "info", "--ops-define", *map(path_of, models))
        return p.stdout.decode() if p.returncode == 0 else "#error " + p.stderr.decode()

    todo = []
    for i, (models, other) in enumerate(sample.pick("programs", PROGRAMS, len(PROGRAMS) // 3)):
        have = [m for m in models if os.path.exists(path_of(m))]
        if have == models:
            todo.append((models, other, "p%d" % i, defines(models)))
        else:
            score.skip("a program for " + ", ".join(models), "no ../shared")
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        whole, *programs = pool.map(
            lambda t: compile_program(folder, *t), [("whole", "#define NPU_RT_BACKEND_ALL")] + [t[2:] for t in todo]
        )
    for (models, other, _, define), program in zip(todo, programs):
        label = ", ".join(models)
        score.check(label + ": compiles", None if os.path.exists(program) else program)
        if not os.path.exists(program):
            continue
        for m in models:
            want, got = execute(whole, path_of(m)), execute(program, path_of(m))
            problem = None if want.returncode == 0 and want.stdout else "the whole program fails: %s" % want.stderr
            if problem is None and (got.returncode != 0 or got.stdout != want.stdout):
                problem = "exit %d, %s, or other bytes" % (got.returncode, got.stderr)
            score.check("%s: runs %s" % (label, m), problem)
        if os.path.exists(path_of(other)):
            p = execute(program, path_of(other))
            score.check(
                "%s: not %s" % (label, other),
                None if p.returncode == 4 and b"op.unknown" in p.stderr else "exit %d %s" % (p.returncode, p.stderr),
            )
        sizes = [os.path.getsize(x) for x in (program, whole)]
        score.check(label + ": is smaller", None if sizes[0] < 0.7 * sizes[1] else "%d of %d bytes" % tuple(sizes))


def print_sizes(score, command, folder, sample):
    if not shutil.which("arm-none-eabi-gcc"):
        score.skip("firmware sizes", "no arm-none-eabi-gcc")
        return
    flags = [
        "-mcpu=cortex-m4",
        "-mthumb",
        "-mfloat-abi=hard",
        "-mfpu=fpv4-sp-d16",
        "-std=c99",
        "-Os",
        "-ffunction-sections",
        "-fdata-sections",
        "-Wall",
        "-Wextra",
        "-Wconversion",
        "-Wshadow",
        "-Werror",
    ]
    sizes = {}
    for m in sample.pick("firmware", FIRMWARE, len(FIRMWARE) // 3) + ["all operators"]:
        if m != "all operators" and not os.path.exists(path_of(m)):
            score.skip("firmware size of " + m, "no ../shared")
            continue
        define = "" if m == "all operators" else execute(*command, "info", "--ops-define", path_of(m)).stdout.decode()
        source = os.path.join(folder, "chip.c")
        with open(source, "w") as f:
            f.write(CHIP % define)
        p = execute("arm-none-eabi-gcc", *flags, "-I", REPO, "-c", source, "-o", source[:-1] + "o")
        score.check("Cortex-M4 %s: compiles" % m, None if p.returncode == 0 else p.stderr.decode()[-600:])
        if p.returncode == 0:
            text, data, bss = execute("arm-none-eabi-size", source[:-1] + "o").stdout.split(b"\n")[1].split()[:3]
            sizes[m] = int(text)
            print("  Cortex-M4, operators of %s: %d bytes of code and constants" % (m, int(text)))
            score.check(
                "Cortex-M4 %s: no writable data" % m, None if int(data) == int(bss) == 0 else "%s %s" % (data, bss)
            )
    whole = sizes.pop("all operators", 0)
    score.check("each is smaller than all", None if all(s < whole / 2 for s in sizes.values()) else str((sizes, whole)))


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--command", default=os.path.join(REPO, "build", "npu_rt"))
    add_option(p)
    a = p.parse_args()
    score, sample = Score("only the operators of a model"), Sample(a.sample)
    with tempfile.TemporaryDirectory(prefix="npu_rt_only_") as folder:
        check_programs(score, shlex.split(a.command), folder, sample)
        print_sizes(score, shlex.split(a.command), folder, sample)
    sample.report("only the operators of a model", "programs and firmware")
    return score.close()


if __name__ == "__main__":
    sys.exit(main())
