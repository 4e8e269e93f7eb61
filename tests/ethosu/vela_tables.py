"""Runs inside Vela's Python: prints its tables of commands, bit fields and enums as JSON. Standard library only."""

import json
import sys
from enum import Enum

from ethosu.vela.ethos_u55_regs import ethos_u55_regs as regs

HEADER_BITS = 16  # opcode and the bits that must be zero


def fields(name):
    """[(field, first bit of the parameter, bits)] of a command of one word; [] where it is one number."""
    layout, at = getattr(regs, name.lower() + "_t", None), 0
    found = []
    for field in getattr(layout, "_fields_", []):
        if at >= HEADER_BITS:
            found.append((field[0], at - HEADER_BITS, field[2]))
        at += field[2]
    return found


def numbers(enum):
    return {str(member.value): member.name for member in enum}


json.dump(
    {
        "cmd0": numbers(regs.cmd0),
        "cmd1": numbers(regs.cmd1),
        "fields": {member.name: fields(member.name) for member in regs.cmd0},
        "enums": {
            name: numbers(value)
            for name, value in vars(regs).items()
            if isinstance(value, type) and issubclass(value, Enum) and value is not Enum
        },
    },
    sys.stdout,
)
