# npu_rt. `make help` lists the targets. Nothing but a C compiler is needed for build/npu_rt, examples and install.

CC      ?= cc
CXX     ?= c++
CFLAGS  ?= -O2
PYTHON3 ?= python3
PREFIX  ?= /usr/local
DESTDIR ?=
B       := build

export PATH := $(CURDIR)/$(B)/tools/bin:$(PATH)# node, where tests/setup had to bring it

WARNINGS := -Wall -Wextra -Wpedantic

all: $(B)/npu_rt ## build the command line, build/npu_rt (default)

.PHONY: all dev help header wasi web serve examples install uninstall clean
.DELETE_ON_ERROR:

help: ## list the targets
	@sed -n 's/^\([a-z][a-z0-9_-]*\):[^#]*## *\(.*\)$$/  make \1#\2/p' $(MAKEFILE_LIST) | \
	    awk -F'#' '{ printf "%-18s %s\n", $$1, $$2 }'

$(B):
	mkdir -p $@

# ---- the header: made from src/, committed, so Python is needed only by those who change src/ ----------------------

SRC := $(sort $(wildcard $(foreach d,src src/* src/*/* src/*/*/*,$(d)/*.c $(d)/*.h)))

header: npu_rt.h ## make npu_rt.h from src/

npu_rt.h: amalgamate LICENSE $(SRC)
	@if command -v $(PYTHON3) >/dev/null 2>&1; then $(PYTHON3) ./amalgamate; \
	 else echo "note: no $(PYTHON3): keeping npu_rt.h as it is, although src/ looks newer"; fi
	@touch $@

# ---- the command line, natively --------------------------------------------------------------------------------------

CLI_SRC    := $(wildcard wasi/*.c)
CLI_DEPS   := npu_rt.h $(wildcard wasi/*.h) Makefile
CLI_DEFS   := -std=c99 -D_POSIX_C_SOURCE=200809L -D_DEFAULT_SOURCE -I. -DNPU_RT_BACKEND_ALL
CLI_NATIVE := $(CFLAGS) $(WARNINGS) $(CLI_DEFS) -DNPU_RT_THREADS -pthread
CLI_OBJ    := $(CLI_SRC:wasi/%.c=$(B)/cli/%.o)

$(B)/npu_rt: $(CLI_OBJ)
	$(CC) $(CFLAGS) $(LDFLAGS) -pthread $(CLI_OBJ) -lm -o $@

$(B)/cli/%.o: wasi/%.c $(CLI_DEPS)
	@mkdir -p $(@D)
	$(CC) $(CLI_NATIVE) -c $< -o $@

# For the minute between an edit and its effect: src/ as it stands, each source an object of its own (npu_rt.h, made of them,
# and its optimised build are for everybody else). Objects know the headers they were made from.
DEV       := $(B)/dev
DEV_UNIT  := -O0 -g1 $(WARNINGS) -std=c99 -D_POSIX_C_SOURCE=200809L -D_DEFAULT_SOURCE -pthread
DEV_FLAGS := $(DEV_UNIT) -fPIC -DNPU_RT_BACKEND_ALL -DNPU_RT_THREADS
DEV_SRC   := $(filter-out src/npu_rt.c,$(filter %.c,$(SRC))) $(filter-out wasi/npu_rt_impl.c,$(CLI_SRC))
DEV_OBJ   := $(DEV_SRC:%.c=$(DEV)/%.o)

dev: ## build the command line at -O0 into build/dev/npu_rt: seconds after an edit of one source
	@$(MAKE) --no-print-directory $(if $(findstring -j,$(MAKEFLAGS)),,-j"$$(getconf _NPROCESSORS_ONLN 2> /dev/null || echo 2)") $(DEV)/npu_rt

$(DEV)/npu_rt: $(DEV_OBJ)
	$(CC) -pthread $(LDFLAGS) $(DEV_OBJ) -lm -o $@

$(DEV)/libnpu_rt.so: $(filter $(DEV)/src/%,$(DEV_OBJ))
	$(CC) -shared -pthread $(LDFLAGS) $^ -lm -o $@

# What npu_rt.h would be, by the name that programs include it by.
$(DEV)/include/npu_rt.h: Makefile
	@mkdir -p $(@D)
	@printf '#ifdef NPU_RT_IMPLEMENTATION\n#include "../../../src/npu_rt.c"\n#else\n#include "../../../src/npu.h"\n#endif\n' > $@

$(DEV)/unit/%: tests/unit/%.c $(DEV)/include/npu_rt.h
	@mkdir -p $(@D)
	$(CC) $(DEV_UNIT) -I$(DEV)/include -MMD -MP $< -lm -o $@

-include $(wildcard $(DEV)/unit/*.d)

$(DEV)/%.o: %.c $(DEV)/include/npu_rt.h
	@mkdir -p $(@D)
	$(CC) $(DEV_FLAGS) -I$(DEV)/include -MMD -MP -c $< -o $@

-include $(DEV_OBJ:.o=.d)

# ---- the software adapter of MediaTek's NPUs, by the name of the vendor's library ---------------------------------------

neuron-adapter: $(B)/libneuron_adapter.so ## build build/libneuron_adapter.so: what is made for MediaTek's NPUs compiles and runs on this machine

$(B)/libneuron_adapter.so: neuron/libneuron_adapter.c npu_rt.h Makefile | $(B)
	$(CC) $(CFLAGS) $(WARNINGS) -std=gnu99 -I. -fPIC -fvisibility=hidden -shared $(LDFLAGS) $< -lm -o $@

.PHONY: neuron-adapter

# ---- the same under WASI ---------------------------------------------------------------------------------------------
# WASI_SDK_PATH, if set, names an installed wasi-sdk; else Debian's clang-19, lld-19, wasi-libc and compiler-rt are used.

ifdef WASI_SDK_PATH
WASI_CC := $(WASI_SDK_PATH)/bin/clang --target=wasm32-wasi --sysroot=$(WASI_SDK_PATH)/share/wasi-sysroot
else
WASI_CC := clang-19 --target=wasm32-wasi
endif
WASI_SIMD    := -msimd128
WASI_RELAXED := -msimd128 -mrelaxed-simd
# What LLVM does to loops for the sake of registers is no gain in locals of a stack machine: engines make slower code of it, and more.
WASM_PLAIN   := -disable-lftr -disable-machine-licm -enable-pre=false -enable-load-pre=false
WASI_FLAGS   := -O2 -fno-unroll-loops $(addprefix -mllvm ,-disable-lsr $(WASM_PLAIN)) $(WARNINGS) $(CLI_DEFS) -DNPU_RT_WASM_LANES -isystem $(B)/wasi/include
WASI_LINK    := -Wl,-s -Wl,-z,stack-size=1048576
WASI_HELP    := make wasi needs a compiler for WASI: set WASI_SDK_PATH to an installed wasi-sdk, or on Debian \
                apt install clang-19 lld-19 wasi-libc libclang-rt-19-dev-wasm32

wasi: $(B)/npu_rt.wasm $(B)/npu_rt_relaxed.wasm ## build build/npu_rt.wasm and build/npu_rt_relaxed.wasm

# Asks the compiler itself, and gives it stb alone of the host's headers.
$(B)/wasi/ready: Makefile
	@mkdir -p $(B)/wasi/include
	@echo 'int main(void) { return 0; }' > $(B)/wasi/probe.c
	@$(WASI_CC) $(B)/wasi/probe.c -o $(B)/wasi/probe.wasm 2> $(B)/wasi/probe.log || \
	    { cat $(B)/wasi/probe.log >&2; echo "$(WASI_HELP)" >&2; exit 1; }
	@for d in /usr/include/stb /usr/local/include/stb; do \
	    if [ -d $$d ]; then ln -sfn $$d $(B)/wasi/include/stb; break; fi; done
	@touch $@

# Linked apart and without -O: otherwise clang runs whatever wasm-opt is on the PATH, and old ones know no relaxed SIMD.
$(B)/npu_rt.wasm: $(CLI_SRC:wasi/%.c=$(B)/wasi/simd/%.o)
	$(WASI_CC) $(WASI_LINK) $^ -o $@

$(B)/npu_rt_relaxed.wasm: $(CLI_SRC:wasi/%.c=$(B)/wasi/relaxed/%.o)
	$(WASI_CC) $(WASI_LINK) $^ -o $@

$(B)/wasi/simd/%.o: wasi/%.c $(CLI_DEPS) $(B)/wasi/ready
	@mkdir -p $(@D)
	$(WASI_CC) $(WASI_FLAGS) $(WASI_SIMD) -c $< -o $@

$(B)/wasi/relaxed/%.o: wasi/%.c $(CLI_DEPS) $(B)/wasi/ready
	@mkdir -p $(@D)
	$(WASI_CC) $(WASI_FLAGS) $(WASI_RELAXED) -c $< -o $@

# ---- the page: build/web/ --------------------------------------------------------------------------------------------
# Every visitor downloads the module: all is compiled for size but what the sources mark with NPU__SPEED_BEGIN, and the shorter
# index encodings of --compress-relocations save another 5 %. Functions are inlined where they say so, or where that is
# smaller. WASM_PLAIN saves 4 % of what a visitor loads: fewer locals, more alike. -O0 of the linker leaves strings in the order of the sources,
# which compresses better than what it saves by sharing tails. No start files: there is no main and there are no constructors;
# the linker, which would wrap each export in a call of both, leaves that to who exports __wasm_call_ctors.
# WEB_CC=emcc builds the same two modules with Emscripten, without its JavaScript: the page's own loader runs them. What it
# links is small enough as it is. A compiler that does not know relaxed SIMD yet (Emscripten 3.1.6) makes one module only,
# and the loader is content with that.

WEB       := $(B)/web
WEB_CC    ?= $(WASI_CC)
WEB_FILES := $(wildcard web/*.mjs web/*.html web/*.css web/*.svg) \
             $(addprefix examples/digits/,digits_int8.tflite digits_float32.tflite digits_int8_ethos_u55_128.tflite \
             held_out.pgm)
# emcc says the first of these itself, and LLVM wants to hear it once. The order of the sources is the one that they were written in for
# V8's registers; under Wasmtime it costs floats 3 %.
WEB_PLAIN := $(if $(findstring emcc,$(WEB_CC)),,-disable-lsr) $(WASM_PLAIN) -pre-RA-sched=source
WEB_FLAGS := -O2 -fno-unroll-loops -fno-vectorize -mllvm -inline-threshold=-25 $(addprefix -mllvm ,$(WEB_PLAIN)) -std=gnu11 $(WARNINGS) \
             -Wno-pragma-clang-attribute -I. -Iweb -mbulk-memory -mnontrapping-fptoint -msign-ext
ifneq (,$(findstring emcc,$(WEB_CC)))
WEB_LINK  := -O2 -mbulk-memory -mnontrapping-fptoint -msign-ext -msimd128 --no-entry -s STANDALONE_WASM \
             -s ALLOW_MEMORY_GROWTH -s MAXIMUM_MEMORY=4GB -s TOTAL_STACK=1048576 \
             -s ERROR_ON_UNDEFINED_SYMBOLS=0 -s WARN_ON_UNDEFINED_SYMBOLS=0
WEB_HELP  := make web WEB_CC=emcc needs Emscripten: install emsdk, or on Debian apt install emscripten
else
WEB_LINK  := -nostartfiles -Wl,--no-entry -Wl,-s -Wl,-O0 -Wl,--compress-relocations -Wl,--export=__wasm_call_ctors \
             -Wl,-z,stack-size=1048576 -Wl,--stack-first
WEB_HELP  := $(WASI_HELP)
WEB_READY := $(B)/wasi/ready
endif
WEB_PORT  := 8080

# Both modules again with threads: workers of JavaScript's run one of them on one memory (web/threads.mjs), whose first 2 MB it asks
# for. The C library was compiled without threads in mind; what is linked of it keeps no state but errno.
WEB_THREADS      := -matomics
WEB_THREADS_LINK := -Wl,--shared-memory -Wl,--no-check-features -Wl,--import-memory -Wl,--export-memory \
                    -Wl,--initial-memory=2097152 -Wl,--max-memory=4294967296 -Wl,--export=__stack_pointer
ESBUILD   := node_modules/.bin/esbuild
WEB_MIN   := $(if $(wildcard $(ESBUILD)),$(WEB)/npu_rt.min.mjs,$(WEB)/.min)

web: $(WEB)/npu_rt.wasm $(WEB)/.relaxed $(WEB)/.threads $(WEB)/.files $(WEB_MIN) $(WEB)/.layout $(WEB)/sw.js ## build the page and the ES module into build/web/ (WEB_CC=emcc: with Emscripten)

serve: web ## show the page at http://localhost:8080 (this machine only; WEB_PORT=N for another port)
	node $(WEB)/serve.mjs --port $(WEB_PORT)

$(WEB)/.files: $(WEB_FILES) $(WEB)/border.mjs Makefile
	@mkdir -p $(WEB)
	cp $(WEB_FILES) $(WEB)/
	@touch $@

# The ES module and all it imports as one file, which a page has sooner than twenty.
$(WEB)/npu_rt.min.mjs: $(WEB)/.files package.json
	$(ESBUILD) $(WEB)/npu_rt.mjs --bundle --minify --format=esm --target=es2022 '--external:node:*' --log-level=warning --outfile=$@

$(WEB)/.min: $(WEB)/.files
	@echo "note: no $(ESBUILD): no npu_rt.min.mjs (npm ci)"
	@touch $@

# The library that lays out the page's drawing of a graph (npm ci), with its licence. Without it the page says so there.
DAGRE := node_modules/@dagrejs/dagre/dist/dagre.esm.js

$(WEB)/.layout: $(wildcard $(DAGRE)) package.json Makefile
	@mkdir -p $(WEB)
	@if [ -f $(DAGRE) ]; then \
	    { cat $(DAGRE).LEGAL.txt; sed '/^\/\/# sourceMappingURL/d; /^\/\*! For license/d' $(DAGRE); } > $(WEB)/dagre.mjs; \
	 else echo "note: no $(DAGRE): the page will not draw graphs (npm ci)"; rm -f $(WEB)/dagre.mjs; fi
	@touch $@

# The service worker knows every file of the page by the hash of its content: another build is another version.
WEB_KEPT := $(filter-out serve.mjs,$(notdir $(WEB_FILES))) border.mjs *.wasm $$(ls dagre.mjs 2>/dev/null)
SHA256   := { command -v sha256sum > /dev/null && sha256sum "$$@" || shasum -a 256 "$$@"; }

$(WEB)/sw.js: web/sw.js $(WEB)/.files $(WEB)/.layout $(WEB)/npu_rt.wasm $(WEB)/.relaxed $(WEB)/.threads
	{ echo 'const FILES = {'; \
	  (cd $(WEB) && set -- $(WEB_KEPT) && $(SHA256)) | sed 's/^\([0-9a-f]*\) [ *]\(.*\)$$/    "\2": "\1",/'; \
	  echo '};'; cat web/sw.js; } > $@

# What crosses between the module and JavaScript: web/border.h, written down as JavaScript by the preprocessor. In border.in,
# all before the line BORDER BEGINS is C.
$(WEB)/border.mjs: web/border.in web/border.h npu_rt.h $(WEB)/.o/compiler
	@mkdir -p $(@D)
	$(WEB_CC) -E -P -x c -I. web/border.in > $(WEB)/.o/border.out
	{ echo '// Made from web/border.h by make web.'; sed '1,/^BORDER BEGINS/d' $(WEB)/.o/border.out; } > $@

# Holds the compiler's name: another WEB_CC builds anew. Says what is missing before anything else does.
$(WEB)/.o/compiler: web-compiler $(WEB_READY)
	@mkdir -p $(@D)
	@echo 'int f(int x) { return x; }' > $(@D)/probe.c
	@[ "$$(cat $@ 2>/dev/null)" = "$(WEB_CC)" ] || \
	    { $(WEB_CC) -c $(@D)/probe.c -o $(@D)/probe.o 2> $(@D)/probe.log || \
	      { cat $(@D)/probe.log >&2; echo "$(WEB_HELP)" >&2; exit 1; }; echo "$(WEB_CC)" > $@; }

WEB_DEPS := web/module.c web/border.h web/heap.h web/user_ops.h wasi/seed.h npu_rt.h $(WEB)/.o/compiler Makefile

$(WEB)/npu_rt.wasm: $(WEB_DEPS)
	$(WEB_CC) $(WEB_FLAGS) $(WASI_SIMD) -c $< -o $(WEB)/.o/simd.o
	$(WEB_CC) $(WEB_LINK) $(WEB)/.o/simd.o -o $@

$(WEB)/.relaxed: $(WEB_DEPS)
	@printf '#include <wasm_simd128.h>\nv128_t f(v128_t a) { return wasm_f32x4_relaxed_madd(a, a, a); }\n' > $(WEB)/.o/relaxed.c
	@if $(WEB_CC) -Werror=implicit-function-declaration $(WASI_RELAXED) -c $(WEB)/.o/relaxed.c -o $(WEB)/.o/relaxed.o \
	    2> $(WEB)/.o/relaxed.log; then set -e; \
	    $(WEB_CC) $(WEB_FLAGS) $(WASI_RELAXED) -c $< -o $(WEB)/.o/relaxed.o; \
	    $(WEB_CC) $(WEB_LINK) $(WEB)/.o/relaxed.o -o $(WEB)/npu_rt_relaxed.wasm; \
	 else echo "note: $(WEB_CC) knows no relaxed SIMD: no npu_rt_relaxed.wasm"; rm -f $(WEB)/npu_rt_relaxed.wasm; fi
	@touch $@

$(WEB)/.threads: $(WEB_DEPS)
ifneq (,$(findstring emcc,$(WEB_CC)))
	@echo "note: $(WEB_CC) makes no modules for threads"; rm -f $(WEB)/npu_rt_threads*.wasm
else
	$(WEB_CC) $(WEB_FLAGS) $(WEB_THREADS) $(WASI_SIMD) -c $< -o $(WEB)/.o/threads.o
	$(WEB_CC) $(WEB_LINK) $(WEB_THREADS_LINK) $(WEB)/.o/threads.o -o $(WEB)/npu_rt_threads.wasm
	$(WEB_CC) $(WEB_FLAGS) $(WEB_THREADS) $(WASI_RELAXED) -c $< -o $(WEB)/.o/threads_relaxed.o
	$(WEB_CC) $(WEB_LINK) $(WEB_THREADS_LINK) $(WEB)/.o/threads_relaxed.o -o $(WEB)/npu_rt_threads_relaxed.wasm
endif
	@touch $@

# The npm package: build/npm/, and as a tarball. TypeScript (npm ci) makes the declarations.
npm: $(B)/npm/.packed ## pack the npm package, build/npu_rt-VERSION.tgz (its files: build/npm/)

$(B)/npm/.packed: $(WEB)/npu_rt.wasm $(WEB)/.relaxed $(WEB)/.threads $(WEB)/.files $(WEB_MIN) $(wildcard web/package/*) package.json LICENSE
	@[ -x node_modules/.bin/tsc ] && [ -x $(ESBUILD) ] || { echo "make npm needs TypeScript and esbuild: npm ci" >&2; exit 1; }
	node web/package/make.mjs $(WEB) $(B)/npm
	npm pack --silent --pack-destination $(B) ./$(B)/npm
	@touch $@

.PHONY: web-compiler npm

# ---- examples --------------------------------------------------------------------------------------------------------

EXAMPLES := $(addprefix $(B)/examples/,drop_in drop_in_cpp static_arena two_units custom_allocator)

examples: $(EXAMPLES) ## build the examples into build/examples/

$(EXAMPLES): npu_rt.h Makefile | $(B)/examples
$(B)/examples:
	mkdir -p $@

$(B)/examples/%: examples/%.c
	$(CC) $(CFLAGS) $(WARNINGS) -std=c99 -I. $< -lm -o $@

$(B)/examples/drop_in_cpp: examples/drop_in.cpp
	$(CXX) $(CFLAGS) $(WARNINGS) -std=c++11 -I. $< -lm -o $@

$(B)/examples/two_units: examples/two_units_a.c examples/two_units_b.c
	$(CC) $(CFLAGS) $(WARNINGS) -std=c99 -I. $(filter %.c,$^) -lm -o $@

demo: $(B)/npu_rt $(B)/digits ## recognise handwritten digits; needs nothing but a C compiler
	@$(B)/digits examples/digits

$(B)/digits: examples/digits/digits.c npu_rt.h Makefile
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(WARNINGS) -std=c99 -I. $< -lm -o $@

.PHONY: demo

# ---- tests -----------------------------------------------------------------------------------------------------------

# TEST_FLAGS="--only unit --seed 7"; tests/run --help lists the options.
test: setup ## set up what is missing and run every test (tests/run --list shows the layers)
	tests/run --no-setup $(TEST_FLAGS)

sweep: setup ## the same, every sample complete: all seeds, instruction sets and accelerators
	tests/run --no-setup --sweep $(TEST_FLAGS)

setup: ## install what the tests need; says what it does, touches nothing that is there
	@tests/setup

# FRESH_FLAGS="--only unit"; tests/fresh --help lists the options.
fresh: ## README's commands on a Debian that has nothing else, made for it (root); build/fresh/passed holds the commit
	tests/fresh $(FRESH_FLAGS)

docs: setup $(B)/npu_rt ## renew the generated parts of README.md
	$(B)/tools/venv/bin/python tests/docs.py --write

coverage: setup $(B)/npu_rt ## say which lines, branches and conditions of src/ the tests reach, per folder; build/coverage/html
	$(B)/tools/venv/bin/python tests/coverage/coverage.py --write-readme

# FUZZ_FLAGS="--target run,stream --go-on"; tests/fuzz/fuzz.py --help lists the options.
fuzz: setup npu_rt.h ## fuzz every target for five minutes each
	$(B)/tools/venv/bin/python tests/fuzz/fuzz.py --seconds 300 $(FUZZ_FLAGS)

mutants: setup $(B)/npu_rt ## 100,000 damaged models through the command line
	$(B)/tools/venv/bin/python tests/hostile/mutants.py --count 100000

.PHONY: test sweep setup fresh docs coverage fuzz mutants

# ---- benchmarks ------------------------------------------------------------------------------------------------------
# make bench BENCH_FLAGS="--quick --only mobilenet"; tests/bench/bench.py --help lists the options.

bench: setup ## time every network against LiteRT, natively, and under wasmtime and node
	$(MAKE) $(B)/npu_rt wasi web # not prerequisites: they need what setup brings
	$(B)/tools/venv/bin/python tests/bench/bench.py $(BENCH_FLAGS)

bench-ethosu: setup ## time the software Ethos-U on networks that Vela compiles now
	$(MAKE) $(B)/npu_rt wasi web # not prerequisites: they need what setup brings
	$(B)/tools/venv/bin/python tests/bench/bench_ethosu.py $(BENCH_FLAGS)

# Networks that Keras builds: for those who look for what is slow where nobody looked. TensorFlow, 700 MB, has an environment of its own.
KERAS := $(B)/tools/keras
bench-keras: setup ## time networks that Keras builds (BENCH_FLAGS="--quick" is enough to see what is slow)
	$(MAKE) $(KERAS)/.done $(B)/npu_rt wasi web # not prerequisites: they need what setup brings
	$(KERAS)/bin/python tests/bench/keras_networks.py $(B)/bench/keras
	$(B)/tools/venv/bin/python tests/bench/bench.py --models $(B)/bench/keras $(BENCH_FLAGS)

# Networks of PyTorch likewise. Its environment takes 7 GB: there is no PyTorch on PyPI without CUDA's libraries.
TORCH := $(B)/tools/torch
bench-torch: setup ## time networks of PyTorch
	$(MAKE) $(TORCH)/.done $(B)/npu_rt wasi web # not prerequisites: they need what setup brings
	$(TORCH)/bin/python tests/bench/torch_networks.py $(B)/bench/torch
	$(B)/tools/venv/bin/python tests/bench/bench.py --models $(B)/bench/torch $(BENCH_FLAGS)

$(KERAS)/.done $(TORCH)/.done: $(B)/tools/%/.done: tests/requirements-%.txt
	$(B)/tools/venv/bin/python -m venv $(@D)
	$(@D)/bin/python -m pip install --quiet --disable-pip-version-check -r $<
	@touch $@

# BENCH_FLAGS="--only mobilenet"; the head of tests/bench/browser.mjs has the options.
bench-browser: setup ## time every network in Chromium against tfjs-tflite and LiteRT.js
	$(MAKE) $(B)/npu_rt web $(B)/bench/.peers # not prerequisites: they need what setup brings
	node tests/bench/browser.mjs $(BENCH_FLAGS)

$(B)/bench/.peers: tests/bench/peers/package.json tests/bench/peers/package-lock.json
	@mkdir -p $(@D)
	cp tests/bench/peers/package.json tests/bench/peers/package-lock.json tests/bench/peers/.npmrc $(@D)/
	npm ci --prefix $(@D) --ignore-scripts --silent --no-audit --no-fund
	mkdir -p $(@D)/litert && cp -r $(@D)/node_modules/@litertjs/core/wasm $(@D)/litert/
	node_modules/.bin/esbuild $(@D)/node_modules/@litertjs/core/dist/index.js --bundle --format=esm --log-level=error \
	    --outfile=$(@D)/litert/index.mjs
	@touch $@

.PHONY: bench bench-browser bench-ethosu bench-keras bench-torch

# ---- install ---------------------------------------------------------------------------------------------------------

install: $(B)/npu_rt ## install the header and the command line under PREFIX
	install -d $(DESTDIR)$(PREFIX)/include $(DESTDIR)$(PREFIX)/bin
	install -m 644 npu_rt.h $(DESTDIR)$(PREFIX)/include/npu_rt.h
	install -m 755 $(B)/npu_rt $(DESTDIR)$(PREFIX)/bin/npu_rt

uninstall: ## remove what install put there
	rm -f $(DESTDIR)$(PREFIX)/include/npu_rt.h $(DESTDIR)$(PREFIX)/bin/npu_rt

clean: ## remove build/
	rm -rf $(B)
