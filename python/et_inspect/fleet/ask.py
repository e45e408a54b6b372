"""The questions of fleet/queries: SQL that SQLite, DuckDB and Spark understand alike."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Dict, List, Tuple

from ..errors import NotFoundError

FOLDER = Path(os.environ.get("ET_INSPECT_QUERIES") or Path(__file__).parent / "queries")


def questions() -> Dict[str, str]:
    """Name of each question, and what it asks: the first comment of its file."""
    out = {}
    for path in sorted(FOLDER.glob("*.sql")):
        comment = []
        for line in path.read_text(encoding="utf-8").splitlines():
            if not line.startswith("--"):
                break
            comment.append(line[2:].strip())
        out[path.stem] = " ".join(comment)
    return out


def query_text(question: str) -> str:
    path = FOLDER / f"{question}.sql"
    if not question.replace("_", "").isalnum() or not path.is_file():
        raise NotFoundError(f"question: expected one of {', '.join(questions())}, got {question!r}", 0x20, "NotFound")
    return path.read_text(encoding="utf-8")


def rows_of(engine: Any, sql: str) -> Tuple[List[str], List[Tuple[Any, ...]]]:
    """Columns and rows of a query on a Spark session, or on a connection of DuckDB or sqlite3."""
    if hasattr(engine, "sparkContext") or type(engine).__module__.startswith("pyspark."):
        frame = engine.sql(sql)
        return frame.columns, [tuple(row) for row in frame.collect()]
    cursor = engine.execute(sql)
    return [c[0] for c in cursor.description], [tuple(row) for row in cursor.fetchall()]


def ask(engine: Any, question: str) -> List[Dict[str, Any]]:
    """The answer to a question, a dict a row. ``engine``: what ``duckdb()`` gives, a Spark session with registered views,
    or a sqlite3 connection to a store."""
    columns, rows = rows_of(engine, query_text(question))
    return [dict(zip(columns, row)) for row in rows]
