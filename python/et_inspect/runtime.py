"""Module, Method and Tensor: load a program and run it.

    model = et_inspect.Module("model.pte")
    y, = model.forward(x)          # x: numpy, torch, anything with __dlpack__
    y.numpy(), torch.from_dlpack(y)
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import weakref
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional, Sequence, Union

from . import _core
from .errors import AccessError, ArgumentError, DelegateError, DtypeError, Error, FormatError, NotFoundError, OperatorMissingError, StateError

if TYPE_CHECKING:
    from .trace import Trace

PathLike = Union[str, "os.PathLike[str]"]
Program = Union[PathLike, bytes, bytearray, memoryview]
Tensor = _core.Tensor

_LOAD_MODES = ("file", "mmap", "mmap_lock", "mmap_lock_if_possible", "mmap_read_ahead")
_VALUES = ("none", "outputs", "all")
# Dtypes that numpy lacks, and the bits of 1 in them.
NOT_IN_NUMPY = {"bfloat16": 0x3F80, "float8_e5m2": 0x3C, "float8_e4m3fn": 0x38}


class Module:
    """A program. Methods are loaded when they are first needed; they keep their mutable state between executions.
    Several threads may call it; one at a time runs, without the interpreter's lock.

    ``program``: path or bytes of a .pte, or an ``ExecutorchProgramManager``. ``data_files``: tensor files (.ptd) with its
    weights. ``trace=True`` records every execution; ``trace_values`` ("none", "outputs", "all") logs values with it.
    """

    def __init__(
        self,
        program: Any,
        data_files: Union[PathLike, Sequence[PathLike]] = (),
        *,
        load_mode: str = "file",
        share_memory: bool = False,
        trace: bool = False,
        trace_values: str = "none",
        max_trace_bytes: int = 0,
    ) -> None:
        files = [data_files] if isinstance(data_files, (str, os.PathLike)) else list(data_files)
        self._folder: Optional[str] = None
        self._source: Union[str, bytes] = program_source(program)
        debug = ""
        if trace and _choice("trace_values", trace_values, _VALUES) > 0:
            debug = os.path.join(self._scratch(), "debug.bin")
        self._debug = debug
        path = self._source if isinstance(self._source, str) else ""
        self._core = _core.Program()
        with self._located():
            self._core.open(
                path=path,
                data=None if isinstance(self._source, str) else self._source,
                data_files=[os.fspath(f) for f in files],
                load_mode=_choice("load_mode", load_mode, _LOAD_MODES),
                share=share_memory,
                trace=trace,
                values=_choice("trace_values", trace_values, _VALUES),
                debug_path=debug,
                max_bytes=max_trace_bytes,
            )
        self._methods: Dict[str, Method] = {}

    @contextlib.contextmanager
    def _located(self) -> Iterator[None]:
        """What is wrong with the program is said of its file."""
        try:
            yield
        except (AccessError, FormatError, OperatorMissingError, DelegateError) as e:
            raise e.of_file(self._source) if isinstance(self._source, str) else e

    @property
    def method_names(self) -> List[str]:
        return self._core.names

    def method(self, name: str = "forward") -> "Method":
        if name not in self._methods:
            if name not in self._core.names:
                raise NotFoundError(f"method {name!r}: expected one of {', '.join(self._core.names)}", 0x20, "NotFound")
            self._methods[name] = Method(self, name)
        return self._methods[name]

    def __getattr__(self, name: str) -> "Method":
        # model.forward(x), model.encode(x) …
        if not name.startswith("_") and name in self._core.names:
            return self.method(name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute or method {name!r}")

    def __call__(self, *inputs: Any) -> List[Any]:
        """The method forward, or the only one."""
        names = self._core.names
        return self.method("forward" if "forward" in names or len(names) != 1 else names[0])(*inputs)

    def unload(self, name: str) -> None:
        """Frees the memory of a method; what it kept between executions is lost."""
        self._core.unload(name)

    def write_trace(self, path: PathLike) -> str:
        """Writes an ETDump of the executions so far; those after it begin a new one."""
        self._core.write_trace(os.fspath(path))
        return os.fspath(path)

    def trace(self, etrecord: Any = None, **options: Any) -> "Trace":
        """The executions so far, as et_inspect.open() gives them; those after it begin a new trace."""
        from .trace import open

        dump = self.write_trace(os.path.join(self._scratch(), "etdump.etdp"))
        if self._debug and os.path.exists(self._debug):
            options.setdefault("debug_buffer", self._debug)
        return open(dump, etrecord, self._source, **options)

    @property
    def closed(self) -> bool:
        return self._core.closed

    def close(self) -> None:
        """Frees the program; outputs that it gave stay."""
        self._core.close()

    def __enter__(self) -> "Module":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        what = "closed" if self.closed else f"methods {', '.join(self.method_names)}"
        return f"<et_inspect.Module: {what}>"

    def _scratch(self) -> str:
        if self._folder is None:
            self._folder = tempfile.mkdtemp(prefix="et_inspect-")
            weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        return self._folder


class Method:
    """A method of a module: call it with its inputs. ``inputs`` and ``outputs`` describe its values: kind, and for tensors
    dtype, shape (upper bounds where ``dynamic``)."""

    def __init__(self, module: Module, name: str) -> None:
        self._module = module
        self.name = name
        with module._located():
            info = module._core.info(name)
        self.inputs: List[Dict[str, Any]] = info["inputs"]
        self.outputs: List[Dict[str, Any]] = info["outputs"]
        self.backends: List[str] = info["backends"]

    def __call__(self, *inputs: Any) -> List[Any]:
        """Runs it. Outputs are copies: the next run leaves them alone. Arrays that lie as the program wants them are
        not copied on the way in. ``...`` leaves a number or text as the program was exported."""
        if self._module.closed:
            raise StateError("module: it is closed", 0x02, "InvalidState")
        values, writable = self._checked(inputs)
        with self._module._located():
            return self._module._core.run(self.name, values, writable)

    def _checked(self, inputs: Sequence[Any]) -> "tuple[List[Any], List[bool]]":
        """The inputs as the extension takes them, and whether their memory may be used as it is."""
        if len(inputs) != len(self.inputs):
            raise ArgumentError(
                f"method {self.name!r}: expected {len(self.inputs)} inputs, got {len(inputs)}", 0x12, "InvalidArgument"
            )
        values, writable = [], []
        for i, (value, wanted) in enumerate(zip(inputs, self.inputs)):
            value, own = _input(value, wanted, i)
            values.append(value)
            writable.append(own)
        return values, writable

    def set_traced(self, traced: bool) -> None:
        """Whether the executions that follow are recorded."""
        self._module._core.set_traced(self.name, traced)

    def __repr__(self) -> str:
        def text(value: Dict[str, Any]) -> str:
            if value["kind"] != "tensor":
                return value["kind"]
            sizes = ", ".join(map(str, value["shape"]))
            return f"{value['dtype']}[{'≤ ' if value['dynamic'] else ''}{sizes}]"

        return f"<et_inspect.Method {self.name}({', '.join(map(text, self.inputs))}) -> {', '.join(map(text, self.outputs))}>"


def program_source(program: Any) -> Union[str, bytes]:
    """Path or bytes of a program, whatever it was given as."""
    if isinstance(program, (str, os.PathLike)):
        return os.fspath(program)
    if isinstance(program, (bytes, bytearray, memoryview)):
        return bytes(program)
    if hasattr(program, "buffer"):  # ExecutorchProgramManager
        return bytes(program.buffer)
    if hasattr(program, "to_executorch"):  # EdgeProgramManager
        return bytes(program.to_executorch().buffer)
    raise TypeError(f"program: expected a path, bytes or an ExecutorchProgramManager, got {type(program).__name__}")


def _choice(what: str, value: str, names: Sequence[str]) -> int:
    if value not in names:
        raise ArgumentError(f"{what}: expected one of {', '.join(names)}, got {value!r}", 0x12, "InvalidArgument")
    return names.index(value)


def _input(value: Any, wanted: Dict[str, Any], index: int) -> "tuple[Any, bool]":
    """The value as the extension takes it, and whether its memory may be used as it is."""
    if value is ...:  # the number or text that the program was exported with
        if wanted["kind"] == "tensor":
            raise DtypeError(f"input {index}: expected a tensor of {wanted['dtype']}, got ...", 0x13, "InvalidType")
        return value, False
    if value is None or isinstance(value, (bool, int, float)):
        if wanted["kind"] == "tensor" and value is not None:
            raise DtypeError(
                f"input {index}: expected a tensor of {wanted['dtype']}, got the number {value!r}", 0x13, "InvalidType"
            )
        return value, False
    if wanted["kind"] in ("int", "bool", "float") and hasattr(value, "item"):
        return value.item(), False
    if isinstance(value, (list, tuple)) and wanted["kind"] == "tensor":
        return _array_of(value, wanted["dtype"], index), True
    detach = getattr(value, "detach", None)
    if detach is not None:  # torch's tensors that record gradients
        value = detach()
    resolve = getattr(value, "resolve_neg", None)
    if resolve is not None:  # the negative bit of a lazy view is lost by DLPack
        value = resolve()
    given = str(getattr(value, "dtype", "")).rpartition(".")[2]
    if wanted["kind"] == "tensor" and given and given != wanted["dtype"]:
        raise DtypeError(f"input {index}: expected dtype {wanted['dtype']}, got {given}", 0x13, "InvalidType")
    flags = getattr(value, "flags", None)
    return value, bool(getattr(flags, "writeable", True))


def _array_of(value: Sequence[Any], dtype: str, index: int) -> Any:
    """A list of numbers as the program's dtype, unless that would lose what they are."""
    import numpy

    if dtype in NOT_IN_NUMPY:
        raise DtypeError(
            f"input {index}: expected a tensor of {dtype}, which numpy has not, got a list: give one of torch, or"
            f" et_inspect.Tensor(bits, {dtype!r})", 0x13, "InvalidType"
        )
    try:
        array = numpy.asarray(value)
        integers = array.dtype.kind in "iu" and numpy.dtype(dtype).kind in "iu"  # numpy looks whether they fit
        if array.size and not integers and not numpy.can_cast(array.dtype, dtype, "same_kind"):
            raise TypeError(f"its numbers are {array.dtype}")
        return numpy.asarray(value, dtype=dtype)
    except (TypeError, ValueError, OverflowError) as e:
        raise DtypeError(f"input {index}: expected a tensor of {dtype}, got a list: {e}", 0x13, "InvalidType") from None


def _numpy(self: Any) -> Any:
    """The tensor as an array over the same memory."""
    if self.dtype in NOT_IN_NUMPY:
        raise TypeError(f"numpy has no {self.dtype}; torch.from_dlpack(tensor) takes it, and tensor.bits() is its memory")
    return self._numpy()


def _array(self: Any, dtype: Any = None, copy: Optional[bool] = None) -> Any:
    array = _numpy(self)
    converts = dtype is not None and dtype != array.dtype
    if converts and copy is False:
        raise ValueError(f"tensor: expected no copy, but {array.dtype} as {dtype} is one")
    return array.astype(dtype, copy=True) if copy or converts else array


def _len(self: Any) -> int:
    if not self.shape:
        raise TypeError("len() of a tensor without dimensions")
    return self.shape[0]


def _repr(self: Any) -> str:
    try:
        return f"<et_inspect.Tensor {self.dtype}{list(self.shape)}\n{_numpy(self)}>"
    except TypeError:
        return f"<et_inspect.Tensor {self.dtype}{list(self.shape)}>"


# The extension's class knows no numpy.
for _name, _function in {
    "numpy": _numpy,
    "__array__": _array,
    "__repr__": _repr,
    "__getitem__": lambda self, index: _numpy(self)[index],
    "__len__": _len,
    "__iter__": lambda self: iter(_numpy(self)),
    "__bool__": lambda self: bool(_numpy(self)),
    "__float__": lambda self: float(_numpy(self)),
    "__int__": lambda self: int(_numpy(self)),
    "tolist": lambda self: _numpy(self).tolist(),
    "item": lambda self: _numpy(self).item(),
}.items():
    setattr(Tensor, _name, _function)
