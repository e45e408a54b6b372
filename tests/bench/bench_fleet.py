#!/usr/bin/env python3
"""What a data set costs: bytes a sample, time to ingest by Spark and by the command, time to ask 10 million op rows.

    bench_fleet.py ingest FOLDER [--traces 10000]     et-inspect and et-run from ET_INSPECT_BIN; Spark with local[2]
    bench_fleet.py query FOLDER [--rows 10000000]     DuckDB and Spark on a data set made of copies

Prints what docs/fleet.md has. Times are of this machine, whatever else it does: compare those of one run.
"""
import argparse
import os
import pathlib
import resource
import shutil
import subprocess
import time

BIN = os.environ.get("ET_INSPECT_BIN", "build/release/bin")
MODEL = pathlib.Path(__file__).parents[1] / "fixtures" / "artifacts" / "lstm" / "program.pte"
TEMPLATES = 10


def timed(what, body, count):
    begin, cpu = time.time(), resource.getrusage(resource.RUSAGE_CHILDREN)
    value = body()
    wall, after = time.time() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - cpu.ru_utime - cpu.ru_stime
    print(f"{what}: {wall:.1f} s, {1000 * wall / count:.2f} ms each; {used:.1f} s of processor in ended children", flush=True)
    return value


def size_of(folder, suffix=""):
    return sum(p.stat().st_size for p in pathlib.Path(folder).rglob(f"*{suffix}") if p.is_file())


def make_raw(folder, traces):
    """Traces of a thousand events; copies differ in a label, so in their hash."""
    if folder.is_dir() and sum(1 for _ in folder.rglob("*.etdp")) == traces:
        return
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    mark = b"run-000000000"
    for t in range(TEMPLATES):
        path = folder / "template"
        words = [f"{BIN}/et-run", MODEL, "-n", "8", "--etdump", path, "--label", f"device=device-{t % 5}", "--label", f"build=b{t % 2}"]
        subprocess.run([*words, "--label", f"run={mark.decode()}"], check=True, capture_output=True)
        data = path.read_bytes()
        assert data.count(mark) == 1
        where = folder / f"part-{t}"
        where.mkdir()
        for i in range(traces // TEMPLATES):
            (where / f"{i}.etdp").write_bytes(data.replace(mark, b"run-%09d" % (t * traces + i)))
        path.unlink()


def bench_ingest(args):
    import et_inspect.fleet
    from pyspark.sql import SparkSession

    raw = args.folder / "raw"
    make_raw(raw, args.traces)
    files = sorted(raw.rglob("*.etdp"))
    store = args.folder / "plain.db"
    store.unlink(missing_ok=True)
    few = files[:: max(1, len(files) // 200)]

    def plain():
        for path in few:
            subprocess.run([f"{BIN}/et-inspect", path, "--store", store, "--no-neighbours", "-q", "-o", "/dev/null"], check=True)

    timed(f"the command, {len(few)} traces into one store", plain, len(few))
    out = args.folder / "dataset"
    shutil.rmtree(out, ignore_errors=True)
    spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").config("spark.driver.memory", "2g").config("spark.ui.showConsoleProgress", "false").getOrCreate()
    spark.range(10).count()
    done = timed(f"Spark, {len(files)} traces", lambda: et_inspect.fleet.ingest(spark, raw, out), len(files))
    print(done)
    timed("Spark again, all known", lambda: et_inspect.fleet.ingest(spark, raw, out), len(files))
    spark.stop()
    con = et_inspect.fleet.duckdb(out)
    samples, ops = con.execute("SELECT sum(count), count(*) FROM ops").fetchone()
    print(f"{samples} samples, {ops} op rows in {len(files)} traces")
    print(f"raw: {size_of(raw) / samples:.2f} bytes a sample; store: {size_of(args.folder, 'plain.db') / (samples * len(few) / len(files)):.2f}")
    for view in sorted(p.name for p in out.iterdir() if not p.name.startswith("_")):
        print(f"  {view}: {size_of(out / view)} bytes, {size_of(out / view) / samples:.3f} a sample, {size_of(out / view) / len(files):.0f} a trace")


def bench_query(args):
    import duckdb
    import et_inspect.fleet
    from et_inspect.fleet.ask import query_text
    from pyspark.sql import SparkSession

    big, small = args.folder / "big", args.folder / "dataset"
    if not big.is_dir():
        big.mkdir()
        con = duckdb.connect()
        con.execute("SET preserve_insertion_order = false; SET memory_limit = '3GB'; SET partitioned_write_max_open_files = 500")
        rows = con.execute(f"SELECT count(*) FROM read_parquet('{small}/ops/*/*/*/*.parquet')").fetchone()[0]
        copies = -(-args.rows // rows)
        for view in ("ops", "traces"):
            more = ", ".join(f"{c} + (i << 40) AS {c}" for c in (["op_id", "trace_id"] if view == "ops" else ["trace_id"]))
            con.execute(
                f"COPY (SELECT * REPLACE ({more}, device || '-' || (i % 10) AS device) FROM read_parquet('{small}/{view}/*/*/*/*.parquet', "
                f"hive_partitioning = true, hive_types_autocast = false), range({copies}) t(i)) TO '{big}/{view}' "
                "(FORMAT parquet, COMPRESSION zstd, PARTITION_BY (date, device, build))"
            )
    queries = {"regressions": query_text("regressions"),
               "one op of one device": "SELECT build, avg(warm_p50_ns), count(*) FROM fleet_ops WHERE device = 'device-1-1' AND op_key = "
                                       "(SELECT min(op_key) FROM fleet_ops WHERE kind = 'kernel') GROUP BY build ORDER BY build",
               "sum by device and op": "SELECT device, op_key, sum(sum_ns), max(warm_p99_ns) FROM fleet_ops GROUP BY device, op_key ORDER BY 3 DESC LIMIT 10"}
    con = et_inspect.fleet.duckdb(big)
    con.execute("SET threads = 2; SET memory_limit = '4GB'")
    print(con.execute("SELECT count(*) FROM ops").fetchone()[0], "op rows,", size_of(big / "ops"), "bytes")
    for name, sql in queries.items():
        timed(f"DuckDB, {name}", lambda sql=sql: con.execute(sql).fetchall(), 1)
    con.close()
    spark = (SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").config("spark.driver.memory", "4g").config("spark.ui.showConsoleProgress", "false")
             .config("spark.sql.shuffle.partitions", "8").getOrCreate())
    et_inspect.fleet.register_views(spark, str(big))
    for name, sql in queries.items():
        timed(f"Spark, {name}", lambda sql=sql: spark.sql(sql).collect(), 1)
    spark.stop()


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("what", choices=["ingest", "query"])
parser.add_argument("folder", type=pathlib.Path)
parser.add_argument("--traces", type=int, default=10_000)
parser.add_argument("--rows", type=int, default=10_000_000)
args = parser.parse_args()
args.folder.mkdir(parents=True, exist_ok=True)
{"ingest": bench_ingest, "query": bench_query}[args.what](args)
