"""Vela, the vendor's compiler, as the tests use it: many models at once, each in a process of its own.

    vela = Vela()                                   # raises VelaMissing, whose text says what to do
    for request, result in vela.compile([Request("add", model_bytes, "ethos-u55-128"), ...]):
        result.path                                 # the compiled file, or None and result.why
        result.log, result.refused                  # what Vela said; the operators that it left to the CPU

Starting Vela costs more than compiling a small network. So its Python starts once, and every compilation is a fork of
that process: nothing is shared between two of them, and a crash or a hang ends one model only. Results are kept in a
folder under the hash of what went in; fresh=True compiles again."""

import collections
import gc
import hashlib
import json
import os
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

REPO = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CONFIGS = ["ethos-u55-32", "ethos-u55-64", "ethos-u55-128", "ethos-u55-256", "ethos-u65-256", "ethos-u65-512"]
MEMORY_LIMIT = 8 << 30
REFUSED = re.compile(r"^Warning \(supported operators\) operator: (.+?), ofm: '(.*)'\nReason: (.*)$", re.M)

Request = collections.namedtuple("Request", "name model config options", defaults=((),))  # model: bytes


class VelaMissing(Exception):
    pass


class Result:
    """path: the compiled file, None when there is none; why: one line, then."""

    def __init__(self, path, header, log):
        self.path = path if header["ok"] else None
        self.why, self.late, self.seconds = header["why"], header["late"], header["seconds"]
        self.log = log

    @property
    def refused(self):
        """(operator, name of its output, first line of the reason) of everything left to the CPU, in Vela's order."""
        return REFUSED.findall(self.log)


def find():
    """(Vela's program, the Python that runs it)."""
    vela = os.environ.get("VELA") or os.path.join(REPO, "build", "tools", "vela", "bin", "vela")
    if not os.access(vela, os.X_OK):
        raise VelaMissing("no Vela at %s: run tests/setup, or let VELA name the program" % vela)
    beside = os.path.join(os.path.dirname(vela), "python")
    if os.access(beside, os.X_OK):
        return vela, beside
    with open(vela, "rb") as f:
        line = f.readline(4096).decode(errors="replace").strip()
    python = shlex.split(line[2:])[-1:] if line.startswith("#!") else []
    if not python or not os.access(python[0], os.X_OK):
        raise VelaMissing("%s does not say which Python runs it" % vela)
    return vela, python[0]


class Vela:
    def __init__(self, jobs=None, folder=None, fresh=False, timeout=180):
        self.program, self.python = find()
        self.jobs, self.fresh, self.timeout = jobs or os.cpu_count() or 1, fresh, timeout
        self.folder = folder or os.path.join(REPO, "build", "test", "vela")
        about = subprocess.run(
            [self.python, os.path.abspath(__file__), "about"], capture_output=True, text=True, timeout=60
        )
        if about.returncode:
            raise VelaMissing("%s does not import Vela: %s" % (self.python, about.stderr.strip()[-300:]))
        about = json.loads(about.stdout)
        self.version, self.operators = about["version"], about["operators"]

    def _paths(self, request):
        h = hashlib.sha256(repr((self.version, request.config, tuple(request.options))).encode() + request.model)
        base = re.sub(r"[^\w.-]+", "_", request.name)[:80] + "-" + h.hexdigest()[:16]
        out = os.path.join(self.folder, request.config, base)
        return base + ".tflite", out + ".tflite", out + ".log"

    def compile(self, requests):
        """Yields (request, result) as they are done, not in order."""
        with tempfile.TemporaryDirectory(prefix="vela-") as sources:
            yield from self._compile(requests, sources)

    def _compile(self, requests, sources):
        todo, waiting, twins = [], {}, []
        for r in requests:
            source, out, log = self._paths(r)
            source = os.path.join(sources, source)
            known = None if self.fresh or not os.path.exists(log) else read_result(out, log)
            if known and not known.late:
                yield r, known
            elif out in waiting:  # the same bytes under the same name
                twins.append((r, out, log))
            else:
                os.makedirs(os.path.dirname(out), exist_ok=True)
                with open(source, "wb") as f:
                    f.write(r.model)
                waiting[out] = r
                todo.append({"model": source, "config": r.config, "options": list(r.options), "out": out, "log": log})
        if todo:
            for job in self._work(todo):
                yield waiting.pop(job["out"]), read_result(job["out"], job["log"])
        for r, out, log in twins:
            yield r, read_result(out, log)

    def _work(self, todo):
        with tempfile.TemporaryFile("w+") as jobs, tempfile.TemporaryFile("w+") as errors:
            json.dump({"jobs": todo, "parallel": self.jobs, "timeout": self.timeout}, jobs)
            jobs.seek(0)
            worker = subprocess.Popen(
                [self.python, os.path.abspath(__file__), "work"],
                stdin=jobs,
                text=True,
                stdout=subprocess.PIPE,
                stderr=errors,
            )
            try:
                done = 0
                for line in worker.stdout:
                    done += 1
                    yield todo[int(line)]
                if worker.wait() or done != len(todo):
                    errors.seek(0)
                    raise RuntimeError("Vela's process ended early: " + errors.read().strip()[-400:])
            finally:
                if worker.poll() is None:
                    worker.terminate()
                    worker.wait()
                worker.stdout.close()


def read_result(out, log):
    with open(log, encoding="utf-8", errors="replace") as f:
        return Result(out, json.loads(f.readline()), f.read())


# ---- from here on: inside Vela's Python, standard library only -----------------------------------------------------


def about():
    from ethosu import regor
    from ethosu.vela import vela

    # The lists of the two generations that the software device knows are one list.
    json.dump(
        {"version": vela.__version__, "operators": sorted(regor.tflite_operator_constraints("EthosU55"))}, sys.stdout
    )
    return 0


def compile_here(job, work, timeout):
    """In a forked process: never returns."""
    code = 1
    try:
        gc.disable()
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, MEMORY_LIMIT))
        resource.setrlimit(resource.RLIMIT_CPU, (timeout, timeout + 5))
        fd = os.open(os.path.join(work, "log"), os.O_WRONLY | os.O_CREAT, 0o644)
        os.dup2(fd, 1)
        os.dup2(fd, 2)
        sys.stdout = os.fdopen(1, "w", buffering=1)
        sys.stderr = os.fdopen(2, "w", buffering=1)
        from ethosu.vela import vela

        code = vela.main([job["model"], "--accelerator-config", job["config"], "--output-dir", work] + job["options"])
    except SystemExit as e:
        code = e.code if isinstance(e.code, int) else int(e.code is not None)
    except BaseException:  # whatever it is belongs into the log
        import traceback

        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code or 0)


def finish(job, work, status, seconds, late):
    made = os.path.join(work, os.path.basename(job["model"])[: -len(".tflite")] + "_vela.tflite")
    with open(os.path.join(work, "log"), encoding="utf-8", errors="replace") as f:
        log = f.read()
    last = (log.strip().splitlines() or ["no message"])[-1][:200]
    why = None
    if os.WIFSIGNALED(status):
        name = signal.Signals(os.WTERMSIG(status)).name
        late = late or name == "SIGXCPU"
        why = "no end after %d s" % seconds if late else "died of " + name
    elif os.WEXITSTATUS(status):
        why = "exit %d: %s" % (os.WEXITSTATUS(status), last)
    elif not os.path.exists(made):
        why = "wrote no file: " + last
    else:
        os.replace(made, job["out"])
    header = {"ok": why is None, "why": why, "late": late, "seconds": round(seconds, 3)}
    with open(job["log"] + ".new", "w", encoding="utf-8") as f:
        f.write(json.dumps(header) + "\n" + log)
    os.replace(job["log"] + ".new", job["log"])
    shutil.rmtree(work)


def work():
    order = json.load(sys.stdin)
    import ethosu.vela.vela  # before the forks: this is what takes time

    assert ethosu
    gc.collect()
    gc.freeze()  # so that no fork copies these pages
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    jobs, running, at = order["jobs"], {}, 0
    try:
        while at < len(jobs) or running:
            while at < len(jobs) and len(running) < order["parallel"]:
                folder = tempfile.mkdtemp(prefix="work-", dir=os.path.dirname(jobs[at]["out"]))
                pid = os.fork()
                if pid == 0:
                    compile_here(jobs[at], folder, order["timeout"])
                running[pid] = [at, folder, time.monotonic(), False]
                at += 1
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid:
                i, folder, start, late = running.pop(pid)
                finish(jobs[i], folder, status, time.monotonic() - start, late)
                print(i, flush=True)
                continue
            for pid, entry in running.items():
                if time.monotonic() - entry[2] > 2 * order["timeout"]:
                    entry[3] = True
                    os.kill(pid, signal.SIGKILL)
            time.sleep(0.002)
    finally:
        for pid in running:
            os.kill(pid, signal.SIGKILL)
    return 0


if __name__ == "__main__":
    sys.exit({"about": about, "work": work}[sys.argv[1]]())
