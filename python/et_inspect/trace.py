"""open() and Trace: a run of a program, joined with its graph."""

from __future__ import annotations

import builtins
import contextlib
import json
import os
import subprocess
import tempfile
import weakref
from pathlib import Path
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Union

from . import _core
from .errors import ArgumentError, DtypeError, Error, NotFoundError, StateError, from_code
from .progress import ProgressBar
from .table import Format, Table, from_rows

PathLike = Union[str, "os.PathLike[str]"]
FileOrBytes = Union[PathLike, bytes, bytearray, memoryview]
Parameters = Union[Sequence[Any], Mapping[str, Any], None]


def open(  # noqa: A001 - et_inspect.open is the name that people expect
    etdump: Optional[FileOrBytes] = None,
    etrecord: Any = None,
    pte: Optional[FileOrBytes] = None,
    store: Optional[PathLike] = None,
    *,
    debug_buffer: Optional[FileOrBytes] = None,
    name: str = "",
    source_time_scale: str = "ns",
    delegate_clocks: Sequence[str] = (),
    dump_index: int = -1,
    neighbours: bool = False,
    method: str = "",
    basis: str = "warm",
    progress: Union[bool, Any] = "auto",
) -> "Trace":
    """Reads an ETDump and what belongs to it.

    ``etdump``, ``pte`` and ``debug_buffer`` are paths or bytes; ``etrecord`` may be an ``ETRecord`` of ExecuTorch, too.
    Without an ETDump the ETRecord and the program say what the model consists of. ``etdump`` may also be a trace in a
    store: ``"store.db"``, ``"store.db#3"``, ``"store.db@latest"``; then nothing else is given.

    ``store``: an SQLite file that keeps the trace, created when it is missing. ``neighbours=True`` takes the ETRecord,
    the program and the debug buffer that lie beside the ETDump. ``method``: which method ran, where you know and the dump
    does not say. ``basis``: what costs are of, see ``Trace.basis``.
    ``progress``: True, False, "auto" (long imports on a
    terminal or in a notebook), or a callable ``(stage, done, total)``; what it returns is False to stop. Ctrl-C stops, too.
    """
    _core.basis_name(_text("basis", basis))  # a wrong one is told before anything is read
    with _Files() as files:
        if isinstance(etdump, (str, os.PathLike)) and etrecord is None and pte is None and store is None:
            address = os.fspath(etdump)
            if _is_store(address):
                return Trace(_core.Trace.open_stored(address), basis)
        dump = files.path_of(etdump, "etdump", ".etdp")
        record = files.path_of(etrecord, "etrecord", ".bin")
        program = files.path_of(pte, "pte", ".pte")
        buffer = files.path_of(debug_buffer, "debug_buffer", ".bin")
        if not (dump or record or program):
            raise ArgumentError("open: expected an ETDump, an ETRecord or a program", 0x12, "InvalidArgument")
        with ProgressBar(progress) as bar, files.named_in_errors():
            core = _core.Trace.import_files(
                dump=dump,
                record=record,
                program=program,
                debug_buffer=buffer,
                store="" if store is None else os.fspath(store),
                name=_text("name", name),
                source_time_scale=source_time_scale,
                delegate_clocks=list(delegate_clocks),
                dump_index=dump_index,
                neighbours=neighbours,
                method=_text("method", method),
                progress=bar.callback,
            )
    return Trace(core, basis)


class Trace:
    """A trace in its store. Tables are DataFrames where pandas is installed, else Arrow tables, else dicts of lists;
    ``table(name)`` gives the rows for all three. Any thread may use it; one at a time is served."""

    def __init__(self, core: Any, basis: str = "warm") -> None:
        self._core = core
        self._basis: str = _core.basis_name(basis)
        self._copy: Optional[str] = None

    @property
    def basis(self) -> str:
        """What costs are of: "warm" (the median warm execution), "mean", "total" (all executions), "cold", "p99" (the
        slowest) or "#4" (one execution, from 0). May be set; ``on(basis)`` is the same trace on another."""
        return self._basis

    @basis.setter
    def basis(self, basis: str) -> None:
        self._basis = _core.basis_name(basis)

    def on(self, basis: str) -> "Trace":
        """The same trace with costs on another basis: ``trace.on("total").lines``."""
        return Trace(self._core, basis)

    # --- tables -------------------------------------------------------------------------------------------------------

    @property
    def ops(self) -> Any:
        """What ran, an op a row: its times, what it cost on the basis by itself (``cost_ns``; None beside executions), and
        the node and Python line it came from."""
        return self._ops().to()

    @property
    def lines(self) -> Any:
        """What each Python line cost on the basis, by itself and with what it calls, the costliest first. Time without a
        line has file None; all rows add up to what the executions cost."""
        return from_rows(self._core.lines(self._basis), _LINE_COLUMNS)

    @property
    def modules(self) -> Any:
        """What each module cost on the basis: itself, and with those inside of it. Time without a module has module None."""
        return from_rows(self._core.modules(self._basis), _MODULE_COLUMNS)

    @property
    def delegation(self) -> Any:
        """Kernels and delegate calls of every method in their order: what was delegated, what it cost on the basis
        (``sum_ns``, of a delegate with its ops), and what crosses."""
        rows = []
        for method in json.loads(self._core.delegation("json", self._basis, ""))["methods"]:
            for item in method["items"]:
                rows.append({"method": method["method"], **item})
        columns = list(rows[0]) if rows else ["method", "instruction", "kind", "op", "backend", "sum_ns", "calls"]
        return from_rows(rows, columns)

    @property
    def diagnostics(self) -> Any:
        """What the import met: data losses, errors, remarks."""
        return self.sql("SELECT id, severity, count, message, help FROM diagnostics WHERE trace_id = :trace")

    @property
    def findings(self) -> Any:
        """What is wrong with the trace or worth knowing of it, and what to do; the worst first."""
        return from_rows(self._core.findings(), ["severity", "id", "text", "advice"])

    @property
    def values(self) -> Any:
        """Logged values of debug events; ``data`` holds the elements where a debug buffer was given."""
        return self.sql("SELECT * FROM debug_values WHERE trace_id = :trace ORDER BY value_id")

    def samples(self, op: Union[int, str]) -> Any:
        """Every single measurement of an op, by its ``op_id`` or of all ops of a name, in order of time."""
        column = "op_id" if isinstance(op, int) or hasattr(op, "__index__") else "name"
        where = f"o.{column} = :op"
        if len(self.query(f"SELECT 1 FROM ops o WHERE o.trace_id = :trace AND {where} LIMIT 1", {"op": op})) == 0:
            raise NotFoundError(f"samples: no op has the {column} {op!r}; trace.ops lists them", 0x20, "NotFound")
        return self.sql(
            "SELECT s.op_id, o.name, s.sample, s.run_id, s.start_ns, s.duration_ns FROM ops o "
            f"JOIN samples s ON s.op_id = o.op_id WHERE o.trace_id = :trace AND {where} ORDER BY s.op_id, s.sample",
            {"op": op},
        )

    def table(self, name: str) -> Table:
        """A view of the store, with the rows of this trace where the view has a trace_id."""
        names = self.query("SELECT name FROM sqlite_master WHERE type = 'view' ORDER BY name")["name"]
        if name not in names:
            raise ArgumentError(f"table: expected one of {', '.join(names)}, got {name!r}", 0x12, "InvalidArgument")
        columns = self.query(f"SELECT * FROM {name} LIMIT 0").columns
        return self.query(f"SELECT * FROM {name}" + (" WHERE trace_id = :trace" if "trace_id" in columns else ""))

    # --- SQL ----------------------------------------------------------------------------------------------------------

    def query(self, query: str, params: Parameters = None) -> Table:
        """Rows of a statement that reads; ``:trace`` is the number of this trace. `et-inspect schema` lists the views."""
        return Table(self._core.query(_text("query", query), params))

    def sql(self, query: str, params: Parameters = None, format: Format = "auto") -> Any:
        """As query(), as a DataFrame (or an Arrow table, or a dict)."""
        return self.query(query, params).to(format)

    # --- reports ------------------------------------------------------------------------------------------------------

    def report(
        self,
        format: str = "table",
        *,
        group_by: str = "",
        sort: str = "",
        filter: str = "",
        basis: str = "",
        units: str = "auto",
        top: int = -1,
        samples: bool = False,
        values: bool = False,
        width: int = 0,
    ) -> str:
        """The report of the command et-inspect, with its options: table, csv, tsv, markdown or json."""
        return self._core.report(
            format=format,
            group_by=group_by,
            sort=sort,
            filter=filter,
            basis=basis,
            units=units,
            top=top,
            samples=samples,
            values=values,
            width=width,
        )

    def source(
        self, file: str = "", *, format: str = "table", basis: str = "", context: int = 3, source_map: Mapping[str, str] = {}
    ) -> str:
        """Python source with what each line cost. ``source_map``: prefixes of recorded paths and what they are here."""
        return self._core.source(_text("file", file), format, basis, context, list(source_map.items()))

    def export(self, format: str, path: Optional[PathLike] = None, max_executions: int = 0) -> str:
        """Writes the trace for another tool (chrome, perfetto, speedscope, folded, html …); returns the file's path."""
        target = os.fspath(path) if path is not None else self._export_name(_text("format", format))
        self._core.export(_text("format", format), target, max_executions)
        return target

    def show(self) -> "subprocess.Popen[bytes]":
        """Opens the window with this trace; does not wait for it."""
        from .commands import find

        return subprocess.Popen([find("et-inspect-gui"), f"{self.store}#{self.trace_id}"])

    # --- the store ----------------------------------------------------------------------------------------------------

    @property
    def store(self) -> str:
        """Path of the SQLite file with this trace, for sqlite3 and others. Of a trace in memory a copy that goes with it."""
        if self._core.store_path:
            return self._core.store_path
        if self._copy is None:
            if self.closed:
                raise StateError("trace: it is closed", 0x02, "InvalidState")
            folder = tempfile.mkdtemp(prefix="et_inspect-")
            weakref.finalize(self, _remove, folder)
            path = os.path.join(folder, "trace.db")
            self._core.copy_to(path)
            self._copy = path
        return self._copy

    def save(self, path: PathLike) -> str:
        """Writes the store, with this trace, to a new file."""
        target = os.fspath(path)
        self._core.copy_to(target)
        return target

    @property
    def trace_id(self) -> int:
        """Number of the trace in its store."""
        return self._core.trace_id

    @property
    def notes(self) -> List[str]:
        """Which files beside the given ones were read or left out."""
        return self._core.notes

    @property
    def info(self) -> Dict[str, Any]:
        """What the trace is of: files, unit, events, executions, host …"""
        return self.query("SELECT * FROM traces WHERE trace_id = :trace").to_rows()[0]

    @property
    def closed(self) -> bool:
        return self._core.closed

    def close(self) -> None:
        """Frees the trace; tables made of it stay."""
        self._core.close()

    def __enter__(self) -> "Trace":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        if self.closed:
            return "<et_inspect.Trace: closed>"
        info = self.info
        what = next((Path(info[k]).name for k in ("dump_path", "record_path", "program_path") if info[k]), "trace")
        return f"<et_inspect.Trace: {what}, {info['events']} events, {info['executions']} executions>"

    def _repr_html_(self) -> str:
        from .html import page

        return "<p>et_inspect.Trace: closed</p>" if self.closed else page(self)

    # --- inside -------------------------------------------------------------------------------------------------------

    def _ops(self) -> Table:
        costs = [[op, cost, share] for op, _, cost, share, _ in self._core.op_costs(self._basis)["ops"]]
        return self.query(_OPS, {"costs": json.dumps(costs)})

    def _export_name(self, format: str) -> str:
        endings = dict(_core.exporters())
        info = self.info
        stem = Path(info["dump_path"] or info["record_path"] or info["program_path"] or "trace").stem
        return f"{stem}.{endings.get(format, format)}"


_LINE_COLUMNS = ["file", "line", "function", "code", "ops", "ns", "inclusive_ns", "share", "frame"]
_MODULE_COLUMNS = ["module", "type", "self_ns", "total_ns", "share", "ops", "samples"]

# Of several nodes the one with the heaviest, then the surest, then the first link speaks for an op, as in all reports.
_OPS = """
WITH main(op_id, node_id) AS (
  SELECT op_id, node_id FROM (
    SELECT l.op_id, l.node_id, row_number() OVER (PARTITION BY l.op_id ORDER BY l.weight DESC, l.confidence DESC, l.ordinal) AS n
    FROM links l JOIN ops o ON o.op_id = l.op_id WHERE o.trace_id = :trace) WHERE n = 1),
costs(op_id, ns, share) AS MATERIALIZED (SELECT value->>0, value->>1, value->>2 FROM json_each(:costs))
SELECT o.*, c.ns AS cost_ns, c.share AS cost_share, n.name AS node, n.file, n.line, n.function, n.code, n.module_path, n.module_type
FROM ops o LEFT JOIN costs c ON c.op_id = o.op_id LEFT JOIN main m ON m.op_id = o.op_id
  LEFT JOIN nodes n ON n.node_id = m.node_id
WHERE o.trace_id = :trace ORDER BY o.block_id, o.ordinal
"""


def _text(what: str, value: Any) -> str:
    if not isinstance(value, str):
        raise DtypeError(f"{what}: expected a text, got {type(value).__name__}", 0x13, "InvalidType")
    return value


def _is_store(address: str) -> bool:
    """An SQLite file, or one with a selector behind it."""
    for path in (address, address.rpartition("#")[0], address.rpartition("@")[0]):
        if path and os.path.isfile(path):
            with builtins.open(path, "rb") as file:
                return file.read(16) == b"SQLite format 3\x00"
    return False


def _remove(folder: str) -> None:
    import shutil

    shutil.rmtree(folder, ignore_errors=True)


class _Files:
    """Bytes and objects as files for the time of an import."""

    def __init__(self) -> None:
        self._folder: Optional[tempfile.TemporaryDirectory[str]] = None

    def __enter__(self) -> "_Files":
        return self

    def __exit__(self, *_: Any) -> None:
        if self._folder is not None:
            self._folder.cleanup()

    @contextlib.contextmanager
    def named_in_errors(self) -> Iterator[None]:
        """An error names the argument, not the file that nobody sees."""
        try:
            yield
        except Error as e:
            if self._folder is None or self._folder.name not in e.message:
                raise
            raise from_code(e.code, e.name, e.message.replace(self._folder.name + os.sep, "")) from None

    def path_of(self, given: Any, what: str, ending: str) -> str:
        if given is None:
            return ""
        if isinstance(given, (str, os.PathLike)):
            return os.fspath(given)
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="et_inspect-")
        path = os.path.join(self._folder.name, what + ending)
        if isinstance(given, (bytes, bytearray, memoryview)):
            Path(path).write_bytes(given)
        elif hasattr(given, "save") and what == "etrecord":  # ExecuTorch's ETRecord
            given.save(path)
        elif hasattr(given, "buffer") and what == "pte":  # ExecuTorch's ExecutorchProgramManager
            Path(path).write_bytes(given.buffer)
        else:
            raise TypeError(f"{what}: expected a path or bytes, got {type(given).__name__}")
        return path
