"""The structs of the public header as ctypes classes, read from npu_rt.h by libclang: a member that is new there is new here.

    from structs import structs
    desc = structs.npu_plan_desc(threads=2)

A pointer to chars is a c_char_p, one to a struct a POINTER, any other a c_void_p."""

import ctypes as C
import os
import subprocess

import clang.cindex as ci

HEADER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "npu_rt.h")
K = ci.TypeKind
PLAIN = {
    K.BOOL: C.c_bool,
    K.CHAR_S: C.c_char,
    K.CHAR_U: C.c_char,
    K.SCHAR: C.c_int8,
    K.UCHAR: C.c_uint8,
    K.SHORT: C.c_int16,
    K.USHORT: C.c_uint16,
    K.INT: C.c_int,
    K.UINT: C.c_uint,
    K.LONG: C.c_long,
    K.ULONG: C.c_ulong,
    K.LONGLONG: C.c_longlong,
    K.ULONGLONG: C.c_ulonglong,
    K.FLOAT: C.c_float,
    K.DOUBLE: C.c_double,
    K.ENUM: C.c_int,
}


class _Structs:
    def __init__(self, header):
        own = subprocess.run(["cc", "-print-file-name=include"], stdout=subprocess.PIPE, text=True, check=True)
        args = ["-x", "c", "-std=c99", "-DNPU_RT_GRAPH", "-isystem", own.stdout.strip()]  # libclang has no stddef.h
        unit = ci.Index.create().parse(header, args=args)
        errors = [d for d in unit.diagnostics if d.severity >= ci.Diagnostic.Error]
        if errors:
            raise ImportError("%s: %s" % (header, errors[0].spelling))
        self._types = {
            c.spelling: c.underlying_typedef_type.get_canonical()
            for c in unit.cursor.get_children()
            if c.kind == ci.CursorKind.TYPEDEF_DECL and c.spelling.startswith("npu_")
        }
        self._made = {}

    def __getattr__(self, name):
        t = self._types.get(name)
        if t is None or t.kind != K.RECORD or t.get_size() < 0:  # below 0: opaque
            raise AttributeError("npu_rt.h has no struct %s" % name)
        return self._record(t)

    def _record(self, t):
        key = t.get_declaration().get_usr()
        if key not in self._made:
            self._made[key] = made = type(
                t.spelling, (C.Structure,), {"__slots__": ()}
            )  # a name that is not there is an error
            made._fields_ = [(f.spelling, self._type(f.type.get_canonical())) for f in t.get_fields()]
            assert C.sizeof(made) == t.get_size(), t.spelling
        return self._made[key]

    def _type(self, t):
        if t.kind == K.CONSTANTARRAY:
            return self._type(t.element_type.get_canonical()) * t.element_count
        if t.kind == K.RECORD:
            return self._record(t)
        if t.kind != K.POINTER:
            return PLAIN[t.kind]
        to = t.get_pointee().get_canonical()
        if to.kind in (K.CHAR_S, K.CHAR_U):
            return C.c_char_p
        return C.POINTER(self._record(to)) if to.kind == K.RECORD and to.get_size() > 0 else C.c_void_p


structs = _Structs(os.path.abspath(HEADER))
