"""Oracles in a process of their own: one that crashes or hangs is a failed case with its message, and the next case gets a new
process. The process lives as long as it can, as starting one loads TensorFlow's libraries."""

import multiprocessing
import signal

TIMEOUT = 300  # seconds that one case may take


class OracleError(Exception):
    pass


def _serve(pipe):
    from mkmodel import oracle_session

    while True:
        try:
            name, model, sequence = pipe.recv()
        except EOFError:
            return
        try:
            session = oracle_session(name, model)
            answer = True, [session.run(inputs) for inputs in sequence]
        except Exception as e:  # the oracles raise many types
            answer = False, str(e)
        pipe.send(answer)


def _end_of(code):
    """How a process ended, for people."""
    if code is not None and code < 0:
        return "signal %s" % signal.Signals(-code).name
    return "exit code %s" % code


class Oracles:
    """run(oracle's name, model, list of input lists) gives a list of output lists, or raises OracleError."""

    def __init__(self):
        self.process = None

    def _start(self):
        context = multiprocessing.get_context("spawn")  # a fork would share the threads of libraries
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs,), daemon=True)
        self.process.start()
        theirs.close()

    def run(self, name, model, sequence):
        if self.process is None:
            self._start()
        try:
            self.pipe.send((name, model, sequence))
            if not self.pipe.poll(TIMEOUT):
                self.close()
                raise OracleError("the oracle gave no answer in %d seconds" % TIMEOUT)
            fine, answer = self.pipe.recv()
        except (EOFError, OSError):
            self.process.join(10)
            how = _end_of(self.process.exitcode)
            self.close()
            raise OracleError("the oracle crashed: %s" % how) from None
        if not fine:
            raise OracleError("the oracle refuses the case: %s" % " ".join(answer.split())[:200])
        return answer

    def close(self):
        if self.process is not None:
            self.pipe.close()
            self.process.kill()
            self.process.join()
            self.process = None
