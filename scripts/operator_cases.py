"""Conformance cases of one operator: samples, eager PyTorch's answers, and the bundled program of each.

Samples come from scripts/operator_samples.py, and otherwise from PyTorch's own OpInfo database, run while every call of
the wanted operator is recorded. A sample is exported with nothing decomposed, so that the program calls the operator as
itself. Inputs are contiguous. The tolerance of a case is the tightest of a few steps for its dtype that the upstream
runtime meets too; where upstream has no such kernel, the tightest step.
"""
import collections
import contextlib
import dataclasses
import multiprocessing
import random
import tempfile

import executorch.exir.program._program as program_module
import torch
from executorch.devtools import BundledProgram
from executorch.devtools.bundled_program.config import MethodTestCase, MethodTestSuite
from executorch.devtools.bundled_program.serialize import serialize_from_bundled_program_to_flatbuffer
from executorch.exir import EdgeCompileConfig, to_edge
from executorch.exir.passes import (ReplaceBrokenOpsWithFunctionalOpsPass, ReplaceSymSizeOpPass, ScalarToTensorPass,
                                    SymToTensorPass)
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import TorchDispatchMode, _disable_current_modes

import operator_samples

MAX_ELEMENTS = 1000
DTYPES = {
    torch.float32: "f32", torch.float64: "f64", torch.float16: "f16", torch.bfloat16: "bf16", torch.int8: "i8",
    torch.uint8: "u8", torch.int16: "i16", torch.int32: "i32", torch.int64: "i64", torch.bool: "b",
    torch.complex64: "c64", torch.complex128: "c128",
}
# (rtol, atol), the tightest first. Integers and bool are compared exactly.
STEPS = {
    torch.float32: [(1e-5, 1e-6), (1e-4, 1e-5), (1e-3, 1e-4)],
    torch.float64: [(1e-9, 1e-10), (1e-6, 1e-7), (1e-5, 1e-6)],
    torch.float16: [(1e-3, 1e-3), (4e-3, 4e-3), (1e-2, 1e-2)],
    torch.bfloat16: [(8e-3, 8e-3), (2e-2, 2e-2), (4e-2, 4e-2)],
}
STEPS[torch.complex64], STEPS[torch.complex128] = STEPS[torch.float32], STEPS[torch.float64]


@dataclasses.dataclass(eq=False)
class Case:
    args: tuple
    kwargs: dict

    def leaves(self):
        return pytree.tree_leaves((self.args, self.kwargs))

    def tensors(self):
        return [leaf for leaf in self.leaves() if isinstance(leaf, torch.Tensor)]


def value_text(value):
    if isinstance(value, torch.Tensor):
        return DTYPES[value.dtype] + "[" + ",".join(map(str, value.shape)) + "]"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(value_text, value)) + "]"
    return str(value).removeprefix("torch.")


def arguments_text(functional, case):
    """As in the manifest: "self=f32[2,3], dim=1"."""
    names = [a.name for a in functional._schema.arguments]
    given = list(zip(names, case.args)) + list(case.kwargs.items())
    return ", ".join(f"{name}={value_text(value)}" for name, value in given)


class Recorder(TorchDispatchMode):
    """Keeps the arguments of every call of one of the wanted operators."""

    def __init__(self, wanted):
        super().__init__()
        self.wanted, self.cases = wanted, []

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if function in self.wanted:
            with _disable_current_modes():
                copy = lambda v: v.detach().contiguous().clone() if isinstance(v, torch.Tensor) else v
                case = Case(*pytree.tree_map(copy, (tuple(args), dict(kwargs))))
                for name in ("device", "layout", "pin_memory"):
                    case.kwargs.pop(name, None)
                self.cases.append(case)
        return function(*args, **kwargs)


def usable(case):
    tensors = case.tensors()
    return bool(tensors) and all(t.numel() <= MAX_ELEMENTS and t.dtype in DTYPES for t in tensors) and not any(
        isinstance(leaf, (complex, torch.Generator)) for leaf in case.leaves())


def samples(kernel, functional, seed):
    """All samples there are, in an order that follows from the seed."""
    torch.manual_seed(seed)
    written = getattr(operator_samples, kernel.replace("::", "_").replace(".", "_"), None)
    if written is not None:
        cases = [Case(args, {}) for args in written()]
    else:
        cases = recorded_samples(functional)
    cases = [case for case in cases if usable(case)]
    random.Random(seed).shuffle(cases)
    return cases


def recorded_samples(functional):
    from torch.testing._internal.common_methods_invocations import op_db

    name = functional._schema.name.split("::")[1]
    wanted, names = {functional}, {name, name.strip("_")}
    if name.endswith("_copy"):  # the samples are those of the operator that returns a view
        names.add(name[:-len("_copy")])
        view = getattr(torch.ops.aten, name[:-len("_copy")], None)
        if view is not None and functional._overloadname in view.overloads():
            wanted.add(getattr(view, functional._overloadname))
    recorder = Recorder(wanted)
    for info in op_db:
        if not names & {info.name, info.name.split(".")[-1], info.aten_name}:
            continue
        for dtype in [d for d in DTYPES if d in info.dtypes]:
            for number, sample in enumerate(info.sample_inputs("cpu", dtype, requires_grad=False)):
                if number == 24:
                    break
                with contextlib.suppress(RuntimeError, TypeError, ValueError, IndexError), recorder:
                    info.op(sample.input, *sample.args, **sample.kwargs)
    return recorder.cases


def features(case):
    tensors = case.tensors()
    found = [("dtypes", tuple(sorted({DTYPES[t.dtype] for t in tensors})), 3.0),
             ("rank", max(t.dim() for t in tensors), 2.0),
             ("empty", any(t.numel() == 0 for t in tensors), 1.0),
             ("broadcast", len({tuple(t.shape) for t in tensors}) > 1, 0.7),
             ("tensors", len(tensors), 0.7)]
    constants = [leaf for leaf in case.leaves() if not isinstance(leaf, torch.Tensor)]
    return found + [(f"constant{i}", repr(value), 0.6) for i, value in enumerate(constants)]


def by_novelty(cases):
    """The next is always the one that differs most from those before it; float32 with elements comes first."""
    seen, left = collections.Counter(), list(cases)
    while left:
        def novelty(case):
            plain = all(t.dtype == torch.float32 and t.numel() > 1 for t in case.tensors())
            return sum(w / (1 + 2 * seen[key, value]) for key, value, w in features(case)) + (5 if plain and not seen else 0)
        best = max(left, key=novelty)
        left.remove(best)
        for key, value, _ in features(best):
            seen[key, value] += 1
        yield best


class Call(torch.nn.Module):
    """Calls the operator: tensors are inputs of the program, everything else is constant."""

    def __init__(self, functional, case):
        super().__init__()
        self.functional, (self.leaves, self.spec) = functional, pytree.tree_flatten((case.args, case.kwargs))

    def forward(self, *tensors):
        given = iter(tensors)
        leaves = [next(given) if isinstance(leaf, torch.Tensor) else leaf for leaf in self.leaves]
        args, kwargs = pytree.tree_unflatten(leaves, self.spec)
        return tuple(o for o in pytree.tree_leaves(self.functional(*args, **kwargs)) if isinstance(o, torch.Tensor))


@contextlib.contextmanager
def nothing_decomposed():
    kept = program_module._default_decomposition_table, program_module._get_aten_to_edge_passes
    passes = [ReplaceSymSizeOpPass(), ReplaceBrokenOpsWithFunctionalOpsPass(), ScalarToTensorPass(), SymToTensorPass()]
    program_module._default_decomposition_table = lambda: {}
    program_module._get_aten_to_edge_passes = lambda config: (passes, program_module.base_post_op_replace_passes)
    try:
        yield
    finally:
        program_module._default_decomposition_table, program_module._get_aten_to_edge_passes = kept


def lower(kernel, functional, case):
    """The program, the inputs and the expected outputs; ValueError where the program does not call the kernel."""
    module, inputs = Call(functional, case).eval(), tuple(case.tensors())
    copies = lambda: tuple(t.clone() for t in inputs)
    exported = torch.export.export(module, copies(), strict=False)
    with nothing_decomposed():
        config = EdgeCompileConfig(_check_ir_validity=False, _skip_dim_order=not kernel.startswith("dim_order_ops"))
        manager = to_edge(exported, compile_config=config).to_executorch()
    plan = manager.executorch_program.execution_plan[0]
    operators = [f"{o.name}.{o.overload}" if o.overload else o.name for o in plan.operators]
    if kernel not in operators:
        raise ValueError(f"the program calls {', '.join(operators)}")
    expected = tuple(o.detach().contiguous() for o in module(*copies()))
    if not expected or any(o.dtype not in DTYPES for o in expected):
        raise ValueError("no tensor as output")
    return manager, inputs, expected


def run_upstream(buffer, inputs, results):
    """In a process of its own: the upstream runtime ends its process on some failures."""
    with contextlib.suppress(Exception):
        from executorch.extension.llm.custom_ops import custom_ops  # noqa: F401
    import executorch.kernels.quantized  # noqa: F401
    from executorch.extension.pybindings import portable_lib

    program = portable_lib._load_for_executorch_from_buffer(buffer)
    torch.save(program.run_method("forward", inputs), results)


def tolerance(buffer, inputs, expected):
    """(rtol, atol), and whether the upstream runtime meets it; None: it has no answer."""
    floating = [o.dtype for o in expected if o.dtype in STEPS]
    steps = STEPS[max(floating, key=lambda d: STEPS[d][0])] if floating else [(0.0, 0.0)]
    with tempfile.NamedTemporaryFile(suffix=".pt") as results:
        process = multiprocessing.get_context("spawn").Process(target=run_upstream, args=(buffer, inputs, results.name))
        process.start()
        process.join()
        if process.exitcode != 0:
            return steps[0], None
        got = torch.load(results.name)
    for rtol, atol in steps:
        if all(g.dtype == e.dtype and g.shape == e.shape and torch.allclose(g, e, rtol, atol, equal_nan=True)
               for g, e in zip(got, expected)):
            return (rtol, atol), True
    return steps[0], False


def make_cases(kernel, functional, count, seed):
    """Yields (manifest entry without its file, bytes of the bundled program) for `count` cases."""
    made, problem = 0, "no samples: add a function to scripts/operator_samples.py"
    for case in by_novelty(samples(kernel, functional, seed)):
        if made == count:
            return
        try:
            manager, inputs, expected = lower(kernel, functional, case)
        except Exception as error:  # the exporter raises anything
            problem = f"{arguments_text(functional, case)}: {str(error).strip().splitlines()[0] if str(error) else error!r}"
            continue
        (rtol, atol), met = tolerance(bytes(manager.buffer), inputs, expected)
        suite = MethodTestSuite("forward", [MethodTestCase(inputs=inputs, expected_outputs=expected)])
        entry = {"target": kernel, "args": arguments_text(functional, case), "rtol": rtol, "atol": atol}
        yield entry, serialize_from_bundled_program_to_flatbuffer(BundledProgram(manager, [suite])), met
        made += 1
    if made < count:
        raise SystemExit(f"{kernel}: expected {count} cases, got {made}: {problem}")
