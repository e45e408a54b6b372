"""bundle() writes bundled programs from Python values, check() runs them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from .commands import find
from .errors import AccessError, ArgumentError, DtypeError, Error, from_code
from .runtime import Module, program_source

PathLike = Union[str, "os.PathLike[str]"]
# Inputs, and the outputs that are expected of them; None: recorded by running the program.
Case = Tuple[Sequence[Any], Optional[Sequence[Any]]]


def bundle(
    program: Any,
    cases: Union[Sequence[Case], Mapping[str, Sequence[Case]]],
    path: PathLike,
    data_files: Sequence[PathLike] = (),
) -> str:
    """Writes a bundled program (.bpte). ``cases``: for each method a list of (inputs, expected outputs); a list alone
    is for forward. Where the expected outputs are None, they are recorded from a run. Returns the path.

    Everything is checked against the program before anything is written."""
    by_method = cases if isinstance(cases, Mapping) else {"forward": cases}
    target = os.path.abspath(os.fspath(path))
    with tempfile.TemporaryDirectory(prefix="et_inspect-") as folder:
        source = program_source(program)
        if isinstance(source, bytes):
            Path(folder, "program.pte").write_bytes(source)
            source = os.path.join(folder, "program.pte")
        recorded: Optional[Module] = None
        arguments: List[str] = []
        number = 0
        if not any(by_method.values()):
            raise ArgumentError("bundle: expected at least one case, got none", 0x12, "InvalidArgument")
        for method, items in by_method.items():
            _check_cases(method, items)
            arguments += ["--method", method]
            given, expected = [], []
            for inputs, outputs in items:
                if outputs is None:
                    recorded = recorded or Module(source, data_files)
                    outputs = recorded.method(method)(*inputs)
                given += ["--case", _words(inputs, folder, f"{number}_in")]
                expected += ["--expect", _words(outputs, folder, f"{number}_out")]
                number += 1
            arguments += given + expected
        data = [word for file in data_files for word in ("--data", os.fspath(file))]
        _run(["bundle", source, *arguments, *data, "--quiet", "-o", target], hidden=folder + os.sep)
    return os.fspath(path)


def check(
    path: Union[PathLike, Sequence[PathLike]],
    *,
    baseline: Optional[PathLike] = None,
    explain: bool = False,
    reference: Sequence[PathLike] = (),
    etrecord: Optional[PathLike] = None,
    policy: Optional[PathLike] = None,
    method: Optional[str] = None,
    rtol: Optional[float] = None,
    atol: Optional[float] = None,
    options: Sequence[str] = (),
) -> Dict[str, Any]:
    """Runs the cases of bundled programs, or of all in a folder. Returns what `et-check --json` prints, with ``ok``
    added: whether all passed; a failed case raises nothing. ``options``: further words for the command."""
    if path is None or isinstance(path, (bytes, bytearray, memoryview)):
        raise DtypeError(f"check: expected a path or a list of them, got {type(path).__name__}", 0x13, "InvalidType")
    paths = [path] if isinstance(path, (str, os.PathLike)) else list(path)
    words = [os.fspath(p) for p in paths]
    for word in words:
        if not os.path.exists(word):
            raise AccessError(f"{word}: cannot open: No such file or directory", 0x22, "AccessFailed")
    named = {"--baseline": baseline, "--etrecord": etrecord, "--policy": policy, "--method": method}
    for option, value in named.items():
        words += [option, os.fspath(value)] if value is not None else []
    for option, number in {"--rtol": rtol, "--atol": atol}.items():
        words += [option, repr(number)] if number is not None else []
    for file in reference:
        words += ["--reference", os.fspath(file)]
    words += ["--explain"] if explain else []
    done = _run([*words, *options, "--json"], may_fail=True)
    result = json.loads(done.stdout)
    result["ok"] = done.returncode == 0
    return result


def _check_cases(method: str, items: Any) -> None:
    if isinstance(items, (str, bytes)) or not isinstance(items, Sequence):
        raise DtypeError(f"bundle: {method}: expected a list of cases, got {type(items).__name__}", 0x13, "InvalidType")
    for i, case in enumerate(items):
        if not isinstance(case, (tuple, list)) or len(case) != 2:
            got = f"{len(case)} values" if isinstance(case, (tuple, list)) else type(case).__name__
            raise DtypeError(
                f"bundle: {method}: case {i}: expected (inputs, expected outputs), got {got}", 0x13, "InvalidType"
            )


def _words(values: Sequence[Any], folder: str, stem: str) -> str:
    """Values as the command takes them, tensors as files."""
    if isinstance(values, (str, bytes)) or not isinstance(values, Sequence):
        raise TypeError(f"bundle: expected a list of values, got {type(values).__name__}")
    return ",".join(_word(value, os.path.join(folder, f"{stem}_{i}.npy")) for i, value in enumerate(values))


def _word(value: Any, path: str) -> str:
    if isinstance(value, bool):
        return f"bool:{str(value).lower()}"
    if isinstance(value, int):
        return f"int:{value}"
    if isinstance(value, float):
        return f"float:{value!r}"
    import numpy

    from .runtime import Tensor

    if hasattr(value, "detach"):
        value = Tensor(value.detach())
    if isinstance(value, Tensor) and value.dtype == "bfloat16":
        value = value.bits().view("V2")  # two bytes an element is how .npy files have it
    numpy.save(path, numpy.ascontiguousarray(value) if numpy.ndim(value) else numpy.asarray(value))
    return path


def _run(words: Sequence[str], may_fail: bool = False, hidden: str = "") -> "subprocess.CompletedProcess[str]":
    """``hidden``: a folder of ours that an error does not name."""
    done = subprocess.run([find("et-check"), *words], capture_output=True, text=True)
    if done.returncode == 0 or (may_fail and done.stdout.strip()):
        return done
    raise failure(done, hidden)


def failure(done: "subprocess.CompletedProcess[str]", hidden: str = "") -> Error:
    """What the command said, as an exception."""
    stderr = done.stderr.replace(hidden, "") if hidden else done.stderr
    text = stderr.strip().removeprefix("et-check: error: ") or f"et-check ended with {done.returncode}"
    code = {2: (0x12, "InvalidArgument"), 3: (0x24, "InvalidExternalData")}.get(done.returncode, (0x01, "Internal"))
    if done.returncode == 3 and re.search(r": (cannot (open|write|create)|No such file|Permission denied)", text):
        code = (0x22, "AccessFailed")
    return from_code(*code, text)
