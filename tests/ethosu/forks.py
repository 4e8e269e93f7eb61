"""Runs a function over tasks in forked processes, a batch in each: a crash costs its own task and nothing else."""

import collections
import os
import pickle
import select
import signal
import struct
import time

Died = collections.namedtuple("Died", "text stage")


def _send(fd, value):
    data = pickle.dumps(value)
    data = struct.pack("<Q", len(data)) + data
    while data:
        data = data[os.write(fd, data) :]


def _child(fd, tasks, function):
    try:
        for i, task in enumerate(tasks):
            _send(fd, (i, "start", None))
            _send(fd, (i, "done", function(task, lambda stage, i=i: _send(fd, (i, "stage", stage)))))
        os._exit(0)
    except BaseException:  # says where, then the batch goes on in another process
        import traceback

        _send(fd, (i, "raised", traceback.format_exc(limit=-3)))
        os._exit(1)


class _Batch:
    def __init__(self, tasks, function):
        self.tasks, self.at, self.stage, self.raised = tasks, 0, None, None
        self.data, self.since = b"", time.monotonic()
        self.fd, theirs = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self.fd)
            _child(theirs, tasks, function)
        os.close(theirs)

    def read(self):
        """Results that have come in; None at the end of the process."""
        piece = os.read(self.fd, 1 << 20)
        if not piece:
            return None
        self.data += piece
        results = []
        while len(self.data) >= 8:
            n = struct.unpack("<Q", self.data[:8])[0]
            if len(self.data) < 8 + n:
                break
            i, kind, value = pickle.loads(self.data[8 : 8 + n])
            self.data = self.data[8 + n :]
            self.since = time.monotonic()
            if kind == "done":
                self.at = i + 1
                results.append((self.tasks[i], value))
            elif kind == "raised":
                self.raised = value
            else:
                self.stage = value
        return results

    def close(self):
        """What became of the task that was running, if one was."""
        os.close(self.fd)
        status = os.waitpid(self.pid, 0)[1]
        if self.at == len(self.tasks):
            return None
        text = self.raised or (
            "died of " + signal.Signals(os.WTERMSIG(status)).name
            if os.WIFSIGNALED(status)
            else "ended with %d" % os.WEXITSTATUS(status)
        )
        return Died(text, self.stage)


def run(tasks, function, jobs, timeout=120, batch=24):
    """Yields (task, function(task, stage)); a Died instead of the value when the process did not survive the task.
    The function may call stage(text): the newest one is in Died."""
    waiting = [tasks[i : i + batch] for i in range(0, len(tasks), batch)][::-1]
    running = {}
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                b = _Batch(waiting.pop(), function)
                running[b.fd] = b
            for fd in select.select(list(running), [], [], 1.0)[0]:
                b = running[fd]
                results = b.read()
                if results is not None:
                    yield from results
                    continue
                del running[fd]
                died = b.close()
                if died:
                    if b.tasks[b.at + 1 :]:
                        waiting.append(b.tasks[b.at + 1 :])
                    yield b.tasks[b.at], died
            for b in running.values():
                if time.monotonic() - b.since > timeout:
                    os.kill(b.pid, signal.SIGKILL)
    finally:
        for b in running.values():
            os.kill(b.pid, signal.SIGKILL)
            b.close()
