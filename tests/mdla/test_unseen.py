#!/usr/bin/env python3
"""Networks that nobody has seen, made of a seed: every group, chain, layout and phase of their plans is looked at again, by a checker
that knows the guide's rules and nothing of how the planner finds its groups.

    test_unseen.py [--count N] [--seed N]"""

import random
import sys


from kit import HERE, VERSIONS, Mdla, Net, Score, arguments, const, opts, schema, weights  # noqa: F401
from test_networks import parts

GROUP = {
    **dict.fromkeys(("CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED", "TRANSPOSE_CONV"), "CONV"),
    **dict.fromkeys(("ABS", "NEG"), "MATH1"),
    **dict.fromkeys(("ADD", "SUB", "MUL", "MAXIMUM", "MINIMUM"), "MATH2"),
    **dict.fromkeys(("RELU", "RELU6", "TANH", "LOGISTIC"), "ACT1"),
    "PRELU": "ACT2",
    **dict.fromkeys(("MAX_POOL_2D", "AVERAGE_POOL_2D"), "POOL"),
    **dict.fromkeys(("RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR"), "RESIZE"),
}
PROVEN = {"A": [["CONV"], ["MATH1", "ACT1", "ACT2", "POOL"]], "F": [["CONV"], ["RESIZE"], ["MATH1", "ACT1", "ACT2"]]}
STAGES = ("MATH1", "MATH2", "ACT1", "ACT2", "POOL", "RESIZE")


def network(rng):
    """The model, and [(operator, inputs, output, options)] by tensor index."""
    n = Net(
        (1, rng.choice((8, 9)), rng.choice((8, 12)), rng.choice((3, 4, 16, 20))),
        rng.choice(("SYM INT8", "ASYM UINT8", "FP16", "SYM INT16")),
    )
    made = [n.x]
    for _ in range(rng.randint(3, 14)):
        x = made[-1] if rng.random() < 0.8 else rng.choice(made)
        kind = rng.random()
        _, h, w, c = x.shape
        if kind < 0.3:
            k, stride = rng.choice((1, 2, 3)), rng.choice((1, 1, 2, 3))
            padding, dilation = rng.choice((0, 1)), rng.choice((1, 1, 1, 2))
            if padding == 1 and ((k - 1) * dilation + 1 > min(h, w)):
                continue
            n.conv(
                rng.choice((4, 16, 20)),
                k,
                stride,
                padding,
                dilation if stride == 1 else 1,
                rng.choice((0, 0, 1, 3, 4)),
                at=x,
            )
        elif kind < 0.4:
            n.depthwise(rng.choice((1, 3)), 1, 0, rng.choice((0, 1)), at=x)
        elif kind < 0.6:
            n.unary(rng.choice(("ABS", "NEG", "RELU", "RELU6", "TANH", "LOGISTIC", "ELU", "SIN")), at=x)
        elif kind < 0.7 and min(h, w) > 1:
            n.pool(2, rng.choice((1, 2)), rng.choice(("MAX_POOL_2D", "AVERAGE_POOL_2D")), at=x)
        elif kind < 0.8:
            n.resize(
                min(2 * h, 40), min(2 * w, 40), at=x, code=rng.choice(("RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR"))
            )
        elif kind < 0.85:
            n.op("PRELU", [x, n.const(weights((1, 1, c), n.kind))], n.new(x.shape))
        else:
            same = [t for t in made if t.shape == x.shape]
            n.op(rng.choice(("ADD", "MUL", "SUB")), [x, rng.choice(same)], n.new(x.shape), opts("Add"))
            n.b.model.subgraphs[-1].operators[-1].builtinOptions = None
            n.b.model.subgraphs[-1].operators[-1].builtinOptionsType = 0
        made.append(n.at)
    outs = [n.at] + ([rng.choice(made[1:])] if len(made) > 2 and rng.random() < 0.3 else [])
    outs = list({t.name: t for t in outs}.values())
    return n.bytes(*outs)


def orders(rng):
    """Orders for A and B, as text and as stages; or none."""
    if rng.random() < 0.4:
        return "", {}
    text, found = "", {}
    for rule in "AB":
        if rng.random() < 0.3:
            continue
        stages, left = [], list(STAGES)
        rng.shuffle(left)
        while left and (not stages or rng.random() < 0.8):
            take = rng.randint(1, min(2, len(left)))
            stages.append(left[:take])
            left = left[take:]
        if rule == "A":
            stages.insert(0, ["CONV"])
        found[rule] = stages
        text += "%s: %s\n" % (rule, " ".join("|".join(s) for s in stages))
    return text, found


class Graph:
    def __init__(self, data):
        m = schema.ModelT.InitFromPackedBuf(data, 0)
        sg = m.subgraphs[0]
        names = {v: k for k, v in vars(schema.BuiltinOperator).items() if isinstance(v, int)}
        self.ops = [names[m.operatorCodes[o.opcodeIndex].builtinCode] for o in sg.operators]
        self.ins = [[int(t) for t in o.inputs] for o in sg.operators]
        self.outs = [[int(t) for t in o.outputs] for o in sg.operators]
        self.options = [o.builtinOptions for o in sg.operators]
        self.types = [t.type for t in sg.tensors]
        self.shapes = [[int(d) for d in t.shape] for t in sg.tensors]
        self.constant = [m.buffers[t.buffer].data is not None and len(m.buffers[t.buffer].data) > 0 for t in sg.tensors]
        self.uses = [0] * len(sg.tensors)
        for t in [t for ins in self.ins for t in ins] + [int(t) for t in sg.outputs]:
            self.uses[t] += 1
        self.writer = {t: i for i, outs in enumerate(self.outs) for t in outs}

    def stages(self, i):
        act = getattr(self.options[i], "fusedActivationFunction", 0) if self.options[i] is not None else 0
        return [GROUP.get(self.ops[i])] + (["ACT1"] if act in (1, 2, 3, 4) else [])


def in_order(sequence, order, exact=False):
    """Does the sequence of groups follow the stages, some of them left out?"""
    at = 0
    for group in sequence:
        while at < len(order) and group not in order[at]:
            if exact:
                return False
            at += 1
        if at == len(order):
            return False
        at += 1
    return not exact or at == len(order)


def sequence_ok(g, members, rule, known):
    sequence = [s for i in members for s in g.stages(i)]
    order = known.get(rule) or PROVEN.get(rule)
    if not order or (rule in "AF" and sequence[0] != "CONV") or (rule == "B" and "CONV" in sequence):
        return False
    return in_order(sequence, order, rule == "F")


def linked(g, members):
    """Each is the only user of what the one before gives, and waits for nothing that comes after the first."""
    for a, b in zip(members, members[1:]):
        t = g.outs[a][0]
        if g.uses[t] != 1 or t not in g.ins[b]:
            return "%d is not the only user of %d" % (b, a)
        late = [x for x in g.ins[b] if x != t and g.writer.get(x, -1) >= members[0]]
        if late:
            return "%d waits for what comes later" % b
    return None


def rule_c(g, members, known):
    convs = [i for i in members if g.stages(i)[0] == "CONV"]
    if len(convs) not in (1, 2) or g.ops[convs[-1]] != "CONV_2D":
        return "convolutions are %s" % [g.ops[i] for i in convs]
    at = members.index(convs[-1])
    one, two = members[:at], members[at:]
    first_rule = "A" if len(convs) == 2 else "B"
    if not one or not sequence_ok(g, one, first_rule, known) or not sequence_ok(g, two, "A", known):
        return "groups are %s and %s" % (one, two)
    o, x, y = g.options[two[0]], g.shapes[g.ins[two[0]][0]], g.shapes[g.outs[two[0]][0]]
    kh, kw = g.shapes[g.ins[two[0]][1]][1:3]
    for n, k, s, d, out in (
        (x[1], kh, o.strideH, o.dilationHFactor, y[1]),
        (x[2], kw, o.strideW, o.dilationWFactor, y[2]),
    ):
        if s not in (1, 2) or max((out - 1) * s + (k - 1) * d + 1 - n, 0) // 2:
            return "stride %d, or padding in front" % s
    if g.types[g.outs[one[-1]][0]] != g.types[g.outs[two[-1]][0]]:
        return "types differ"
    if any("RESIZE" in g.stages(i) for i in one) and (kh, kw) != (o.strideH, o.strideW):
        return "RESIZE, and a filter that is not the stride"
    return None


def chain_ok(g, groups, members):
    ended = False
    for k, group in enumerate(groups):
        convs = [i for i in members[group["group"]] if g.stages(i)[0] == "CONV"]
        if ended and convs:
            return "a convolution behind one that must be the last"
        for j, i in enumerate(convs):
            o = g.options[i]
            if max(getattr(o, "dilationHFactor", 1), getattr(o, "dilationWFactor", 1)) > 1:
                ended = True
        if group["rule"] not in "ABCDEF":
            return "rule " + group["rule"]
        by_b = group["rule"] == "B" or not set(g.stages(members[group["group"]][0])) & {"CONV"}
        if k and by_b and groups[k - 1]["rule"] != "B":
            return "rule B behind another"
        if k:
            t = g.outs[members[groups[k - 1]["group"]][-1]][0]
            if g.uses[t] != 1 or t not in g.ins[members[group["group"]][0]]:
                return "groups are not linked"
    return None


def problem(plan, g, known, version):
    sub = plan["subgraphs"][0]
    members = {}
    for op in sub["ops"]:
        if op["device"] == "MDLA":
            members.setdefault(op["group"], []).append(op["index"])
    by_number = {k["group"]: k for k in sub["groups"]}
    for number, group in by_number.items():
        m, rule = members[number], group["rule"]
        wrong = linked(g, m)
        if wrong:
            return "group %d: %s" % (number, wrong)
        if rule == "C":
            wrong = rule_c(g, m, known)
            if wrong:
                return "group %d, rule C: %s" % (number, wrong)
        elif rule != "none" and (not sequence_ok(g, m, rule, known) or (rule == "F" and version != "3.0")):
            return "group %d: %s by rule %s" % (number, [g.ops[i] for i in m], rule)
        elif rule == "none" and len(m) > 1:
            return "group %d of %d operators has no rule" % (number, len(m))
        by_b = rule == "C" and g.stages(m[0])[0] != "CONV"
        if group["supplied_order"] != (rule in known or (rule == "C" and ("A" in known or by_b))):
            return "group %d is marked %s" % (number, group["supplied_order"])
    if version != "3.0" and sub["chains"]:
        return "chains"
    for c in range(len(sub["chains"])):
        inside = sorted((k for k in by_number.values() if k["chain"] == c), key=lambda k: k["first"])
        wrong = "one group" if len(inside) != sub["chains"][c]["groups"] else chain_ok(g, inside, members)
        if wrong:
            return "chain %d: %s" % (c, wrong)
    return parts(plan)


def main():
    count, seed = 150, 1
    for name in ("--count", "--seed"):
        if name in sys.argv:
            at = sys.argv.index(name)
            value = int(sys.argv[at + 1])
            del sys.argv[at : at + 2]
            count, seed = (value, seed) if name == "--count" else (count, value)
    a = arguments(__doc__)
    score, mdla = Score("mdla unseen"), Mdla(a.command)
    seen = {}
    for i in range(count):
        rng = random.Random(seed * 100003 + i)
        data, (text, known) = network(rng), orders(rng)
        version = rng.choice(VERSIONS)
        options = ["--fusion-rules", "{1}"] if text else []
        plan = mdla.plan(data, version, *options, files=[text.encode()] if text else [])
        score.check(
            "%d, MDLA %s, %s" % (i, version, text.replace("\n", "; ")), problem(plan, Graph(data), known, version)
        )
        for g in plan["subgraphs"][0]["groups"]:
            if g["operators"] > 1:
                seen[g["rule"]] = seen.get(g["rule"], 0) + 1
    if count >= 100:
        score.check("all kinds of groups", None if {"A", "B", "C"} <= set(seen) else str(seen))
    return score.close()


if __name__ == "__main__":
    sys.exit(main())
