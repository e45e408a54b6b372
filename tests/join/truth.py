"""The right lines of the events of a trace, from three sources that know nothing of an ETRecord:

  eager.py    what each line computes, and in which shapes
  program.py  what each instruction and each payload node of the program computes, and in which shapes
  kinds.py    the names that one operator has in each of them

An operator of one kind with one shape stands on one line. Where several lines compute the same kind and shape, it is decided
by what their values come from and go to: in a chain by the order, elsewhere by their neighbours. What is left is said to be
unknown, and is in no figure.
"""
import math
from dataclasses import dataclass, field, replace
from typing import Dict, List, Optional, Set, Tuple

import kinds
from eager import FUNCTION, PART, WHOLE

LINE, INSERTED, UNKNOWN = "line", "inserted", "unknown"


@dataclass
class Target:
    """Something of the program that runs: a kernel call or a node of a payload."""

    place: tuple  # of the event: its instruction, and within a delegate the number of the node
    operators: Set[str]
    shape: Tuple[int, ...]
    compare: str  # how shapes are compared: EXACT, ANY_LAYOUT or NUMEL
    movement: bool = False
    kind: str = ""  # of a payload's node
    inputs: List[tuple] = field(default_factory=list)  # values
    output: tuple = ()
    state: str = UNKNOWN
    line: Optional[str] = None
    known: bool = False  # some line computes this kind and shape
    calls: Set[int] = field(default_factory=set)  # positions in the log of the calls that it may be
    lines: Set[str] = field(default_factory=set)  # of those calls
    also: Set[str] = field(default_factory=set)   # lines that were fused into it


ATTACHED = {"Clamp", "Convert", "StaticTranspose", "Copy"}  # not what an event is named after
EXACT, ANY_LAYOUT, NUMEL = "exact", "any layout", "numel"


def kernel_target(place, instruction, scope):
    name = kinds.kernel_name(instruction.operator)
    return Target(place, kinds.kernel_operators(instruction.operator), instruction.shapes[0] if instruction.shapes else (),
                  EXACT, name in kinds.INSERTED_KERNELS, "", [(scope, i) for i in instruction.inputs],
                  (scope, instruction.output))


def targets_of(instructions):
    found = []
    for number, instruction in sorted(instructions.items()):
        if instruction.operator:
            found.append(kernel_target((number,), instruction, None))
        for i, inner in sorted(instruction.program.items()):
            if inner.operator:
                found.append(kernel_target((number, i), inner, number))
        for i, (operator, numel) in enumerate(instruction.demo):
            operators = kinds.kernel_operators(operator.replace("aten.", "aten::"))
            found.append(Target((number, i), operators, (numel,), NUMEL))
        for i, node in enumerate(instruction.nodes):
            compare = EXACT if node.kind in ("StaticTranspose", "StaticReshape") else ANY_LAYOUT
            inputs, (output,) = ([(None, instruction.outside[v]) if v in instruction.outside else (number, v) for v in values]
                                 for values in (node.inputs, [node.output]))
            found.append(Target((number, i), kinds.node_operators(node.kind), node.shape, compare,
                                node.kind in kinds.MOVEMENTS, node.kind, inputs, output))
            if node.clamped:  # bounds may run as an event of their own
                found.append(Target((number, i + CLAMP), kinds.node_operators("Clamp"), node.shape, ANY_LAYOUT))
    return found


CLAMP = 1 << 20  # added to a node's number: the bounds of its output


def comparable(shape, compare):
    if compare == NUMEL:
        return math.prod(shape)
    return tuple(shape) if compare == EXACT else tuple(sorted(d for d in shape if d != 1))


def candidates(calls, level, operators, wanted, compare):
    return [i for i, c in enumerate(calls)
            if c.level == level and c.op in operators and comparable(c.shapes[0], compare) == wanted]


def chained(found, calls):
    """Each call needs the one before, so that no pass can change their order."""
    return all(a in calls[b].needs for a, b in zip(found, found[1:]))


def decide(group, rivals, operators, wanted, compare, calls):
    """The calls that the targets of one kind and shape may be."""
    for level in (PART, WHOLE, FUNCTION):
        found = candidates(calls, level, operators, wanted, compare)
        for target in group:
            target.known |= bool(found)
        if len(found) < rivals:
            continue  # the export took something apart that PyTorch runs whole: it could be any line
        one_to_one = len(found) == len(group) and chained(found, calls)
        for n, target in enumerate(group):
            target.calls = {found[n]} if one_to_one else set(found)
        return


def narrow(targets, groups, calls):
    """What a target's value comes from and goes to leaves fewer calls that it may be."""
    producer = {t.output: t for t in targets}

    def origins(value, hops=8):
        """What made a value; conversions and the like, which no line computes, are looked through."""
        maker = producer.get(value)
        if maker is None or hops == 0:
            return []
        return [maker] if maker.calls else [o for v in maker.inputs for o in origins(v, hops - 1)]

    pairs = [(before, t) for t in targets for v in t.inputs for before in origins(v)]
    changed = True
    while changed:
        changed = False
        for before, after in pairs:
            if not before.calls or not after.calls:
                continue
            earlier = {b for b in before.calls if any(b in calls[a].needs for a in after.calls)}
            later = {a for a in after.calls if any(b in calls[a].needs for b in before.calls)}
            for target, left in ((before, earlier), (after, later)):
                if left and left < target.calls:
                    target.calls, changed = left, True
        for group in groups:
            for t in group:
                taken = set().union(*(o.calls for o in group if o is not t and len(o.calls) == 1))
                if len(t.calls) > 1 and t.calls - taken and len(set().union(*(o.calls for o in group))) == len(group):
                    changed |= bool(t.calls & taken)
                    t.calls -= taken


def turns(target):
    return "permute" in target.operators


def doubt_pairs(targets):
    """Of two transposes in a row, also with a copy between, nobody can say which is the line's and which undoes a layout."""
    producer = {t.output: t for t in targets}
    for t in targets:
        before = [producer[v] for v in t.inputs if v in producer] if turns(t) else []
        copies = [b for b in before if "clone" in b.operators]
        before += [producer[v] for c in copies for v in c.inputs if v in producer]
        for pair in [t, *before, *copies] if any(turns(b) for b in before) else []:
            if turns(pair) or pair in copies:
                pair.state, pair.line, pair.calls = UNKNOWN, None, set()


def by_neighbours(targets):
    """Movements whose order says nothing: the line of what produces or uses their value, if one of the two fits."""
    producer = {t.output: t for t in targets}
    for target in targets:
        if target.state != UNKNOWN or not target.calls:
            continue
        near = [producer[v].line for v in target.inputs if v in producer]
        near += [t.line for t in targets if target.output in t.inputs]
        fits = {line for line in near if line in target.lines}
        if len(fits) == 1:
            target.line, target.state = fits.pop(), LINE


def add_fused(targets, calls):
    """Lines without a target were fused into the neighbours in the order of execution."""
    owned = {t.line for t in targets if t.line}
    lines = [c.line for c in calls if c.level == PART]
    for i, line in enumerate(lines):
        for step in () if line in owned else (-1, 1):
            j = i
            while 0 <= j < len(lines) and lines[j] not in owned:
                j += step
            for target in targets:
                if 0 <= j < len(lines) and target.line == lines[j]:
                    target.also.add(line)


def settle(instructions, calls):
    """Every target with its line."""
    targets = targets_of(instructions)
    groups: Dict[tuple, List[Target]] = {}
    for t in targets:
        groups.setdefault((frozenset(t.operators), comparable(t.shape, t.compare), t.compare), []).append(t)
    for (operators, wanted, compare), group in groups.items():
        rivals = sum(group[0].operators & t.operators != set() and not t.movement and t.compare != NUMEL and
                     comparable(t.shape, ANY_LAYOUT) == comparable(group[0].shape, ANY_LAYOUT) for t in targets)
        rivals = max(len(group), rivals if compare == EXACT and not group[0].kind and not group[0].movement else 0)
        decide(group, rivals, operators, wanted, compare, calls)
        if not group[0].known and compare == EXACT and not group[0].kind:  # a pass may have changed the layout
            decide(group, rivals, operators, comparable(wanted, ANY_LAYOUT), ANY_LAYOUT, calls)
    narrow(targets, groups.values(), calls)
    for target in targets:
        target.lines = {calls[i].line for i in target.calls}
        if len(target.lines) == 1:
            target.line, target.state = min(target.lines), LINE
        elif target.movement and not target.known:
            target.state = INSERTED
    doubt_pairs(targets)
    by_neighbours(targets)
    add_fused(targets, calls)
    return targets


def possible_nodes(events, nodes):
    """For each event the nodes that a longest order-preserving matching can give it."""
    n, m = len(nodes), len(events)
    fits = [[nodes[i].kind in kinds.event_nodes(e) for e in events] for i in range(n)]
    ahead = [[0] * (m + 1) for _ in range(n + 1)]
    behind = [[0] * (m + 1) for _ in range(n + 1)]
    for i in range(n):
        for j in range(m):
            ahead[i + 1][j + 1] = max(ahead[i][j + 1], ahead[i + 1][j], ahead[i][j] + fits[i][j])
    for i in range(n - 1, -1, -1):
        for j in range(m - 1, -1, -1):
            behind[i][j] = max(behind[i + 1][j], behind[i][j + 1], behind[i + 1][j + 1] + fits[i][j])
    return [[i for i in range(n) if fits[i][j] and ahead[i][j] + 1 + behind[i + 1][j + 1] == ahead[n][m]] for j in range(m)]


def with_clamps(nodes):
    """Nodes and the steps of their bounds, each with its number."""
    from program import Node

    steps = []
    for i, node in enumerate(nodes):
        steps.append((i, node))
        if node.clamped and node.kind in ("Add", "Subtract", "Multiply", "Div"):
            steps.append((i + CLAMP, Node("Clamp", node.shape)))
    return steps


def truth_of(events, instructions, calls, strict):
    """What is right for each event of an execution.

    A program that was not exported strictly knows only the lines of the modules' forward: of a function in between, and of a
    control flow's body, the line that called it.
    """
    if not strict:
        calls = [replace(c, line=c.around or c.forward or c.line) for c in calls]
    targets = {t.place: t for t in settle(instructions, calls)}
    inner: Dict[int, List[int]] = {}
    for i, e in enumerate(events):
        if e.inside:
            inner.setdefault(e.instruction, []).append(i)
    rows: List[Optional[dict]] = [None] * len(events)
    for i, e in enumerate(events):
        if e.name.startswith("native_call_"):
            rows[i] = row(e, [targets.get((e.instruction,))])
    for number, places in inner.items():
        steps = with_clamps(instructions[number].nodes) if number in instructions else []
        fitting = possible_nodes([events[i].name for i in places], [n for _, n in steps])
        for i, fits in zip(places, fitting):
            named = kinds.named_nodes(events[i].name)
            found = [targets.get((number, n)) for n in named[:1] or [steps[f][0] for f in fits]]
            rows[i] = row(events[i], found, [targets.get((number, n)) for n in named[1:]])
            if events[i].name.startswith(kinds.RUNTIME_EVENTS):
                rows[i]["state"] = INSERTED
    return [r for r in rows if r is not None]


def row(event, found, more=()):
    """found: what the event may have run; more: what it ran besides, which a kernel of ours did in one go."""
    out = {"chain": event.chain, "instruction": event.instruction, "name": event.name, "nth": event.nth}
    states = {t.state if t else UNKNOWN for t in found} or {UNKNOWN}
    lines = {t.line for t in found if t}
    if states == {LINE} and len(lines) == 1:
        lines |= {t.line for t in more if t and t.line and t.kind not in ATTACHED}
        also = set().union(*(t.also | t.lines for t in [*found, *more] if t)) - lines
        return {**out, "state": LINE, "lines": sorted(lines), "also": sorted(also)}
    return {**out, "state": INSERTED if states == {INSERTED} else UNKNOWN}
