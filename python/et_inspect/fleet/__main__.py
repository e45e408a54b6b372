"""python -m et_inspect.fleet: what `et-inspect fleet-report` starts, and the parts that need no C++ library of Arrow."""

from __future__ import annotations

import argparse
import csv
import sys

from ..errors import Error


def _report(args: argparse.Namespace) -> None:
    from .report import write_report

    write_report(args.folder, args.output)


def _export(args: argparse.Namespace) -> None:
    from .dataset import export

    options = {"samples": args.samples, "date": args.date, "device": args.device, "build": args.build, "redact": args.redact}
    print(f"{args.out}: {export(args.stores, args.out, **options)} traces added", file=sys.stderr)


def _ask(args: argparse.Namespace) -> None:
    from .ask import query_text, rows_of
    from .views import duckdb

    columns, rows = rows_of(duckdb(args.folder), query_text(args.question))
    out = csv.writer(sys.stdout)
    out.writerow(columns)
    out.writerows(rows)


def _ingest(args: argparse.Namespace) -> None:
    from ..optional import need
    from .ingest import ingest

    sql = need("pyspark.sql", "fleet ingest")
    spark = sql.SparkSession.builder.appName("et-inspect ingest").getOrCreate()
    try:
        done = ingest(spark, args.raw, args.out, artifacts=args.artifacts, samples=args.samples, redact=args.redact)
    finally:
        spark.stop()
    for path, reason in done.reasons:
        print(f"quarantined: {path}: {reason}", file=sys.stderr)
    print(f"{args.out}: {done.added} traces added, {done.known} were there, {done.quarantined} quarantined", file=sys.stderr)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m et_inspect.fleet", description="Data sets of traces in Parquet.")
    commands = parser.add_subparsers(dest="command", required=True)
    report = commands.add_parser("report", help="one offline HTML page")
    report.add_argument("folder")
    report.add_argument("-o", "--output", default="fleet.html")
    report.set_defaults(run=_report)
    ask = commands.add_parser("ask", help="answer a question of fleet/queries as CSV, with DuckDB")
    ask.add_argument("folder")
    ask.add_argument("question")
    ask.set_defaults(run=_ask)
    export = commands.add_parser("export", help="add the traces of stores, as et-inspect export --format parquet")
    export.add_argument("stores", nargs="+")
    export.add_argument("--out", required=True)
    for name in ("date", "device", "build"):
        export.add_argument(f"--{name}", default="")
    export.set_defaults(run=_export)
    ingest = commands.add_parser("ingest", help="add raw .etdp files, with Spark on this machine")
    ingest.add_argument("raw")
    ingest.add_argument("--out", required=True)
    ingest.add_argument("--artifacts", help="folder with <SHA-256 of the program>/program.pte and etrecord.bin")
    ingest.set_defaults(run=_ingest)
    for command in (export, ingest):
        command.add_argument("--samples", action="store_true")
        command.add_argument("--redact", metavar="KEYFILE")
    return parser


def main() -> int:
    args = _parser().parse_args()
    try:
        args.run(args)
    except (Error, ModuleNotFoundError, OSError) as e:
        print(f"et-inspect fleet: error: {e}", file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
