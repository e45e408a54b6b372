"""Raw traces into a data set by Spark: binaryFiles, the native importer in each executor, one commit at the end.

An executor imports the files of its task into a store of its own, as the command does, and writes the store's views into a
folder of the data set that nobody reads. The driver commits the folders of the tasks that ended well. So a task that dies
and runs again leaves nothing behind, and a job that dies adds nothing. Executors and driver see the data set at the same
path: a shared file system, or one machine.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
import sqlite3
import tempfile
from dataclasses import dataclass, field
from typing import Any, Dict, Iterator, List, Optional, Set, Tuple, Union
from urllib.parse import unquote, urlparse

from ..errors import Error
from .dataset import key_of, locked, stage

PathLike = Union[str, "os.PathLike[str]"]

# Folders of raw files say what their traces do not: device=Pixel 8/build=1234/date=2026-01-31/program=<SHA-256>/run.etdp
_LABEL = re.compile(r"^(date|device|build|program)=(.+)$")
# Traces are small files: Spark is told that opening one costs little, or it makes a task of each thirty.
_SMALL_FILES = {"spark.sql.files.openCostInBytes": "4096"}


@dataclass
class IngestSummary:
    """What a job did."""

    added: int = 0
    known: int = 0  # were there already, or twice among the files
    quarantined: int = 0
    files: int = 0
    reasons: List[Tuple[str, str]] = field(default_factory=list)  # the first hundred: path, reason


def ingest(
    spark: Any,
    raw: PathLike,
    out: PathLike,
    *,
    artifacts: Optional[PathLike] = None,
    samples: bool = False,
    redact: Optional[PathLike] = None,
    partitions: int = 0,
) -> IngestSummary:
    """Adds all ``.etdp`` files below ``raw`` to the data set ``out``.

    ``artifacts``: a folder with ``<SHA-256 of the program>/`` for each program, with its ``program.pte`` and
    ``etrecord.bin``; a trace whose ETDump or folder names its program is joined with them, others have neither nodes nor lines. A file that
    cannot be read goes to the data set's table ``quarantine`` with the reason, once for each content. ``partitions``:
    tasks, each of which writes a file for a view and partition; by default one for 128 MB of traces
    (``spark.sql.files.maxPartitionBytes``), and at least one a core.
    """
    folder = os.path.abspath(os.fspath(out))
    pattern = os.fspath(raw)
    key = key_of(redact)
    summary = IngestSummary()
    with locked(folder) as known, _configured(spark, _SMALL_FILES):
        from .. import _core

        bad = set(_quarantined(folder))
        job = _core.dataset_staging(folder)
        try:
            files = (
                spark.read.format("binaryFile")
                .option("recursiveFileLookup", "true")
                .option("pathGlobFilter", "*.etdp")
                .load(pattern)
            )
            # Names first: they cost little.
            names = {row.path for row in files.select("path").collect()}
            done = spark.sparkContext.broadcast(known)
            settings = _Settings(job, os.path.abspath(os.fspath(artifacts)) if artifacts else "", samples, key)
            rows = files.select("path", "modificationTime", "content")
            if partitions:
                rows = rows.repartition(partitions)
            results = rows.rdd.mapPartitions(lambda part: _run_task(part, settings, done.value)).collect()
            staged: List[str] = []
            added: Set[str] = set()
            seen_bad: List[Tuple[str, str, str]] = []
            results.append(_Result(bad=_empty_files(files, names)))
            for result in results:
                # Two tasks may have had copies of one file: the first one's trace counts.
                summary.known += result.known
                if added & set(result.hashes):
                    _drop_traces(result, added, settings)
                    summary.known += result.dropped
                added |= set(result.hashes)
                summary.added += result.traces
                summary.files += result.files
                staged += [result.folder] if result.folder else []
                seen_bad += [b for b in result.bad if b[1] not in bad]
                bad |= {b[1] for b in result.bad}
            summary.quarantined = sum(len(r.bad) for r in results)
            summary.reasons = [(b[0], b[2]) for r in results for b in r.bad][:100]
            if seen_bad:
                where = os.path.join(job, "quarantined")
                _write_quarantine(where, seen_bad, key)
                staged.append(where)
            if staged:
                _core.dataset_commit(folder, staged, sorted(added))
        finally:
            shutil.rmtree(job, ignore_errors=True)
    return summary


@contextlib.contextmanager
def _configured(spark: Any, options: Dict[str, str]) -> Iterator[None]:
    before = {key: spark.conf.get(key, None) for key in options}
    for key, value in options.items():
        spark.conf.set(key, value)
    try:
        yield
    finally:
        for key, value in before.items():
            spark.conf.unset(key) if value is None else spark.conf.set(key, value)


def _empty_files(files: Any, names: Set[str]) -> List[Tuple[str, str, str]]:
    """Spark lists empty files, and reads none of them: a device that died while writing would be forgotten."""
    content = hashlib.sha256(bytes(8)).hexdigest()  # as dump_fingerprint: of the size, and nothing
    listed = {re.sub("^file:/+", "file:/", unquote(uri)) for uri in files.inputFiles()}
    return [(path, content, "trace.etdp: expected an ETDump, got an empty file") for path in sorted(listed - names)]


@dataclass
class _Settings:
    job: str
    artifacts: str
    samples: bool
    key: str


@dataclass
class _Result:
    folder: str = ""
    store: str = ""
    traces: int = 0
    known: int = 0
    dropped: int = 0
    files: int = 0
    hashes: List[str] = field(default_factory=list)
    bad: List[Tuple[str, str, str]] = field(default_factory=list)  # path, hash of its content, reason


def _labels_of(path: str, modified: Any) -> Dict[str, str]:
    labels = {}
    for part in path.split("/")[:-1]:
        if found := _LABEL.match(unquote(part)):
            labels[found[1]] = found[2]
    if "date" not in labels and modified is not None:
        labels["date"] = modified.strftime("%Y-%m-%d")
    return labels


def _run_task(rows: Iterator[Any], settings: _Settings, known: Any) -> Iterator[_Result]:
    """In an executor. Ends with one result; an attempt of its own folder, so that a second one does not meet the first."""
    from .. import _core

    result = _Result()
    with tempfile.TemporaryDirectory(prefix="et-inspect-") as scratch:
        store = os.path.join(scratch, "task.db")
        importer = _Importer(store, scratch, settings)
        seen = set(known)
        for row in rows:
            dump = os.path.join(scratch, "trace.etdp")
            with open(dump, "wb") as file:
                file.write(row.content)
            content = _core.dump_fingerprint(dump)
            if content in seen:
                result.known += 1
                continue
            try:
                importer.add(dump, row.path, _labels_of(urlparse(row.path).path, row.modificationTime))
                seen.add(content)
            except Error as e:
                seen.add(content)
                result.bad.append((row.path, content, e.message.replace(scratch + "/", "")))
        importer.close()
        if importer.count:
            result.folder = tempfile.mkdtemp(dir=settings.job)
            os.chmod(result.folder, 0o755)
            result.traces, _, result.files, result.hashes = stage(
                store, result.folder, set(), samples=settings.samples, key=settings.key
            )
            # Kept until the commit, for traces that another task has, too.
            result.store = os.path.join(result.folder + ".db")
            shutil.move(store, result.store)
    yield result


def _drop_traces(result: _Result, taken: Set[str], settings: _Settings) -> None:
    """Writes a task's files anew without traces that others have."""
    shutil.rmtree(result.folder)
    result.folder = tempfile.mkdtemp(dir=settings.job)
    os.chmod(result.folder, 0o755)
    before = result.traces
    result.traces, _, result.files, result.hashes = stage(
        result.store, result.folder, taken, samples=settings.samples, key=settings.key
    )
    result.dropped = before - result.traces


class _Importer:
    """Imports into one store, and writes down what the files themselves do not say."""

    def __init__(self, store: str, scratch: str, settings: _Settings) -> None:
        self.store, self.scratch, self.settings = store, scratch, settings
        self.count = 0
        self.notes: List[Tuple[int, str, Dict[str, str]]] = []
        self.session: Any = None

    def add(self, dump: str, path: str, labels: Dict[str, str]) -> None:
        from .. import _core

        record = program = ""
        if self.settings.artifacts:
            name = _core.dump_program(dump) or labels.get("program", "")
            record, program = (self._artifact(name, f) for f in ("etrecord.bin", "program.pte"))
        if self.session is None:
            self.session = _core.TraceImporter(self.store)
        trace = self.session.add(dump, record, program)
        self.count += 1
        self.notes.append((trace, path, labels))

    def _artifact(self, program: str, name: str) -> str:
        if not program:
            return ""
        path = os.path.join(self.settings.artifacts, program, name)
        return path if os.path.isfile(path) else ""

    def close(self) -> None:
        if self.session is not None:
            self.session.close()
        if not self.notes:
            return
        with sqlite3.connect(self.store) as con:
            for trace, path, labels in self.notes:
                con.execute("UPDATE raw_trace SET dump_path = ? WHERE id = ?", (path, trace))
                for key, value in labels.items():
                    have = con.execute("SELECT 1 FROM raw_label WHERE trace = ? AND key = ?", (trace, key)).fetchone()
                    if have is None:
                        con.execute("INSERT INTO raw_label VALUES(?, ?, ?)", (trace, key, value))
        con.close()


def _quarantined(folder: str) -> Iterator[str]:
    """Hashes of contents that are known to be bad."""
    import pyarrow.parquet as pq

    where = os.path.join(folder, "quarantine")
    for name in os.listdir(where) if os.path.isdir(where) else ():
        if name.endswith(".parquet"):
            yield from pq.read_table(os.path.join(where, name), columns=["content_hash"])["content_hash"].to_pylist()


def _write_quarantine(staging: str, bad: List[Tuple[str, str, str]], key: str) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    from .. import _core

    once = {content: (path, reason) for path, content, reason in bad}
    rows = sorted((content, path, reason) for content, (path, reason) in once.items())
    if key:
        rows = [(c, _core.keyed_hash(key, p), _core.keyed_hash(key, r)) for c, p, r in rows]
    table = pa.table(
        {"content_hash": [r[0] for r in rows], "path": [r[1] for r in rows], "reason": [r[2] for r in rows]},
        schema=pa.schema([("content_hash", pa.string()), ("path", pa.string()), ("reason", pa.string())]),
    )
    name = hashlib.sha256("".join(r[0] for r in rows).encode()).hexdigest()[:20]
    os.makedirs(os.path.join(staging, "quarantine"))
    pq.write_table(table, os.path.join(staging, "quarantine", f"part-{name}.parquet"), compression="zstd")
