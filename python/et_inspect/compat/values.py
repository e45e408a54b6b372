"""Logged values: numbers, and tensors out of the debug buffer; torch's where torch is installed, else numpy's."""

from __future__ import annotations

import math
from typing import Any, Dict, List, Optional

# Number of a dtype in an ETDump: its name in torch and in numpy.
_DTYPES = {
    0: "uint8",
    1: "int8",
    2: "int16",
    3: "int32",
    4: "int64",
    5: "float16",
    6: "float32",
    7: "float64",
    11: "bool",
    22: "uint16",
    27: "uint16",
}


def inflate(value: Any, buffer: Optional[bytes]) -> Any:
    kind, content = value
    if kind == "tensor":
        return _tensor(content, buffer)
    if kind == "tensors":
        return [_tensor(item, buffer) for item in content]
    return content


def equal(a: Any, b: Any) -> bool:
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(equal, a, b))
    shapes = getattr(a, "shape", None), getattr(b, "shape", None)
    if shapes[0] is not None and shapes[1] is not None:
        return tuple(shapes[0]) == tuple(shapes[1]) and bool((a == b).all())
    return bool(a == b)


def debug_data(values: Dict[int, List[Any]], buffer: Optional[bytes]) -> Dict[int, List[Any]]:
    """By row, of its first run with values. The other runs must have logged the same."""
    out: Dict[int, List[Any]] = {}
    for row, runs in values.items():
        first: List[Any] = []
        for run in runs:
            if not run:
                continue
            if not first:
                first = run
            else:
                for one, other in zip(first, run):
                    assert equal(inflate(one, buffer), inflate(other, buffer)), (
                        "Corresponding debug events in multiple iterations of the model must have the same debug entry "
                        "values. This is not the case for the intermediate data present in this ETDump and indicates "
                        "potential issues with the model/runtime."
                    )
        out[row] = [inflate(value, buffer) for value in first]
    return out


def run_output(runs: List[List[Any]], buffer: Optional[bytes]) -> List[Any]:
    """Outputs of the first run that has some; the runs behind it must agree."""
    first: List[Any] = []
    for run in runs:
        values = [inflate(value, buffer) for value in run]
        if not first:
            first = values
            continue
        assert len(first) == len(values), "Unequal debug data length encountered. Expected to be equal."
        for a, b in zip(first, values):
            assert isinstance(a, type(b)), "Debug Data Types are different. Expected to be equal."
            what = "Tensors" if hasattr(a, "shape") else "Scalar"
            assert equal(a, b), f"{what} Debug Data is different. Expected to be equal"
    return first


_MOST_BYTES = 4 << 30  # of zeros that stand for a tensor whose debug buffer is not there


def _tensor(content: Any, buffer: Optional[bytes]) -> Any:
    if content is None:
        raise ValueError("Tensor cannot be None")
    number, sizes, offset = content
    if number not in _DTYPES:
        raise RuntimeError(f"Unsupported scalar type in get_scalar_type_size : {number}")
    import numpy

    array = None
    count = math.prod(sizes)
    if buffer is not None and count:
        size = count * numpy.dtype(_DTYPES[number]).itemsize
        if offset < 0 or offset + size > len(buffer):
            raise ValueError(f"tensor at byte {offset} of {size} bytes runs past the end of the debug buffer")
        array = numpy.frombuffer(buffer, dtype=_DTYPES[number], count=count, offset=offset).reshape(sizes).copy()
    elif count * numpy.dtype(_DTYPES[number]).itemsize > _MOST_BYTES:
        raise ValueError(f"tensor of sizes {list(sizes)}: expected at most {_MOST_BYTES} bytes; is the ETDump damaged?")
    else:
        array = numpy.zeros(sizes, dtype=_DTYPES[number])
    try:
        import torch
    except ImportError:
        return array
    return torch.from_numpy(array)
