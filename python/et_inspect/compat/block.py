"""EventBlock: runs with the same events."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional

from ..optional import need
from .event import Event, shown_types
from .rows import Rows
from .time_scale import TimeScale, scale_factor
from .values import debug_data, run_output


@dataclass
class EventBlock:
    """A pattern of execution: loading is a block, and each path through a method."""

    name: str
    events: List[Event] = field(default_factory=list)
    source_time_scale: Any = TimeScale.NS
    target_time_scale: Any = TimeScale.MS
    bundled_input_index: Optional[int] = None
    run_output: Optional[List[Any]] = None
    reference_output: Optional[List[Any]] = None

    def to_dataframe(self, include_units: bool = False, include_delegate_debug_data: bool = False) -> Any:
        """A row an event. OPERATOR_CALL is the operator before it and what calling it costs."""
        pandas = need("pandas", "to_dataframe()")
        units = f" ({self.target_time_scale.value})" if include_units else ""
        frame = frame_of(self.events, units)
        frame.insert(0, "event_block_name", [self.name] * len(self.events), allow_duplicates=True)
        if include_delegate_debug_data:
            extra = [_metadata(event, pandas) for event in self.events]
            if any(not row.empty for row in extra):
                frame = pandas.concat([frame, pandas.DataFrame(extra)], axis=1)
        return frame

    @staticmethod
    def _gen_from_etdump(
        etdump: Any,
        source_time_scale: Any = TimeScale.NS,
        target_time_scale: Any = TimeScale.MS,
        output_buffer: Optional[bytes] = None,
        delegate_metadata_parser: Any = None,
        delegate_time_scale_converter: Any = None,
    ) -> "List[EventBlock]":
        """Blocks of a dump: what gen_etdump_object() gives, or an ``ETDumpFlatCC`` of ExecuTorch."""
        groups = etdump if isinstance(etdump, list) else _groups_of(etdump)
        factor = scale_factor(source_time_scale, target_time_scale)
        shown = delegate_time_scale_converter or (lambda event_name, input_time: input_time / factor)
        blocks = []
        for group in groups:
            rows = Rows(group, factor, delegate_time_scale_converter, delegate_metadata_parser)
            blocks.append(
                EventBlock(
                    name=group["name"],
                    events=rows.events(debug_data(group["values"], output_buffer), shown),
                    source_time_scale=source_time_scale,
                    target_time_scale=target_time_scale,
                    bundled_input_index=group["bundled_input_index"],
                    run_output=run_output(group["outputs"], output_buffer),
                )
            )
        return blocks

    def _gen_resolve_debug_handles(
        self,
        handle_map: Dict[str, Any],
        delegate_map: Optional[Dict[str, Any]] = None,
        instruction_id_to_num_outs_map: Optional[Dict[Any, int]] = None,
    ) -> None:
        """Debug handles of every event: its instruction's, or those that the delegate's map gives."""
        for event in self.events:
            if event._instruction_id is None or (key := str(event._instruction_id)) not in handle_map:
                continue
            outputs = instruction_id_to_num_outs_map
            event.num_outputs = outputs.get(key, 1) if outputs is not None else 1
            identifier = event.delegate_debug_identifier
            metadata = delegate_map.get(key) if delegate_map is not None else None
            if identifier is None:
                event.debug_handles = handle_map[key]
                if event.name == "DELEGATE_CALL" and metadata is not None:
                    event.delegate_backend_name = metadata.get("name", "")
            elif metadata is None:
                event.debug_handles = handle_map[key]
            else:
                event.delegate_backend_name = metadata.get("name", "")
                event.debug_handles = _delegated_handles(identifier, metadata.get("delegate_map") or {})


def _groups_of(etdump: Any) -> Any:
    from executorch.devtools.etdump.serialize import serialize_to_etdump_flatcc

    from .. import _core

    return _core.group_events(serialize_to_etdump_flatcc(etdump))[0]


def _delegated_handles(identifier: Any, handles: Dict[Any, Any]) -> Any:
    found = handles.get(identifier)
    if found is not None:
        return found
    text = str(identifier)
    found = handles.get(text)
    for key, value in handles.items():
        if str(key) in text:
            found = value
    return found


def _metadata(event: Event, pandas: Any) -> Any:
    metadata = event.delegate_debug_metadatas
    if metadata is None or len(metadata) == 0:
        return pandas.Series(dtype=object)
    if isinstance(metadata, list):
        return pandas.Series([metadata], index=["delegate_debug_metadata"])
    if isinstance(metadata, dict):
        return pandas.Series(metadata)
    raise ValueError(f"Unexpected type for delegate_debug_metadata: {type(metadata)}")


def frame_of(events: List[Event], units: str) -> Any:
    """All events at once; figures of untouched rows come from the block's arrays."""
    import numpy
    import pandas

    names = ("p10", "p50", "p90", "avg", "min", "max")
    figures = {name: numpy.full(len(events), numpy.nan) for name in names}
    missing = False
    by_rows: Dict[int, List[int]] = {}
    for i, event in enumerate(events):
        rows = event._rows
        if rows is not None and "perf_data" not in event.__dict__:
            if rows.keys[event._row][1] is not None:
                by_rows.setdefault(id(rows), []).append(i)
            else:
                missing = True
            continue
        perf = event.perf_data
        if perf is None:
            missing = True
            continue
        for name in names:
            figures[name][i] = getattr(perf, name)
    for indices in by_rows.values():
        statistics = events[indices[0]]._rows.statistics()
        rows_of = [events[i]._row for i in indices]
        for name in names:
            figures[name][indices] = statistics[name][rows_of]
    perfs = [event.perf_data for event in events]
    data: Dict[str, Any] = {"event_name": [e.name for e in events], "raw": [p.raw if p else None for p in perfs]}
    for name in names:
        column: Any = figures[name]
        if missing:
            column = numpy.array([None if p is None else v for p, v in zip(perfs, column.tolist())], dtype=object)
        data[name + units] = column
    data["op_types"] = [shown_types(e.op_types) for e in events]
    data["delegate_debug_identifier"] = _objects([e.delegate_debug_identifier for e in events])
    data["stack_traces"] = [e.stack_traces for e in events]
    data["module_hierarchy"] = [e.module_hierarchy for e in events]
    data["is_delegated_op"] = [e.is_delegated_op for e in events]
    data["delegate_backend_name"] = _objects([e.delegate_backend_name for e in events])
    data["debug_data"] = [e.debug_data for e in events]
    data["start_time"] = [e._start_time for e in events]
    return pandas.DataFrame(data, index=range(len(events)))


def _objects(values: List[Any]) -> Any:
    """None stays None."""
    import pandas

    return pandas.Series(values, dtype=object) if any(v is None for v in values) else values
