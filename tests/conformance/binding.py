"""The header as a shared library, through ctypes: for tests that need more than the command line offers."""

import ctypes as C
import itertools

import numpy as np

from structs import structs

DTYPES = {
    0: "<f4",
    1: "<f2",
    2: "<i4",
    3: "u1",
    4: "<i8",
    6: "?",
    7: "<i2",
    8: "<c8",
    9: "i1",
    10: "<f8",
    11: "<c16",
    12: "<u8",
    13: "<i4",
    15: "<u4",
    16: "<u2",
    18: "<u2",
}
STRING = 5
PACKED = {17: (4, True), 19: (2, True), 20: (4, False)}  # bits, signed


class NpuError(Exception):
    def __init__(self, status, rule, text):
        super().__init__("%s: %s" % (rule, text))
        self.status, self.rule = status, rule


class Library:
    def __init__(self, path):
        self.c = C.CDLL(path)
        for name in ("npu_session_destroy", "npu_plan_destroy", "npu_model_close", "npu_session_reset"):
            getattr(self.c, name).restype = None
        self.c.npu_isa_name.restype = C.c_char_p

    def isas(self):
        """{CLI spelling: value} of what this machine can run, "auto" left out."""
        names = itertools.takewhile(bool, map(self.c.npu_isa_name, itertools.count()))
        return {name.decode(): i for i, name in enumerate(names) if i and self.c.npu_isa_available(i)}


def pack(values, bits):
    v = np.asarray(values).reshape(-1).astype(np.int64) & ((1 << bits) - 1)
    per = 8 // bits
    v = np.concatenate([v, np.zeros(-len(v) % per, np.int64)]).reshape(-1, per)
    return sum(v[:, i] << (bits * i) for i in range(per)).astype(np.uint8)


def unpack(raw, bits, signed, count):
    per = 8 // bits
    v = np.frombuffer(raw, np.uint8).astype(np.int16)
    v = np.stack([(v >> (bits * i)) & ((1 << bits) - 1) for i in range(per)], 1).reshape(-1)[:count]
    return (np.where(v >= 1 << (bits - 1), v - (1 << bits), v) if signed else v).astype(np.int8 if signed else np.uint8)


class Session:
    """Model, plan and session in one; inputs whose shapes differ from the declared ones are resized at the first run."""

    def __init__(self, library, model, isa=0, threads=1):
        self.lib, self.isa, self.threads = library.c, isa, threads
        self.model, self.plan, self.session, self.diag = C.c_void_p(), C.c_void_p(), C.c_void_p(), structs.npu_diag()
        self.model = self.open(library, bytes(model))
        self.n_in = self.lib.npu_model_input_count(self.model, 0)
        self.n_out = self.lib.npu_model_output_count(self.model, 0)

    def open(self, library, raw):
        model, self.bytes = C.c_void_p(), C.create_string_buffer(raw, len(raw))
        self._check(self.lib.npu_model_open(C.byref(model), self.bytes, C.c_size_t(len(raw)), None, C.byref(self.diag)))
        return model

    def _check(self, status):
        if status:
            raise NpuError(status, (self.diag.rule or b"").decode(), self.diag.text.decode(errors="replace"))

    def _start(self, inputs):
        shapes = (structs.npu_input_shape * max(self.n_in, 1))()
        for i, a in enumerate(inputs):
            shapes[i].input, shapes[i].rank = i, np.ndim(a)
            for k, d in enumerate(np.shape(a)):
                shapes[i].dims[k] = d
        plan, session = self.descs()
        plan.input_shapes, plan.n_input_shapes, plan.resize_fixed = shapes, self.n_in, 1
        self._check(self.lib.npu_plan_create(C.byref(self.plan), self.model, C.byref(plan), C.byref(self.diag)))
        session = session and C.byref(session)
        self._check(self.lib.npu_session_create(C.byref(self.session), self.plan, session, C.byref(self.diag)))

    def descs(self):
        """What the plan and the session are asked for; the session's may be None."""
        return structs.npu_plan_desc(isa=self.isa, threads=self.threads), None

    def run(self, inputs):
        if not self.session:
            self._start(inputs)
        t = structs.npu_tensor()
        for i, a in enumerate(inputs):
            self.lib.npu_session_input(self.session, i, C.byref(t))
            if t.type == STRING:
                self.set_strings(i, a)
                continue
            a = pack(a, PACKED[t.type][0]) if t.type in PACKED else np.ascontiguousarray(a)
            if a.nbytes != t.bytes:
                raise NpuError(5, "test.input_size", "input %d: %d bytes instead of %d" % (i, a.nbytes, t.bytes))
            if t.bytes:
                C.memmove(t.data, a.ctypes.data, t.bytes)
        self._check(self.lib.npu_session_invoke(self.session, C.byref(self.diag)))
        outputs = []
        for i in range(self.n_out):
            self.lib.npu_session_output(self.session, i, C.byref(t))
            raw = C.string_at(t.data, t.bytes) if t.bytes else b""
            shape = list(t.dims[: t.rank])
            if t.type == STRING:
                a = self.strings(t, int(np.prod(shape)))
            elif t.type in PACKED:
                a = unpack(raw, *PACKED[t.type], int(np.prod(shape)))
            else:
                a = np.frombuffer(raw, DTYPES[t.type])
            outputs.append(a.reshape(shape).copy())
        return outputs

    def set_strings(self, i, a):
        items = [bytes(s) for s in np.asarray(a, object).reshape(-1)]
        pointers = (C.c_char_p * max(len(items), 1))(*items)
        lengths = (C.c_size_t * max(len(items), 1))(*map(len, items))
        self._check(
            self.lib.npu_session_set_strings(
                self.session, i, pointers, lengths, C.c_size_t(len(items)), C.byref(self.diag)
            )
        )

    def strings(self, t, count):
        out, p, n = np.empty(count, object), C.c_void_p(), C.c_size_t()
        for k in range(count):
            if self.lib.npu_tensor_string(C.byref(t), C.c_int64(k), C.byref(p), C.byref(n)):
                raise NpuError(1, "test.string", "string %d is broken" % k)
            out[k] = C.string_at(p, n.value) if n.value else b""
        return out

    def reset(self):
        self.lib.npu_session_reset(self.session)

    def close(self):
        self.lib.npu_session_destroy(self.session)
        self.lib.npu_plan_destroy(self.plan)
        self.lib.npu_model_close(self.model)
        self.session = self.plan = self.model = C.c_void_p()
