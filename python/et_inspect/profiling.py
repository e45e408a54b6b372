"""profile(): runs a program and gives its trace."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any, Mapping, Optional, Sequence

from .errors import ArgumentError
from .runtime import NOT_IN_NUMPY, Module, Tensor, program_source
from .trace import Trace, open


def profile(
    program: Any,
    inputs: Optional[Sequence[Any]] = None,
    runs: int = 20,
    warmup: int = 3,
    etrecord: Any = None,
    runtime: str = "native",
    *,
    method: Optional[str] = None,
    data_files: Sequence[Any] = (),
    trace_values: str = "none",
    store: Any = None,
    basis: str = "warm",
    progress: Any = "auto",
) -> Trace:
    """Runs a method ``runs`` times and returns the Trace; ``warmup`` runs before those are not traced.

    ``program``: path or bytes of a .pte, an ``ExecutorchProgramManager`` or ``EdgeProgramManager`` of ExecuTorch.
    ``inputs``: the method's inputs; without them tensors of ones, and numbers as they were exported. ``etrecord``: path, bytes or an ``ETRecord``; taken from
    the manager where it was asked to generate one. ``basis``: see ``Trace.basis``. ``runtime="executorch"`` runs ExecuTorch's own runtime in this process.
    """
    if runs < 1 or warmup < 0:
        raise ArgumentError(f"profile: expected runs > 0 and warmup >= 0, got {runs} and {warmup}", 0x12, "InvalidArgument")
    if hasattr(program, "to_executorch"):  # an EdgeProgramManager
        program = program.to_executorch()
    if etrecord is None:
        etrecord = _record_of(program)
    options = {"etrecord": etrecord, "store": store, "basis": basis, "progress": progress}
    if runtime == "native":
        return _native(program, inputs, runs, warmup, method, data_files, trace_values, options)
    if runtime == "executorch":
        return _upstream(program, inputs, runs, warmup, method, data_files, options)
    raise ArgumentError(f"profile: expected runtime native or executorch, got {runtime!r}", 0x12, "InvalidArgument")


def _record_of(program: Any) -> Any:
    """The ETRecord that a manager made on the way, complete only now that the program exists."""
    try:
        return program.get_etrecord() if hasattr(program, "get_etrecord") else None
    except RuntimeError:  # it was not asked to make one
        return None


def _name(names: Sequence[str], method: Optional[str]) -> str:
    return method or ("forward" if "forward" in names or len(names) != 1 else names[0])


def _native(
    program: Any, inputs: Any, runs: int, warmup: int, method: Any, data_files: Any, trace_values: str, options: Any
) -> Trace:
    with Module(program, data_files, trace=True, trace_values=trace_values) as module:
        called = module.method(_name(module.method_names, method))
        values = list(inputs) if inputs is not None else [_ones(value) for value in called.inputs]
        called.set_traced(False)
        for _ in range(warmup):
            called(*values)
        called.set_traced(True)
        for _ in range(runs):
            called(*values)
        return module.trace(**options)


def _ones(value: Any, numbers: Mapping[str, Any] = {}) -> Any:
    import numpy

    if value["kind"] == "tensor":
        if value["dtype"] in NOT_IN_NUMPY:
            bits = numpy.uint16 if value["dtype"] == "bfloat16" else numpy.uint8
            return Tensor(numpy.full(value["shape"], NOT_IN_NUMPY[value["dtype"]], bits), value["dtype"])
        return numpy.ones(value["shape"], dtype=value["dtype"])
    # Numbers and texts as the program was exported.
    return None if value["kind"] == "none" else numbers.get(value["kind"], ...)


def _upstream(
    program: Any, inputs: Any, runs: int, warmup: int, method: Any, data_files: Any, options: Any
) -> Trace:
    import torch
    from executorch.extension.pybindings import portable_lib

    if data_files:
        raise ArgumentError("profile: data_files work with runtime='native' only", 0x12, "InvalidArgument")
    source = program_source(program)
    data = Path(source).read_bytes() if isinstance(source, str) else source
    name = _name([], method)
    if inputs is None:
        with Module(data) as module:
            name = _name(module.method_names, method)
            inputs = [_ones(value, {"int": 1, "bool": True, "float": 1.0}) for value in module.method(name).inputs]
    values = [
        torch.from_dlpack(v) if isinstance(v, Tensor) else torch.as_tensor(v) if hasattr(v, "__array__") else v for v in inputs
    ]
    # Warm-up without the tracer: another module, so that its dump has the measured runs alone.
    if warmup:
        cold = portable_lib._load_for_executorch_from_buffer(data)
        for _ in range(warmup):
            cold.run_method(name, values)
    module = portable_lib._load_for_executorch_from_buffer(data, enable_etdump=True)
    for _ in range(runs):
        module.run_method(name, values)
    with tempfile.TemporaryDirectory(prefix="et_inspect-") as folder:
        dump = os.path.join(folder, "etdump.etdp")
        module.write_etdump_result_to_file(dump)
        return open(dump, pte=data, **options)
