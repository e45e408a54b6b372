"""ExecuTorch's Inspector with the reader of et-inspect below it: change the import, keep the script.

    from et_inspect.compat import Inspector   # was: from executorch.devtools import Inspector
"""

from __future__ import annotations

from typing import Any

from .block import EventBlock
from .event import Event, PerfData
from .inspector import Inspector
from .time_scale import TimeScale

__all__ = ["Event", "EventBlock", "Inspector", "PerfData", "TimeScale", "compare_results", "get_delegation_info"]


def get_delegation_info(graph_module: Any) -> Any:
    """As executorch.devtools.backend_debug.get_delegation_info: what of a lowered graph module is delegated."""
    from executorch.devtools.backend_debug import get_delegation_info as upstream

    return upstream(graph_module)


def compare_results(reference_output: Any, run_output: Any, metrics: Any = None, plot: bool = False) -> Any:
    """As executorch.devtools.inspector.compare_results: metrics over pairs of outputs."""
    from executorch.devtools.inspector import compare_results as upstream

    return upstream(reference_output, run_output, metrics, plot)
