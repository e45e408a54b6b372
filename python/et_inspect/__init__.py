"""Profiler and inspector of ExecuTorch programs.

    import et_inspect

    trace = et_inspect.open("etdump.etdp", "etrecord.bin", "model.pte")
    trace.lines                                   # what each Python line costs
    trace = et_inspect.profile("model.pte", [x])  # runs the program first

Nothing heavy is imported before it is used: numpy with the first array, pandas or pyarrow with the first table, torch
and executorch only for what needs them.
"""

from __future__ import annotations

import importlib

# As typing's, whose import takes longer than all else here.
TYPE_CHECKING = False

# Names of the package, by the module that has them: imported when they are first asked for.
_HOME = {
    "open": "trace",
    "Trace": "trace",
    "Table": "table",
    "profile": "profiling",
    "Module": "runtime",
    "Method": "runtime",
    "Tensor": "runtime",
    "bundle": "bundling",
    "check": "bundling",
    "Error": "errors",
    "FormatError": "errors",
    "AccessError": "errors",
    "ArgumentError": "errors",
    "DtypeError": "errors",
    "NotFoundError": "errors",
    "OperatorMissingError": "errors",
    "StateError": "errors",
    "OutOfMemoryError": "errors",
    "DelegateError": "errors",
}
_MODULES = ("compat", "errors", "runtime", "trace", "table", "commands", "fleet")

# Spelled out for type checkers: what _HOME has, and these modules.
__all__ = [
    "open",
    "Trace",
    "Table",
    "profile",
    "Module",
    "Method",
    "Tensor",
    "bundle",
    "check",
    "Error",
    "FormatError",
    "AccessError",
    "ArgumentError",
    "DtypeError",
    "NotFoundError",
    "OperatorMissingError",
    "StateError",
    "OutOfMemoryError",
    "DelegateError",
    "compat",
    "errors",
    "__version__",
]

if TYPE_CHECKING:
    from typing import Any

    from . import compat as compat, errors as errors
    from .bundling import bundle as bundle, check as check
    from .errors import (
        AccessError as AccessError,
        ArgumentError as ArgumentError,
        DelegateError as DelegateError,
        DtypeError as DtypeError,
        Error as Error,
        FormatError as FormatError,
        NotFoundError as NotFoundError,
        OperatorMissingError as OperatorMissingError,
        OutOfMemoryError as OutOfMemoryError,
        StateError as StateError,
    )
    from .profiling import profile as profile
    from .runtime import Method as Method, Module as Module, Tensor as Tensor
    from .table import Table as Table
    from .trace import Trace as Trace, open as open

    __version__: str


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from . import _core

        return _core.version
    if name in _HOME:
        value = getattr(importlib.import_module(f".{_HOME[name]}", __name__), name)
        globals()[name] = value
        return value
    if name in _MODULES:
        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
