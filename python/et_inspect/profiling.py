"""profile(): runs a program and gives its trace."""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path
from typing import Any, List, Optional, Sequence

from .errors import ArgumentError, DtypeError, Error, from_code
from .runtime import NOT_IN_NUMPY, Method, Module, Tensor, _choice, program_source
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
    for what, number in (("runs", runs), ("warmup", warmup)):
        if not isinstance(number, int):
            raise DtypeError(f"profile: expected {what} to be an integer, got {type(number).__name__}", 0x13, "InvalidType")
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
        return _upstream(program, inputs, runs, warmup, method, data_files, trace_values, options)
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
        values = _given(called, inputs)
        called.set_traced(False)
        for _ in range(warmup):
            called(*values)
        called.set_traced(True)
        for _ in range(runs):
            called(*values)
        return module.trace(**options)


def _given(method: Method, inputs: Optional[Sequence[Any]]) -> List[Any]:
    return list(inputs) if inputs is not None else [_ones(value) for value in method.inputs]


def _ones(value: Any) -> Any:
    import numpy

    if value["kind"] == "tensor":
        if value["dtype"] in NOT_IN_NUMPY:
            bits = numpy.uint16 if value["dtype"] == "bfloat16" else numpy.uint8
            return Tensor(numpy.full(value["shape"], NOT_IN_NUMPY[value["dtype"]], bits), value["dtype"])
        return numpy.ones(value["shape"], dtype=value["dtype"])
    return None if value["kind"] == "none" else ...  # as the program was exported


def _upstream(
    program: Any, inputs: Any, runs: int, warmup: int, method: Any, data_files: Any, trace_values: str, options: Any
) -> Trace:
    from executorch.extension.pybindings import portable_lib

    if data_files:
        raise ArgumentError("profile: data_files work with runtime='native' only", 0x12, "InvalidArgument")
    source = program_source(program)
    logs = _choice("trace_values", trace_values, ("none", "outputs", "all")) > 0
    with Module(source) as module:  # says what is wrong with the program, and what the method takes
        called = module.method(_name(module.method_names, method))
        values = _torch_values(called, inputs)
    data = Path(source).read_bytes() if isinstance(source, str) else source
    name = called.name
    # Warm-up without the tracer: another module, so that its dump has the measured runs alone.
    if warmup:
        _run_upstream(portable_lib._load_for_executorch_from_buffer(data), name, values, warmup)
    # ExecuTorch logs the values of all operators or none.
    traced = portable_lib._load_for_executorch_from_buffer(
        data, enable_etdump=True, debug_buffer_size=_DEBUG_BYTES if logs else 0
    )
    _run_upstream(traced, name, values, runs)
    with tempfile.TemporaryDirectory(prefix="et_inspect-") as folder:
        dump, debug = os.path.join(folder, "etdump.etdp"), os.path.join(folder, "debug.bin")
        traced.write_etdump_result_to_file(dump, debug) if logs else traced.write_etdump_result_to_file(dump)
        if logs:
            options = {**options, "debug_buffer": debug}
        return open(dump, pte=data, method=name, **options)


_DEBUG_BYTES = 256 << 20


def _torch_values(method: Method, inputs: Optional[Sequence[Any]]) -> List[Any]:
    """The inputs, checked as for our runtime, as dense tensors of torch and numbers."""
    values, _ = method._checked(_given(method, inputs))
    out = []
    for i, (value, wanted) in enumerate(zip(values, method.inputs)):
        if value is ...:
            value = method._module._core.exported(method.name, i)
        out.append(_torch_tensor(value, wanted, i) if wanted["kind"] == "tensor" and value is not None else value)
    return out


def _torch_tensor(value: Any, wanted: Any, index: int) -> Any:
    import torch

    if isinstance(value, torch.Tensor):
        tensor = value
    elif isinstance(value, Tensor):
        tensor = torch.from_dlpack(value)
    else:
        tensor = torch.as_tensor(value)
    shape, expected = tuple(tensor.shape), tuple(wanted["shape"])
    fits = len(shape) == len(expected) and (wanted["dynamic"] and all(map(int.__le__, shape, expected)) or shape == expected)
    if not fits:
        most = "at most " if wanted["dynamic"] else ""
        raise ArgumentError(f"input {index}: expected {most}{list(expected)}, got {list(shape)}", 0x12, "InvalidArgument")
    # Strides of torch's own: its bridge to ExecuTorch ends the process at those that numpy gives an empty array.
    return tensor.contiguous() if tensor.numel() else torch.empty(shape, dtype=tensor.dtype)


def _run_upstream(module: Any, name: str, values: Sequence[Any], runs: int) -> None:
    try:
        for _ in range(runs):
            module.run_method(name, values)
    except RuntimeError as e:
        found = re.search(r"error: 0x([0-9a-fA-F]+)", str(e))
        code = int(found[1], 16) if found else 1
        raise _error(code, f"ExecuTorch's runtime: {str(e).strip()}") from e


def _error(code: int, message: str) -> Error:
    names = {0x12: "InvalidArgument", 0x14: "OperatorMissing", 0x20: "NotFound", 0x21: "MemoryAllocationFailed"}
    return from_code(code, names.get(code, "Internal"), message)
