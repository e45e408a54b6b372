"""The measurements of a block, for all rows at once: what the extension has grouped, in the unit that was asked for."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

from .event import Event, PerfData

_MAX_32 = 2**32 - 1


class Rows:
    """Times of a block as an array of rows × runs; events ask for theirs."""

    def __init__(self, group: Dict[str, Any], factor: float, converter: Any, parser: Any) -> None:
        self.keys = group["rows"]
        self.runs = group["starts"].shape[1]
        self._starts = group["starts"]
        self._metadata = group["metadata"]
        self._parser = parser
        self._converter = converter
        self.identities = [_identity(profile, debug) for _, profile, debug in self.keys]
        self.times = self._elapsed(group["ends"], factor)
        self._statistics: Optional[Dict[str, Any]] = None

    def _elapsed(self, ends: Any, factor: float) -> Any:
        """Delegates' clocks are converted first and subtracted then, as ExecuTorch does."""
        import numpy

        starts = self._starts
        delegated = numpy.fromiter((i[2] is True for i in self.identities), bool, len(self.identities))
        measured = numpy.fromiter((key[1] is not None for key in self.keys), bool, len(self.keys))
        times = numpy.empty(starts.shape)
        own = ~delegated
        times[own] = _difference(starts[own], ends[own], numpy) / factor
        if self._converter is None:
            # x / factor for every timestamp, not for the difference: the last digits depend on it.
            times[delegated] = _difference(starts[delegated] / factor, ends[delegated] / factor, numpy)
        else:
            for row in numpy.flatnonzero(delegated & measured):
                name = self.identities[row][0]
                for run in range(self.runs):
                    start, end = int(starts[row, run]), int(ends[row, run])
                    times[row, run] = _one(self._converter(name, start), self._converter(name, end))
        return times

    def statistics(self) -> Dict[str, Any]:
        """Of all rows; the same figures as PerfData's."""
        import numpy

        if self._statistics is None:
            p10, p50, p90 = numpy.percentile(self.times, (10, 50, 90), axis=1) if self.runs else ([], [], [])
            self._statistics = {
                "p10": p10,
                "p50": p50,
                "p90": p90,
                "avg": self.times.mean(axis=1),
                "min": self.times.min(axis=1),
                "max": self.times.max(axis=1),
            }
        return self._statistics

    def perf_data(self, row: int) -> Optional[PerfData]:
        return PerfData(self.times[row].tolist()) if self.keys[row][1] is not None else None

    def start_time(self, row: int) -> Optional[List[int]]:
        return self._starts[row].tolist() if self.keys[row][1] is not None else None

    def events(self, debug_data: Dict[int, List[Any]], converter: Any) -> List[Event]:
        out = []
        parser = self._parser
        for row, (name, identifier, delegated) in enumerate(self.identities):
            known: Dict[str, Any] = {
                "name": name,
                "delegate_debug_identifier": identifier,
                "is_delegated_op": delegated,
                "debug_handles": None,
                "delegate_backend_name": None,
                "_instruction_id": self.keys[row][0],
                "_delegate_metadata_parser": parser,
                "_delegate_time_scale_converter": converter,
            }
            if row in self._metadata:
                known["_delegate_debug_metadatas"] = [text or "" for text in self._metadata[row]]
            if row in debug_data:
                known["debug_data"] = debug_data[row]
            out.append(Event.of_row(self, row, known))
        return out


def _identity(profile: Any, debug: Any) -> "tuple[str, Any, Optional[bool]]":
    """Name, delegate identifier and whether it is one of a delegate; what the debug event says counts last."""
    name, identifier, delegated = "", None, None
    for event in (profile, debug):
        if event is None:
            continue
        identifier = event[1] if event[1] is not None else event[2]
        delegated = identifier is not None
        text = str(identifier) if delegated else event[0]
        name = text or name
    return name, identifier, delegated


def _difference(starts: Any, ends: Any, numpy: Any) -> Any:
    """end - start as floats; a clock of 32 bits may have wrapped in between."""
    wrapped = starts > ends
    with numpy.errstate(over="ignore"):
        plain = (ends - starts).astype(float)
    if not wrapped.any():
        return plain
    bad = wrapped & ((starts > _MAX_32) | (ends > _MAX_32))
    if bad.any():
        _refuse(starts[bad][0], ends[bad][0])
    plain[wrapped] = (_MAX_32 - starts[wrapped]).astype(float) + ends[wrapped]
    return plain


def _one(start: Any, end: Any) -> Any:
    if start <= end:
        return end - start
    if start > _MAX_32 or end > _MAX_32:
        _refuse(start, end)
    return (_MAX_32 - start) + end


def _refuse(start: Any, end: Any) -> None:
    raise ValueError(
        f"Expected start_time ({start}) and end_time ({end}) to be less than {_MAX_32} for cases where there is "
        "wrap-around of time values."
    )
