"""Fleets: traces of many devices and builds as a data set in Parquet, on an engine that exists.

>>> con = et_inspect.fleet.duckdb("fleet/")            # the views of `et-inspect schema`, over all traces
>>> et_inspect.fleet.ask(con, "regressions")           # a question of fleet/queries
>>> et_inspect.fleet.register_views(spark, "fleet/")   # the same views in Spark
>>> et_inspect.fleet.ingest(spark, "raw/", "fleet/")   # .etdp files, with what belongs to them

Needs pyarrow; DuckDB or PySpark for what names them: pip install 'et-inspect[fleet]'. docs/fleet.md describes all of it.
"""

from __future__ import annotations

from .ask import ask, questions
from .dataset import export
from .ingest import IngestSummary, ingest
from .views import duckdb, register_views

__all__ = ["ask", "duckdb", "export", "ingest", "IngestSummary", "questions", "register_views"]
