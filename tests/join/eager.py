"""Which line computes what: the model runs in PyTorch itself, and every operator is noted with the line that called it.

Nothing of the export is used, so that the lines are known independently of what an ETRecord says. An operator is noted at
three levels: as the function that the line calls, as ATen's operator, and as the operators it decomposes into.
"""
import contextlib
import os
import sys
import unittest.mock
from dataclasses import dataclass
from typing import FrozenSet, List, Optional, Tuple

import torch
import torch.nn.attention
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from model import SOURCES

FUNCTION, WHOLE, PART = "function", "whole", "part"


@dataclass
class Call:
    """One operator, as it ran."""

    line: str  # file.py:12
    op: str    # conv2d, convolution
    level: str
    shapes: List[Tuple[int, ...]]
    around: Optional[str] = None  # in the body of a control flow: the line of the control flow
    forward: Optional[str] = None  # the line of the module's forward, when a function of the user's is in between
    needs: FrozenSet[int] = frozenset()  # positions in the log of the calls that its inputs come from


def current_line(function=None):
    """The innermost frame that is in a file of models; with a function, the innermost one of that function."""
    frame = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_filename in SOURCES and function in (None, frame.f_code.co_name):
            return f"{os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno}"
        frame = frame.f_back
    return None


def tensors(value):
    return [v for v in torch.utils._pytree.tree_leaves(value) if isinstance(v, torch.Tensor)]


class Log:
    def __init__(self):
        self.calls, self.muted, self.around = [], 0, None
        self.origins, self.kept = {}, []  # tensor's identity → calls that it comes from; kept, so that none is used twice

    def add(self, op, level, args, out):
        line = current_line()
        outs, ins = tensors(out), tensors(args)
        needs = frozenset().union(*(self.origins.get(id(i), frozenset()) for i in ins))
        for o in outs:
            self.origins[id(o)] = self.origins.get(id(o), frozenset()) | needs | {len(self.calls)}
        self.kept += outs
        if line is None or not outs or self.muted:
            return
        self.calls.append(Call(line, op, level, [tuple(int(s) for s in o.shape) for o in outs], self.around,
                               current_line("forward"), needs))


class Functions(TorchFunctionMode):
    def __init__(self, log):
        super().__init__()
        self.log = log

    def __torch_function__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        name = getattr(func, "__name__", "")
        self.log.add(name.strip("_"), FUNCTION, (args, kwargs), out)
        return out


class Operators(TorchDispatchMode):
    def __init__(self, log):
        super().__init__()
        self.log, self.table, self.depth = log, torch.export.default_decompositions(), 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        name = func._schema.name.split("::")[1]
        level = PART if self.depth else WHOLE
        if func in self.table:
            self.depth += 1
            try:
                with self:
                    out = self.table[func](*args, **kwargs)
            finally:
                self.depth -= 1
            if out is not NotImplemented:
                self.log.add(name, level, (args, kwargs), out)
                return out
        out = func(*args, **kwargs)
        self.log.add(name, level, (args, kwargs), out)
        if level == WHOLE:
            self.log.add(name, PART, (args, kwargs), out)
        return out


@contextlib.contextmanager
def plain_control_flow(log):
    """Control flow as Python runs it, a body's lines noted once, both branches of a condition."""

    @contextlib.contextmanager
    def body(index=0):
        outer, log.around = log.around, log.around or current_line()
        log.muted += index > 0
        yield
        log.muted -= index > 0
        log.around = outer

    def cond(pred, yes, no, operands=()):
        with body():
            results = [yes(*operands), no(*operands)]
        return results[0] if bool(pred) else results[1]

    def control_map(f, xs, *args):
        rows = []
        for i in range(len(xs)):
            with body(i):
                rows.append(f(xs[i], *args))
        return torch.stack(rows)

    def scan(f, init, xs, **kwargs):
        carry, rows = init, []
        for i in range(len(xs)):
            with body(i):
                carry, row = f(carry, xs[i])
            rows.append(row)
        return carry, torch.stack(rows)

    def while_loop(more, step, state):
        i = 0
        while True:
            with body(i):
                if not bool(more(*state)):
                    return state
                state = step(*state)
            i += 1

    with contextlib.ExitStack() as stack:
        for target, new in (("torch.cond", cond), ("functorch.experimental.control_flow.map", control_map),
                            ("torch._higher_order_ops.scan", scan), ("torch._higher_order_ops.while_loop", while_loop)):
            stack.enter_context(unittest.mock.patch(target, new))
        yield


def run_noted(module, inputs):
    """Every operator call of a run, in order; attention step by step, as torch.export takes it apart."""
    log = Log()
    attention = torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH)
    with torch.no_grad(), attention, plain_control_flow(log), Functions(log), Operators(log):
        module(*inputs)
    return log.calls
