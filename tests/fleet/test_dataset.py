"""What a data set holds, and who can read it."""

import os
import pathlib
import shutil
import sqlite3

import pytest
from conftest import BUILDS, DEVICES, has_plugin, import_store, needed, run

VIEWS = ["ops", "costs", "links", "nodes", "lines", "blocks", "executions", "diagnostics", "samples", "traces"]


def store_rows(store, sql):
    with sqlite3.connect(store) as con:
        return con.execute(sql).fetchall()


def files_of(dataset, view="*"):
    return sorted(str(p) for p in pathlib.Path(dataset).glob(f"{view}/*/*/*/*.parquet"))


@pytest.mark.parametrize("view", VIEWS)
def test_pandas_sees_every_row_of_the_store(fleet, dataset, view):
    needed("pandas")
    import pandas

    frame = pandas.read_parquet(os.path.join(dataset, view))
    assert len(frame) == store_rows(fleet[0], f"SELECT count(*) FROM {view}")[0][0]
    assert set(map(str, frame["device"].unique())) <= set(DEVICES)  # decoded again


def test_polars_sums_as_the_store_does(fleet, dataset):
    needed("polars")
    import polars

    frame = polars.scan_parquet(os.path.join(dataset, "ops", "**", "*.parquet"), hive_partitioning=True, try_parse_hive_dates=False)
    got = dict(frame.group_by("device").agg(polars.col("sum_ns").sum()).collect().iter_rows())
    assert got == dict(store_rows(fleet[0], "SELECT device, sum(sum_ns) FROM fleet_ops GROUP BY device"))


def test_duckdb_has_the_contract_by_its_names(fleet, dataset):
    needed("duckdb")
    import et_inspect.fleet

    con = et_inspect.fleet.duckdb(dataset)
    numbered = {"trace_id", "op_id", "parent_op_id", "node_id", "block_id", "run_id", "delegate_id", "payload_node_id"}
    with sqlite3.connect(fleet[0]) as store:
        for view in ["traces", "labels", "ops", "costs", "links", "nodes", "lines", "executions", "diagnostics", "fleet_traces", "fleet_ops"]:
            columns = [c[0] for c in store.execute(f"SELECT * FROM {view} LIMIT 0").description]
            assert set(columns) <= {c[0] for c in con.execute(f"SELECT * FROM {view} LIMIT 0").description}, view
            same = ", ".join(f'"{c}"' for c in columns if c not in numbered)
            key = lambda row: tuple((v is None, str(type(v)), v) for v in row)  # noqa: E731
            rounded = lambda rows: sorted((tuple(float(f"{v:.9g}") if isinstance(v, float) else v for v in r) for r in rows), key=key)  # noqa: E731
            got = rounded(con.execute(f"SELECT {same} FROM {view}").fetchall())
            assert got == rounded(store.execute(f"SELECT {same} FROM {view}").fetchall()), view
    # Numbers differ, but lead to the same rows.
    join = "SELECT count(*), sum(l.weight) FROM links l JOIN ops o ON o.op_id = l.op_id JOIN nodes n ON n.node_id = l.node_id JOIN traces t ON t.trace_id = o.trace_id"
    assert con.execute(join).fetchone() == pytest.approx(store_rows(fleet[0], join)[0])


def test_types_are_exact_and_row_groups_prune(dataset):
    import pyarrow.parquet as pq

    file = pq.ParquetFile(files_of(dataset, "ops")[0])
    schema = {f.name: str(f.type) for f in file.schema_arrow}
    assert schema["sum_ns"] == "int64" and schema["warm_p50_ns"] == "double" and schema["name"] == "string"
    assert schema["debug_handles"].startswith("list<") and "int64" in schema["debug_handles"]
    labels = str(pq.ParquetFile(files_of(dataset, "traces")[0]).schema_arrow.field("labels").type)
    assert "struct<key: string, value: string>" in labels
    metadata = {k.decode(): v.decode() for k, v in file.metadata.metadata.items()}
    assert metadata["et_inspect.schema_version"] == "1" and metadata["et_inspect.view"] == "ops"
    names = [file.metadata.row_group(0).column(i) for i in range(file.metadata.num_columns)]
    key = next(c for c in names if c.path_in_schema == "op_key")
    assert "RLE_DICTIONARY" in key.encodings and key.statistics.has_min_max
    keys = file.read(columns=["op_key"])["op_key"].to_pylist()
    assert keys == sorted(keys)


def test_many_row_groups_have_ranges_that_do_not_overlap(tmp_path):
    needed("pyarrow", "et_inspect._core")
    import pyarrow as pa
    import pyarrow.parquet as pq
    from et_inspect.fleet import writer

    table = pa.table({"op_key": pa.array([f"op{i // 1000:03}" for i in range(9000)], pa.large_string()), "op_id": list(range(9000))})
    writer.write(str(tmp_path / "x.parquet"), table, {}, {}, 1000)
    file = pq.ParquetFile(tmp_path / "x.parquet")
    ranges = [file.metadata.row_group(i).column(0).statistics for i in range(file.num_row_groups)]
    assert [r.min for r in ranges] == [f"op{i:03}" for i in range(9)] == [r.max for r in ranges]


def test_again_adds_nothing_and_partly_known_adds_the_rest(fleet, dataset, tmp_path):
    needed("duckdb")
    import et_inspect.fleet

    out = tmp_path / "d"
    shutil.copytree(dataset, out)
    before = files_of(out)
    assert et_inspect.fleet.export(fleet[0], out, samples=True) == 0
    assert files_of(out) == before
    other = import_store(str(tmp_path / "other.db"), "add_mul")
    assert et_inspect.fleet.export([fleet[0], other], out, date="2026-05-01", device="new", build="x") == 1
    con = et_inspect.fleet.duckdb(out)
    assert con.execute("SELECT device, build, date FROM fleet_traces WHERE device = 'new'").fetchall() == [("new", "x", "2026-05-01")]
    assert con.execute("SELECT count(*) = count(DISTINCT trace_id) FROM fleet_traces").fetchone()[0]


def test_what_was_cut_off_between_two_files_is_completed(fleet, dataset, tmp_path):
    import et_inspect.fleet

    out = tmp_path / "d"
    shutil.copytree(dataset, out)
    commit = next((out / "_commits").glob("*.commit"))
    moved = [line.split("\t")[1:] for line in commit.read_text().splitlines() if line.startswith("file\t")]
    for source, target in moved[len(moved) // 2 :]:  # as if the process had died here
        (out / source).parent.mkdir(parents=True, exist_ok=True)
        os.rename(out / target, out / source)
    commit.rename(commit.with_suffix(".pending"))
    assert et_inspect.fleet.export(fleet[0], out, samples=True) == 0
    assert [os.path.relpath(f, out) for f in files_of(out)] == [os.path.relpath(f, dataset) for f in files_of(dataset)]
    assert not list((out / "_commits").glob("*.pending"))


def test_a_writer_that_fails_leaves_nothing(fleet, tmp_path, monkeypatch):
    import et_inspect.fleet
    from et_inspect.fleet import writer

    real, calls = writer.write, []

    def fails(*args):
        calls.append(args)
        if len(calls) == 5:
            raise OSError("disk full")
        real(*args)

    monkeypatch.setattr(writer, "write", fails)
    with pytest.raises(OSError, match="disk full"):
        et_inspect.fleet.export(fleet[0], tmp_path / "d")
    assert not files_of(tmp_path / "d") and not list((tmp_path / "d" / "_commits").glob("*.commit"))


def test_command_and_package_write_the_same(fleet, dataset, tmp_path):
    if not has_plugin():
        pytest.skip("the command has no Arrow: et_parquet.so was not built")
    import et_inspect.fleet
    import pyarrow.parquet as pq

    et_inspect.fleet.export(fleet[0], tmp_path / "d", samples=True)
    ours, theirs = files_of(tmp_path / "d"), files_of(dataset)
    assert [os.path.relpath(f, tmp_path / "d") for f in ours] == [os.path.relpath(f, dataset) for f in theirs]
    for a, b in zip(ours, theirs):
        assert pq.read_table(a).equals(pq.read_table(b), check_metadata=False), a
        assert pq.read_metadata(a).metadata == pq.read_metadata(b).metadata


def test_sketches_are_within_one_percent_of_exact_percentiles(fleet, dataset):
    needed("duckdb", "numpy")
    import numpy as np

    import et_inspect.fleet

    con = et_inspect.fleet.duckdb(dataset)
    exact = {}
    for device, build, op_key, durations in con.execute(
        "SELECT o.device, o.build, o.op_key, list(s.duration_ns) FROM samples s JOIN fleet_ops o ON o.op_id = s.op_id "
        "JOIN executions e ON e.run_id = s.run_id WHERE e.is_cold = 0 GROUP BY o.device, o.build, o.op_key"
    ).fetchall():
        exact[device, build, op_key] = durations
    compared = 0
    for row in et_inspect.fleet.ask(con, "percentiles"):
        durations = exact[row["device"], row["build"], row["op_key"]]
        assert len(durations) == row["samples"]
        for q, name in ((0.5, "p50_ns"), (0.99, "p99_ns")):
            want = float(np.quantile(durations, q, method="inverted_cdf"))
            assert abs(row[name] - want) <= 0.01 * want, (row, name, want)
            compared += 1
    assert compared > 100


def test_sketches_of_any_durations_keep_the_bound(tmp_path):
    """From 1 ns to an hour, all on the edges of buckets, too."""
    needed("numpy")
    import numpy as np

    random = np.random.default_rng(3)
    edges = np.concatenate([np.floor(1.02 ** np.arange(0, 1450)), np.ceil(1.02 ** np.arange(0, 1450))])
    values = np.unique(np.concatenate([edges, np.exp(random.uniform(0, np.log(3.6e12), 20000)).astype(np.int64), np.arange(1, 2000)])).astype(np.int64)
    con = sqlite3.connect(":memory:")
    schema = run("schema", "--format", "json", check=False).stdout
    assert "fleet_sketches" in schema
    store = import_store(str(tmp_path / "s.db"), "add_mul")
    sql = store_rows(store, "SELECT sql FROM sqlite_schema WHERE name = 'fleet_sketches'")[0][0]
    value = next(line for line in sql.splitlines() if " AS value_ns" in line).split(" AS value_ns")[0].replace("x.duration", "?1")
    for d in values:
        got = con.execute(f"SELECT {value}", (int(d),)).fetchone()[0]
        assert abs(got - d) <= 0.01 * d, (d, got)


def test_redacted_output_has_nothing_that_must_not_be_there(fleet, tmp_path):
    import pyarrow.parquet as pq

    import et_inspect.fleet

    store = str(tmp_path / "secret.db")
    shutil.copy(fleet[0], store)
    with sqlite3.connect(store) as con:
        con.execute("UPDATE raw_trace SET host = 'laptop-of-ada', name = 'ada-run', build = '-I/home/ada/src'")
        code = [r[0] for r in con.execute("SELECT DISTINCT code FROM nodes WHERE code IS NOT NULL")]
        files = [r[0] for r in con.execute("SELECT DISTINCT file FROM nodes WHERE file IS NOT NULL")]
        functions = [r[0] for r in con.execute("SELECT DISTINCT function FROM nodes WHERE function IS NOT NULL")]
        paths = [r[0] for r in con.execute("SELECT dump_path FROM traces UNION SELECT record_path FROM traces UNION SELECT program_path FROM traces") if r[0]]
    assert code and files and paths
    key = tmp_path / "key"
    key.write_text("0123456789abcdef0123456789abcdef\n")

    def everything(folder):
        """All texts of all files, and their names and metadata."""
        out = []
        for path in pathlib.Path(folder).rglob("*"):
            out.append(str(path.relative_to(folder)))
            if path.suffix == ".parquet":
                table = pq.read_table(path, partitioning=None)
                out += [str(v) for column in table.columns for v in set(map(str, column.to_pylist()))]
                out.append(str(pq.read_metadata(path).metadata) + str(path.read_bytes()))
            elif path.is_file():
                out.append(path.read_text(errors="replace"))
        return "\n".join(out)

    et_inspect.fleet.export(store, tmp_path / "open", samples=True)
    et_inspect.fleet.export(store, tmp_path / "redacted", samples=True, redact=key)
    clear, hidden = everything(tmp_path / "open"), everything(tmp_path / "redacted")
    secrets = ["laptop-of-ada", "ada-run", "/home/ada", *code, *files, *paths, "0123456789abcdef0123456789abcdef"]
    for secret in secrets[:-1]:
        assert secret in clear, secret  # else the test proves nothing
    for secret in secrets:
        assert secret not in hidden, secret
    names = [f for f in functions if len(f) > 8]
    assert not [f for f in names if f in hidden]
    # The same key gives the same hashes: what is redacted can still be grouped and joined.
    et_inspect.fleet.export(store, tmp_path / "again", redact=key)
    read = lambda folder: sorted(set(map(str, pq.read_table(tmp_path / folder / "lines", partitioning=None)["file"].to_pylist())))  # noqa: E731
    assert read("redacted") == read("again") and all(f == "None" or len(f) == 32 for f in read("again"))
    key.write_text("another key, as long as it has to be")
    et_inspect.fleet.export(store, tmp_path / "other", redact=key)
    assert read("other") != read("again")


def test_results_of_checks_are_there(tmp_path):
    needed("duckdb", "pyarrow")
    import et_inspect.fleet

    store = import_store(str(tmp_path / "c.db"), "add_mul")
    with sqlite3.connect(store) as con:
        con.execute("INSERT INTO raw_check_run VALUES(7, 'aa' || hex(randomblob(31)), 'r.json', '2026-02-03T10:00:00Z', 5, 'build-9', 'et-check', '1', 'h', 'cpu9', 2, 'os', 1, 1, 0)")
        con.execute("INSERT INTO raw_check_case(id, run, ordinal, file, passed, max_abs_error, operators, samples) VALUES(40, 7, 0, 'm.bpte', 1, 0.5, '[\"aten::add.out\"]', 0)")
        con.execute("INSERT INTO raw_check_case(id, run, ordinal, file, passed, max_abs_error, operators, samples) VALUES(41, 7, 1, 'm.bpte', 0, 'NaN', '[]', 0)")
        con.execute("INSERT INTO raw_check_output(id, check_case, ordinal, passed) VALUES(90, 41, 0, 0)")
    et_inspect.fleet.export(store, tmp_path / "d")
    con = et_inspect.fleet.duckdb(tmp_path / "d")
    got = con.execute("SELECT r.build, r.device, r.date, c.passed, isnan(c.max_abs_error), c.operators FROM check_cases c JOIN check_runs r USING (check_run_id) ORDER BY c.ordinal").fetchall()
    assert got == [("build-9", "cpu9", "2026-02-03", 1, False, '["aten::add.out"]'), ("build-9", "cpu9", "2026-02-03", 0, True, "[]")]
    assert con.execute("SELECT c.passed FROM check_outputs o JOIN check_cases c USING (check_case_id)").fetchall() == [(0,)]


def test_builds_names_may_have_any_character(tmp_path):
    needed("duckdb", "pandas", "polars")
    import pandas
    import polars

    import et_inspect.fleet

    store = import_store(str(tmp_path / "s.db"), "add_mul")
    name = "a/b:c=d e%2F#?*'\"ü"
    et_inspect.fleet.export(store, tmp_path / "d[1]", device=name, build="007", date="2026-01-01")
    con = et_inspect.fleet.duckdb(tmp_path / "d[1]")
    assert con.execute("SELECT device, build FROM fleet_ops LIMIT 1").fetchone() == (name, "007")
    assert pandas.read_parquet(tmp_path / "d[1]" / "ops")["device"].astype(str).unique().tolist() == [name]
    files = files_of(tmp_path / "d[1]", "ops")
    assert files and polars.read_parquet(files, hive_partitioning=True, glob=False)["device"].unique().to_list() == [name]
