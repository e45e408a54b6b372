"""The views of the store over a data set, by the same names and columns, in DuckDB and in Spark. Beside their own columns
they have date, device and build, which prune files; ``traces`` has date and device, as its build is the runtime's."""

from __future__ import annotations

import os
from typing import Any, Dict, List, Tuple, Union

from ..optional import need
from .dataset import columns

PathLike = Union[str, "os.PathLike[str]"]
PARTITION = ["date", "device", "build"]
_FILES = "_files_"  # before the name of a view: its files as they are

Columns = List[Tuple[str, str, str]]


class _DuckDB:
    """How DuckDB says it."""

    types = {"INTEGER": "BIGINT", "REAL": "DOUBLE", "TEXT": "VARCHAR", "BLOB": "BLOB"}
    lists = {
        "list<int64>": "BIGINT[]",
        "list<string>": "VARCHAR[]",
        "list<struct<key: string, value: string>>": "STRUCT(key VARCHAR, value VARCHAR)[]",
    }
    labels = "SELECT trace_id, l.key AS key, l.value AS value, date, device, build FROM (SELECT *, unnest(labels) AS l FROM _files_traces)"

    @staticmethod
    def json(column: str, list_type: str) -> str:
        item = "CAST(to_json(x) AS VARCHAR)" if list_type == "list<string>" else "x"
        return f"'[' || array_to_string([{item} for x in {column}], ', ') || ']'"


class _Spark:
    types = {"INTEGER": "bigint", "REAL": "double", "TEXT": "string", "BLOB": "binary"}
    lists = {
        "list<int64>": "array<bigint>",
        "list<string>": "array<string>",
        "list<struct<key: string, value: string>>": "array<struct<key: string, value: string>>",
    }
    labels = "SELECT trace_id, l.key AS key, l.value AS value, date, device, build FROM _files_traces LATERAL VIEW explode(labels) t AS l"

    @staticmethod
    def json(column: str, list_type: str) -> str:
        # As an array of one, without its brackets: Spark makes JSON of arrays, not of texts.
        item = "substring(to_json(array(x)), 2, length(to_json(array(x))) - 2)" if list_type == "list<string>" else "x"
        return f"concat('[', array_join(transform({column}, x -> {item}), ', '), ']')"


def _contract(name: str, cols: Columns, engine: Any) -> str:
    """A view as the store has it: lists are JSON there, and what a partition's name took has its own again."""
    out = []
    for column, _, list_type in cols:
        if name == "traces" and column in ("labels", "trace_hash"):
            continue
        value = engine.json(column, list_type) if list_type else column
        shown = "build" if (name, column) == ("traces", "runtime_build") else column
        out.append(value if value == shown else f"{value} AS {shown}")
    out += PARTITION[:2] if name == "traces" else PARTITION
    return f"SELECT {', '.join(out)} FROM {_FILES}{name}"


def _views(engine: Any) -> Dict[str, str]:
    views = {name: _contract(name, cols, engine) for name, cols in columns() if name != "sketches"}
    partition = ", ".join(PARTITION)
    views["labels"] = engine.labels
    views["fleet_traces"] = (
        f"SELECT trace_id, trace_hash, {partition}, unit, events, executions, execute_ns, lost_events FROM _files_traces"
    )
    views["fleet_ops"] = (
        "SELECT op_id, trace_id, op_key, coalesce(method, block) AS method, module_path, name, kind, block_kind, backend, "
        f"clock, unit, {engine.json('op_types', 'list<string>')} AS op_types, count, sum_ns, self_ns, warm_p50_ns, warm_p99_ns, cold_ns, "
        f"{partition} FROM _files_ops"
    )
    views["fleet_sketches"] = "SELECT * FROM _files_sketches"
    return views


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _has_files(folder: str) -> bool:
    return any(name.endswith(".parquet") for _, _, files in os.walk(folder) for name in files)


def duckdb(path: PathLike, connection: Any = None) -> Any:
    """A connection of DuckDB with the views; ``connection`` may be one that is open already."""
    engine = need("duckdb", "fleet.duckdb()")
    con = engine.connect() if connection is None else connection
    for name, cols in columns():
        fields = [(c, _DuckDB.lists[l] if l else _DuckDB.types[t]) for c, t, l in cols] + [(c, "VARCHAR") for c in PARTITION]
        folder = os.path.join(os.fspath(path), name)
        if _has_files(folder):
            # The pattern is of files only: a folder's name may have any character.
            pattern = os.path.join(_escaped(folder), "*", "*", "*", "*.parquet")
            source = (
                f"SELECT {', '.join(c for c, _ in fields)} FROM read_parquet({_quoted(pattern)}, hive_partitioning = true, "
                "hive_types_autocast = false, union_by_name = true)"
            )
        else:
            source = "SELECT " + ", ".join(f"CAST(NULL AS {t}) AS {c}" for c, t in fields) + " WHERE false"
        con.execute(f"CREATE OR REPLACE TEMP VIEW {_FILES}{name} AS {source}")
    for name, sql in _views(_DuckDB).items():
        con.execute(f"CREATE OR REPLACE TEMP VIEW {name} AS {sql}")
    return con


def _escaped(folder: str) -> str:
    return "".join(f"[{c}]" if c in "*?[" else c for c in folder)


def register_views(spark: Any, path: PathLike) -> List[str]:
    """Makes the views of the store in a Spark session, over the data set at ``path``; returns their names. Paths of HDFS or
    an object store are taken as Spark takes them."""
    folder = os.fspath(path)
    for name, cols in columns():
        fields = [(c, _Spark.lists[l] if l else _Spark.types[t]) for c, t, l in cols] + [(c, "string") for c in PARTITION]
        schema = ", ".join(f"`{c}` {t}" for c, t in fields)
        where = f"{folder.rstrip('/')}/{name}"
        if _exists(spark, where):
            frame = spark.read.schema(schema).parquet(where)
        else:
            frame = spark.createDataFrame([], schema)
        frame.createOrReplaceTempView(f"{_FILES}{name}")
    views = _views(_Spark)
    for name, sql in views.items():
        spark.sql(sql).createOrReplaceTempView(name)
    return sorted(views)


def _exists(spark: Any, path: str) -> bool:
    hadoop = spark._jvm.org.apache.hadoop.fs.Path(path)
    return hadoop.getFileSystem(spark._jsc.hadoopConfiguration()).exists(hadoop)
