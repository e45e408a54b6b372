"""Units of time, as ExecuTorch's Inspector names them."""

from __future__ import annotations

from enum import Enum
from typing import Any


class TimeScale(Enum):
    NS = "ns"
    US = "us"
    MS = "ms"
    S = "s"
    CYCLES = "cycles"

    def __eq__(self, other: Any) -> bool:
        # ExecuTorch's own TimeScale is as good.
        return self.value == getattr(other, "value", other)

    __hash__ = Enum.__hash__


_PER_SECOND = {"ns": 1000000000, "us": 1000000, "ms": 1000, "s": 1, "cycles": 1}


def scale_factor(source: Any, target: Any) -> float:
    """Ticks of `source` in one of `target`."""
    return _PER_SECOND[source.value] / _PER_SECOND[target.value]
