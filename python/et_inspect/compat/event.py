"""Event and PerfData. What a script may never ask for is computed when it asks."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional

from ..optional import need

# In the order of ExecuTorch's dataclass, whose constructor and repr this class has.
_FIELDS = (
    "name",
    "perf_data",
    "op_types",
    "delegate_debug_identifier",
    "debug_handles",
    "num_outputs",
    "stack_traces",
    "module_hierarchy",
    "is_delegated_op",
    "delegate_backend_name",
    "_delegate_debug_metadatas",
    "debug_data",
    "_instruction_id",
    "_delegate_metadata_parser",
    "_delegate_time_scale_converter",
    "_start_time",
)
_MAKE: Dict[str, Callable[[], Any]] = {
    "op_types": list,
    "stack_traces": dict,
    "module_hierarchy": dict,
    "_delegate_debug_metadatas": list,
    "debug_data": list,
    "num_outputs": lambda: 1,
}


class PerfData:
    """Times of an event, one a run."""

    def __init__(self, raw: List[float]) -> None:
        self.raw = raw

    @property
    def p10(self) -> float:
        return _percentile(self.raw, 10)

    @property
    def p50(self) -> float:
        return _percentile(self.raw, 50)

    @property
    def p90(self) -> float:
        return _percentile(self.raw, 90)

    @property
    def avg(self) -> Any:
        import numpy

        return numpy.mean(self.raw)

    @property
    def min(self) -> float:
        return min(self.raw)

    @property
    def max(self) -> float:
        return max(self.raw)

    # ExecuTorch's is a dataclass without fields: all are equal to one another, and show nothing.
    def __eq__(self, other: Any) -> bool:
        return isinstance(other, PerfData) or NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return "PerfData()"


def _percentile(raw: List[float], q: int) -> Any:
    import numpy

    return numpy.percentile(raw, q)


class Event:
    """An operator instance with its times, and what the ETRecord knows of it."""

    # Of an event that was read from an ETDump: its block's measurements and the row in them.
    _rows: Any = None
    _row = -1

    def __init__(
        self,
        name: str,
        perf_data: Optional[PerfData] = None,
        op_types: Optional[List[str]] = None,
        delegate_debug_identifier: Any = None,
        debug_handles: Any = None,
        num_outputs: int = 1,
        stack_traces: Optional[Dict[str, str]] = None,
        module_hierarchy: Optional[Dict[str, Dict]] = None,
        is_delegated_op: Optional[bool] = None,
        delegate_backend_name: Optional[str] = None,
        _delegate_debug_metadatas: Optional[List[str]] = None,
        debug_data: Optional[List[Any]] = None,
        _instruction_id: Optional[int] = None,
        _delegate_metadata_parser: Optional[Callable[[List[str]], Dict[str, Any]]] = None,
        _delegate_time_scale_converter: Optional[Callable[..., Any]] = None,
        _start_time: Optional[List[Any]] = None,
    ) -> None:
        self.name = name
        self.perf_data = perf_data
        self.op_types = [] if op_types is None else op_types
        self.delegate_debug_identifier = delegate_debug_identifier
        self.debug_handles = debug_handles
        self.num_outputs = num_outputs
        self.stack_traces = {} if stack_traces is None else stack_traces
        self.module_hierarchy = {} if module_hierarchy is None else module_hierarchy
        self.is_delegated_op = is_delegated_op
        self.delegate_backend_name = delegate_backend_name
        self._delegate_debug_metadatas = [] if _delegate_debug_metadatas is None else _delegate_debug_metadatas
        self.debug_data = [] if debug_data is None else debug_data
        self._instruction_id = _instruction_id
        self._delegate_metadata_parser = _delegate_metadata_parser
        self._delegate_time_scale_converter = _delegate_time_scale_converter
        self._start_time = _start_time

    @classmethod
    def of_row(cls, rows: Any, row: int, known: Dict[str, Any]) -> "Event":
        """An event of an ETDump; the rest of its attributes comes with their first use."""
        event = cls.__new__(cls)
        event.__dict__ = known
        known["_rows"] = rows
        known["_row"] = row
        return event

    def __getattr__(self, name: str) -> Any:
        # Only for attributes that nobody has set.
        if name == "perf_data":
            value: Any = self._rows.perf_data(self._row) if self._rows is not None else None
        elif name == "_start_time":
            value = self._rows.start_time(self._row) if self._rows is not None else None
        elif name in _MAKE:
            value = _MAKE[name]()
        elif name in _FIELDS:
            value = None
        else:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        self.__dict__[name] = value
        return value

    @property
    def delegate_debug_metadatas(self) -> Any:
        """The delegate's metadata: parsed where a parser was given, else as it is."""
        if not self.is_delegated_op or self._delegate_metadata_parser is None:
            return self._delegate_debug_metadatas
        if "_parsed" not in self.__dict__:
            self.__dict__["_parsed"] = self._delegate_metadata_parser(self._delegate_debug_metadatas)
        return self.__dict__["_parsed"]

    @property
    def raw_delegate_debug_metadatas(self) -> List[str]:
        return self._delegate_debug_metadatas

    @property
    def start_time(self) -> Optional[List[Any]]:
        return self._start_time

    def to_dataframe(self, _units: str = "") -> Any:
        return need("pandas", "to_dataframe()").DataFrame(self.asdict(_units=_units))

    def asdict(self, _units: str = "") -> Dict[str, Any]:
        perf = self.perf_data
        row: Dict[str, Any] = {"event_name": self.name, "raw": [perf.raw if perf else None]}
        for name in ("p10", "p50", "p90", "avg", "min", "max"):
            row[name + _units] = getattr(perf, name) if perf else None
        row["op_types"] = [shown_types(self.op_types)]
        row["delegate_debug_identifier"] = self.delegate_debug_identifier
        row["stack_traces"] = [self.stack_traces]
        row["module_hierarchy"] = [self.module_hierarchy]
        row["is_delegated_op"] = self.is_delegated_op
        row["delegate_backend_name"] = self.delegate_backend_name
        row["debug_data"] = [self.debug_data]
        row["start_time"] = [self._start_time]
        return row

    def _associate_with_op_graph_nodes(self, debug_handle_to_op_node_map: Dict[int, List[Any]]) -> None:
        """Operator types, stack traces and modules of the nodes that the debug handles lead to."""
        handles = self.debug_handles
        if handles is None or self.name in ("Method::init", "Program::load_method", "Method::execute"):
            return
        types = []
        for handle in [handles] if isinstance(handles, int) else handles:
            for node in debug_handle_to_op_node_map.get(handle) or ():
                if node is None or (metadata := node.metadata) is None:
                    continue
                if node.name not in self.stack_traces:
                    self.stack_traces[node.name] = metadata.get("stack_trace")
                    self.module_hierarchy[node.name] = metadata.get("nn_module_stack")
                if node.op:
                    types.append(node.op)
        self.op_types = [*self.op_types, *types]

    def __eq__(self, other: Any) -> bool:
        if not isinstance(other, Event):
            return NotImplemented
        return all(getattr(self, field) == getattr(other, field) for field in _FIELDS)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Event({', '.join(f'{field}={getattr(self, field)!r}' for field in _FIELDS)})"


def shown_types(types: List[str]) -> Any:
    """Long lists in short."""
    if len(types) < 5:
        return types
    return f"['{types[0]}', '{types[1]}' ... '{types[-1]}'] ({len(types)} total)"
