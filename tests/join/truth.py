"""The right lines of the events of a trace, from three sources that know nothing of an ETRecord:

  eager.py    what each line computes, and in which shapes
  program.py  what each instruction and each payload node of the program computes, and in which shapes
  kinds.py    the names that one operator has in each of them

An operator of one kind with one shape stands on one line; where several lines compute the same kind and shape, their order
decides, provided that the program has as many. What is left is said to be unknown, and is in no figure.
"""
from dataclasses import dataclass, field
from typing import Dict, List, Optional, Set, Tuple

import kinds
from eager import FUNCTION, PART, WHOLE

LINE, INSERTED, UNKNOWN = "line", "inserted", "unknown"


@dataclass
class Target:
    """Something of the program that runs: a kernel call or a payload node."""

    instruction: int
    node: Optional[int]
    operators: Set[str]
    shapes: List[Tuple[int, ...]]
    movement: bool
    exact: bool
    state: str = UNKNOWN
    line: Optional[str] = None
    call: Optional[int] = None  # position of the call in the log
    also: Set[str] = field(default_factory=set)  # lines that were fused into it


def targets_of(instructions):
    found = []
    for number, instruction in sorted(instructions.items()):
        if instruction.operator:
            name = kinds.kernel_name(instruction.operator)
            found.append(Target(number, None, kinds.kernel_operators(instruction.operator), instruction.shapes,
                                name in kinds.INSERTED_KERNELS, True))
        for i, node in enumerate(instruction.nodes):
            found.append(Target(number, i, kinds.node_operators(node.kind), [node.shape], node.kind in kinds.MOVEMENTS,
                                node.kind == "StaticTranspose"))
            if node.clamped:  # bounds may run as an event of their own
                found.append(Target(number, i + CLAMP, kinds.node_operators("Clamp"), [node.shape], False, False))
    return found


CLAMP = 1 << 20  # added to a node's number: the bounds of its output


def signature(shape):
    return tuple(sorted(d for d in shape if d != 1))


def key_of(target):
    shape = target.shapes[0] if target.shapes else ()
    return (frozenset(target.operators), shape if target.exact else signature(shape), target.exact)


def candidates(key, calls, level):
    operators, wanted, exact = key
    return [i for i, c in enumerate(calls)
            if c.level == level and c.op in operators and (c.shapes[0] if exact else signature(c.shapes[0])) == wanted]


def decide(group, key, calls):
    """Lines of the targets of one kind and shape."""
    for level in (PART, WHOLE, FUNCTION):
        found = candidates(key, calls, level)
        if not found:
            continue
        lines = {calls[i].line for i in found}
        for n, target in enumerate(group):
            if len(found) == len(group):
                target.call = found[n]
            if len(lines) == 1 or len(found) == len(group):
                target.line, target.state = calls[found[n] if len(found) == len(group) else found[0]].line, LINE
        if group[0].state == LINE:
            return
    if group[0].movement and not any(candidates(key, calls, level) for level in (PART, WHOLE, FUNCTION)):
        for target in group:
            target.state = INSERTED


def settle(instructions, calls):
    """Every target with its line; calls that no target has are fused into their neighbours."""
    targets = targets_of(instructions)
    groups: Dict[tuple, List[Target]] = {}
    for target in targets:
        groups.setdefault(key_of(target), []).append(target)
    for key, group in groups.items():
        decide(group, key, calls)
        if group[0].state == UNKNOWN and key[2]:  # exact shapes led nowhere
            decide(group, (key[0], signature(key[1]), False), calls)
    owner = {t.line: t for t in targets if t.line}
    parts = [c for c in calls if c.level == PART]
    lines = [c.line for c in parts]
    for i, line in enumerate(lines):
        if line in owner:
            continue
        for step in (-1, 1):
            j = i
            while 0 <= j < len(lines) and lines[j] not in owner:
                j += step
            if 0 <= j < len(lines):
                for target in targets:
                    if target.line == lines[j]:
                        target.also.add(line)
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
            steps.append((i + CLAMP, Node("Clamp", node.shape, False)))
    return steps


def truth_of(events, instructions, calls):
    """What is right for each event of an execution."""
    targets = {(t.instruction, t.node): t for t in settle(instructions, calls)}
    inner: Dict[int, List[int]] = {}
    for i, e in enumerate(events):
        if e.inside:
            inner.setdefault(e.instruction, []).append(i)
    rows: List[Optional[dict]] = [None] * len(events)
    for i, e in enumerate(events):
        if e.name.startswith("native_call_"):
            rows[i] = row(e, [targets.get((e.instruction, None))])
    for number, places in inner.items():
        steps = with_clamps(instructions[number].nodes) if number in instructions else []
        names = [events[i].name for i in places]
        for i, fitting in zip(places, possible_nodes(names, [n for _, n in steps])):
            if names[places.index(i)].startswith(kinds.RUNTIME_EVENTS):
                rows[i] = {**row(events[i], []), "state": INSERTED}
                continue
            rows[i] = row(events[i], [targets.get((number, steps[f][0])) for f in fitting])
    return [r for r in rows if r is not None]


def row(event, found):
    out = {"chain": event.chain, "instruction": event.instruction, "name": event.name, "nth": event.nth}
    states = {t.state if t else UNKNOWN for t in found} or {UNKNOWN}
    lines = {t.line for t in found if t}
    if states == {LINE} and len(lines) == 1:
        also = set.union(*(t.also for t in found)) - lines
        return {**out, "state": LINE, "line": lines.pop(), "also": sorted(also)}
    return {**out, "state": INSERTED if states == {INSERTED} else UNKNOWN}
