"""et_inspect.open and Trace."""

import json
import os
import pathlib
import signal
import sqlite3
import subprocess
import sys
import threading

import numpy as np
import pytest

import et_inspect
from conftest import HOSTILE, all_cases


def rows(table):
    return table.to_dict() if isinstance(table, et_inspect.Table) else table


def rows_of(table):
    """A table as dicts, None where there is no value; whatever it is a table of."""
    if hasattr(table, "to_dict") and hasattr(table, "columns"):
        table = table.astype(object).where(table.notna(), None).to_dict("list")
    elif hasattr(table, "to_pydict"):
        table = table.to_pydict()
    return [dict(zip(table, values)) for values in zip(*table.values())]


def tables_of(trace):
    return {name: getattr(trace, name) for name in ("ops", "lines", "modules", "delegation", "diagnostics", "findings", "values")}


@pytest.fixture
def trace(case):
    c = case("partial_delegation")
    with et_inspect.open(c.etdump, c.etrecord, c.pte) as trace:
        yield trace


@pytest.mark.parametrize("name", all_cases())
def test_every_artifact_has_its_tables(case, name):
    c = case(name)
    for record, program in ((None, None), (c.etrecord, None), (c.etrecord, c.pte)):
        with et_inspect.open(c.etdump, record, program) as trace:
            tables = tables_of(trace)
            assert len(trace.query("SELECT * FROM ops WHERE trace_id = :trace")) > 0
            assert all(len(t) >= 0 for t in tables.values())
            html = trace._repr_html_()
            assert html.count("<div") == html.count("</div") and "http://" not in html.replace("http://www.w3.org/2000/svg", "")


def test_the_times_of_ops_are_those_of_the_command(trace):
    report = json.loads(trace.report("json"))
    ops = trace.query("SELECT op_id, sum_ns, self_ns FROM ops WHERE trace_id = :trace").to_rows()
    assert [(o["op_id"], o["sum_ns"], o["self_ns"]) for o in sorted(report["ops"], key=lambda o: o["op_id"])] == [
        (o["op_id"], o["sum_ns"], o["self_ns"]) for o in sorted(ops, key=lambda o: o["op_id"])
    ]


def test_costs_of_lines_add_up_to_the_executions(trace):
    total = trace.query("SELECT execute_ns AS t FROM traces WHERE trace_id = :trace")["t"][0]
    lines = trace.query("SELECT sum(ns) AS s FROM lines WHERE trace_id = :trace")["s"][0]
    assert lines == pytest.approx(total)
    summed = trace.on("total")
    assert sum(summed.lines["ns"]) == pytest.approx(total) and sum(summed.modules["self_ns"]) == pytest.approx(total)


def command(*words):
    from et_inspect import commands

    done = subprocess.run([commands.find("et-inspect"), *words, "--format", "json"], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@pytest.mark.parametrize("basis", [None, "warm", "total", "mean", "cold", "p99", "#1"])
@pytest.mark.parametrize("name", ["partial_delegation", "lstm", "add_mul"])
def test_costs_are_those_of_the_command_on_each_basis(case, name, basis):
    c = case(name)
    files = [c.etdump, c.etrecord, c.pte]
    shown = basis or "warm"
    with et_inspect.open(*files, **({} if basis is None else {"basis": basis})) as trace:
        assert trace.basis == shown
        wanted = command(*files, "--basis", shown, "--group-by", "module")
        assert wanted["costs"]["basis"] == shown
        ops = {int(i): c for i, c in zip(trace.ops["op_id"], trace.ops["cost_ns"]) if c is not None and c == c}
        assert ops == pytest.approx({o["op_id"]: o["cost_ns"] for o in wanted["costs"]["ops"]})
        modules = rows_of(trace.modules)
        told = [g for g in wanted["groups"] if not g["belongs_to_none"]]
        assert [(m["module"], m["self_ns"], m["total_ns"]) for m in modules if m["module"] is not None] == [
            (g["key"], pytest.approx(g["self_ns"]), pytest.approx(g["inner_ns"])) for g in told]
        lines = {(r["file"], r["line"]): (r["ns"], r["inclusive_ns"]) for r in rows_of(trace.lines) if r["file"]}
        source = command("source", *files, "--basis", shown)["source"]
        assert len(lines) > 1 and lines == {
            (r["file"], r["line"]): (pytest.approx(r["time_ns"]), pytest.approx(r["inclusive_ns"])) for r in source if r["file"]}
        cost = sum(m["cost_ns"] for m in wanted["costs"]["methods"])
        assert sum(trace.lines["ns"]) == pytest.approx(cost) and sum(trace.modules["self_ns"]) == pytest.approx(cost)


@pytest.mark.parametrize("name", all_cases())
def test_all_rows_add_up_to_what_was_executed(case, name):
    c = case(name)
    with et_inspect.open(c.etdump, c.etrecord) as trace:
        for basis in ("warm", "total", "cold"):
            on = trace.on(basis)
            whole = on._core.op_costs(basis)["total"]
            assert whole > 0
            assert sum(on.lines["ns"]) == pytest.approx(whole) and sum(on.modules["self_ns"]) == pytest.approx(whole)


def test_the_basis_is_checked_and_can_be_changed(trace):
    for use in (lambda: setattr(trace, "basis", "nope"), lambda: trace.on("nope"), lambda: et_inspect.open("x", basis="nope")):
        with pytest.raises(et_inspect.ArgumentError, match="warm, mean, total, cold, p99"):
            use()
    with pytest.raises(et_inspect.ArgumentError, match="#77"):
        trace.on("#77").lines
    warm = list(trace.lines["ns"])
    trace.basis = "cold"
    assert list(trace.lines["ns"]) != warm and trace.on("warm").basis == "warm"


def test_without_a_record_lines_and_modules_have_their_rest(case):
    with et_inspect.open(case("add_mul").etdump) as trace:
        for table, name, cost in ((trace.lines, "file", "ns"), (trace.modules, "module", "self_ns")):
            assert all(v is None or v != v for v in table[name]) and sum(table[cost]) > 0


def test_samples_by_name_and_by_id(trace):
    by_name = trace.samples("DELEGATE_CALL")
    first = int(list(by_name["op_id"])[0])
    by_id = trace.samples(np.int64(first))
    for nobody in ("DELEGATE_CAL", 10**6):
        with pytest.raises(et_inspect.NotFoundError, match=f"no op has the .* {nobody!r}; trace.ops lists them"):
            trace.samples(nobody)
    assert 0 < len(list(by_id["op_id"])) < len(list(by_name["op_id"]))
    assert set(map(int, by_id["op_id"])) == {first}


def test_sql_takes_parameters_and_reads_only(trace):
    assert trace.query("SELECT ? AS a, ? AS b, ? AS c, ? AS d", [1, 2.5, "x", None]).to_dict() == {
        "a": [1], "b": [2.5], "c": ["x"], "d": [None]}
    assert trace.query("SELECT :v AS v, :trace AS t", {"v": b"\x00\xff"}).to_dict() == {"v": [b"\x00\xff"], "t": [trace.trace_id]}
    for sql in ("SELECT nope FROM ops", "DELETE FROM raw_op", "SELECT ?", "SELECT 1; SELECT 2", "", "SELECT"):
        with pytest.raises(et_inspect.ArgumentError, match="SQL: "):
            trace.query(sql)
    with pytest.raises(et_inspect.DtypeError, match="expected None, int, float, str or bytes"):
        trace.query("SELECT ?", [object()])


def test_sql_takes_the_trace_beside_parameters(trace):
    found = trace.query("SELECT DISTINCT trace_id, ? FROM ops WHERE trace_id = :trace AND name LIKE ?", [7, "%"])
    assert found.to_rows() == [{"trace_id": trace.trace_id, "?": 7}]
    with pytest.raises(et_inspect.ArgumentError, match="expected 2 parameters, got 1"):
        trace.query("SELECT ? WHERE :trace = 1 AND ?", [1])
    with pytest.raises(et_inspect.ArgumentError, match="at most 64 bits"):
        trace.query("SELECT ?", [2**63])
    assert trace.query("SELECT 1 AS a, 2 AS a").to_dict() == {"a": [1], "a:2": [2]}
    for wrong in (lambda: trace.sql(5), lambda: trace.export(None), lambda: trace.source(3)):
        with pytest.raises(et_inspect.DtypeError, match="expected a text"):
            wrong()


def test_a_column_holds_what_its_cells_are(trace):
    mixed = trace.query("SELECT * FROM (VALUES (1), (2.5), (NULL))")
    assert mixed["column1"] == [1.0, 2.5, None]
    texts = trace.query("SELECT * FROM (VALUES (NULL), (7), ('x'), (1.5))")
    assert texts["column1"] == [None, "7", "x", "1.5"]
    assert trace.query("SELECT NULL AS n")["n"] == [None]
    assert trace.query("SELECT 1 AS n WHERE 0").to_dict() == {"n": []}
    big = 2**62 + 1
    assert trace.query("SELECT * FROM (VALUES (?1), (NULL))", [big])["column1"] == [big, None]


def test_pandas_keeps_integers_with_holes(trace):
    pytest.importorskip("pandas")
    frame = trace.query("SELECT * FROM (VALUES (?1), (NULL))", [2**62 + 1]).to_pandas()
    assert str(frame["column1"].dtype) == "Int64" and frame["column1"][0] == 2**62 + 1
    trace.close()
    frame.loc[0, "column1"] = 5  # a frame's memory is its own


def test_arrow_outlives_the_trace(trace):
    pyarrow = pytest.importorskip("pyarrow")
    table = trace.query("SELECT op_id, name, share, NULL AS hole, x'01' AS blob FROM ops ORDER BY op_id")
    arrow = pyarrow.table(table)
    arrow.validate(full=True)
    wanted = table.to_dict()
    trace.close()
    del table
    assert arrow.to_pydict() == wanted
    # Children that are moved out live without the rest.
    column = arrow.column("name")
    del arrow
    assert column.to_pylist() == wanted["name"]


def test_without_pandas_and_pyarrow_there_are_dicts(case):
    c = case("add_mul")
    code = (
        "import sys\n"
        "sys.modules['pandas'] = sys.modules['pyarrow'] = None\n"
        "import importlib.util, et_inspect\n"
        "find = importlib.util.find_spec\n"
        "importlib.util.find_spec = lambda n, *a: None if n in ('pandas', 'pyarrow') else find(n, *a)\n"
        f"t = et_inspect.open({c.etdump!r}, {c.etrecord!r})\n"
        "assert type(t.ops) is dict and type(t.modules) is dict, type(t.ops)\n"
        "assert 'torch' not in sys.modules and 'executorch' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})


def test_importing_the_package_imports_nothing_heavy():
    code = "import sys, et_inspect; assert not {'numpy', 'pandas', 'pyarrow', 'torch', 'executorch'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})


def test_store_is_a_database_that_others_open(trace, tmp_path):
    count = len(trace.query("SELECT * FROM ops"))
    assert sqlite3.connect(trace.store).execute("SELECT count(*) FROM ops").fetchone() == (count,)
    saved = trace.save(tmp_path / "kept.db")
    with et_inspect.open(saved) as again:
        assert len(again.query("SELECT * FROM ops")) == count
    with pytest.raises(et_inspect.Error):
        trace.save(saved)  # it exists


def test_a_store_keeps_several_traces(case, tmp_path):
    store = tmp_path / "s.db"
    for name in ("add_mul", "lstm"):
        et_inspect.open(case(name).etdump, store=store, name=name).close()
    with et_inspect.open(f"{store}#lstm") as trace:
        assert trace.info["name"] == "lstm" and trace.trace_id == 2
    with pytest.raises(et_inspect.ArgumentError, match="#1 add_mul, #2 lstm"):
        et_inspect.open(store)


def test_the_copy_of_a_trace_goes_with_it(case):
    trace = et_inspect.open(case("add_mul").etdump)
    copy = pathlib.Path(trace.store)
    assert copy.exists()
    del trace
    assert not copy.exists()


def test_a_closed_trace_says_so(trace):
    trace.close()
    trace.close()
    assert trace.closed and "closed" in repr(trace) and "closed" in trace._repr_html_()
    for use in (lambda: trace.ops, lambda: trace.report(), lambda: trace.query("SELECT 1"), lambda: trace.store,
                lambda: trace.export("chrome"), lambda: trace.findings):
        with pytest.raises(et_inspect.StateError, match="closed"):
            use()


def test_export_and_source(trace, tmp_path):
    for name, _ in __import__("et_inspect._core", fromlist=["exporters"]).exporters():
        path = trace.export(name, tmp_path / f"out.{name}")
        assert os.path.getsize(path) > 0
    with pytest.raises(et_inspect.ArgumentError, match="expected one of .*chrome"):
        trace.export("nope", tmp_path / "x")
    with pytest.raises(et_inspect.AccessError):
        trace.export("chrome", tmp_path / "no" / "folder")
    assert "models.py" in trace.source()


def test_bytes_are_as_good_as_files(case):
    c = case("add_mul")
    data = pathlib.Path(c.etdump).read_bytes()
    record = pathlib.Path(c.etrecord).read_bytes()
    with et_inspect.open(data, record) as a, et_inspect.open(c.etdump, c.etrecord) as b:
        sql = "SELECT name, sum_ns FROM ops ORDER BY op_id"
        assert a.query(sql).to_dict() == b.query(sql).to_dict()
    with pytest.raises(TypeError, match="etdump: expected a path or bytes, got int"):
        et_inspect.open(3)


def test_errors_name_file_and_cause(tmp_path, case):
    with pytest.raises(et_inspect.AccessError) as e:
        et_inspect.open(tmp_path / "nope.etdp")
    assert e.value.file == str(tmp_path / "nope.etdp") and "No such file" in e.value.cause and e.value.code == 0x22
    with pytest.raises(et_inspect.FormatError, match="expected an ETDump") as f:
        et_inspect.open(b"this is not an ETDump at all")
    assert f.value.code == 0x24 and isinstance(f.value, (RuntimeError, ValueError)) and "/" not in f.value.file
    with pytest.raises(et_inspect.ArgumentError, match="expected an ETDump, an ETRecord or a program"):
        et_inspect.open()
    import pickle

    assert pickle.loads(pickle.dumps(f.value)).cause == f.value.cause


def test_a_failed_import_leaves_no_store(tmp_path):
    with pytest.raises(et_inspect.FormatError):
        et_inspect.open(b"nothing that anybody reads", store=tmp_path / "s.db")
    assert not (tmp_path / "s.db").exists()


def test_damaged_files_end_in_an_error_or_a_diagnostic(case):
    data = pathlib.Path(case("partial_delegation").etdump).read_bytes()
    for cut in range(8, len(data), max(1, len(data) // 60)):
        try:
            with et_inspect.open(data[:cut]) as trace:
                tables_of(trace)
                assert "data-loss" in trace.query("SELECT severity FROM diagnostics")["severity"]
        except et_inspect.Error:
            pass


def test_hostile_files_do_not_end_the_interpreter():
    files = [p for p in sorted(HOSTILE.rglob("*")) if p.is_file()]
    assert files
    for path in files:
        for use in (et_inspect.open, lambda p: et_inspect.open(etrecord=p), lambda p: et_inspect.open(pte=p), et_inspect.Module):
            try:
                use(path).close()
            except et_inspect.Error:
                pass


def test_threads_share_a_trace(trace):
    wanted = trace.query("SELECT count(*) AS n FROM ops")["n"]
    failures = []

    def work():
        for _ in range(50):
            if trace.query("SELECT count(*) AS n FROM ops")["n"] != wanted:
                failures.append("another count")

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not failures


def test_close_waits_for_the_query_of_another_thread(case):
    """Tables and reports from several threads while one of them closes the trace: a result or a refusal."""
    c = case("partial_delegation")
    uses = (lambda t: len(t.ops), lambda t: len(t.lines), lambda t: len(t.report()), lambda t: t.info["events"], lambda t: len(t.findings))
    with et_inspect.open(c.etdump, c.etrecord) as whole:
        wanted = [use(whole) for use in uses]
    for _ in range(10):
        trace = et_inspect.open(c.etdump, c.etrecord)
        go, odd = threading.Barrier(len(uses) + 1), []

        def work(use, right):
            go.wait()
            try:
                for _ in range(5):
                    if use(trace) != right:
                        odd.append("another result")
            except et_inspect.StateError as e:
                if "closed" not in str(e):
                    odd.append(str(e))

        threads = [threading.Thread(target=work, args=pair) for pair in zip(uses, wanted)]
        for t in threads:
            t.start()
        go.wait()
        trace.close()
        for t in threads:
            t.join()
        assert not odd


def test_threads_import_at_the_same_time(case):
    names, found = ["lstm", "add_mul", "partial_delegation"] * 3, {}

    def work(i, name):
        with et_inspect.open(case(name).etdump, case(name).etrecord) as trace:
            found[i] = (name, trace.on("total").lines["ns"][0], len(trace.ops))

    threads = [threading.Thread(target=work, args=pair) for pair in enumerate(names)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(found) == len(names) and len({str(v) for v in found.values()}) == 3


ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT max(x) FROM c"


def test_ctrl_c_stops_a_query(trace):
    """And the interpreter's lock is free while it runs: the timer's thread gets it."""
    # A shell starts what runs in its background with the signal ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.3, lambda: signal.raise_signal(signal.SIGINT))
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            trace.query(ENDLESS)
    finally:
        signal.signal(signal.SIGINT, before)
    assert trace.query("SELECT 1 AS one")["one"] == [1]


def test_progress_is_told_and_may_stop_the_import(case):
    stages = []
    et_inspect.open(case("lstm").etdump, progress=lambda stage, done, total: stages.append(stage)).close()
    assert stages

    def stop(stage, done, total):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        et_inspect.open(case("lstm").etdump, progress=stop)
    with pytest.raises(et_inspect.Error):
        et_inspect.open(case("lstm").etdump, progress=lambda *_: False)


@pytest.mark.parametrize("method", [0, 99])
def test_encrypted_records_are_refused(case, tmp_path, method):
    """The libzip of a wheel has nothing to decrypt with; nobody may ask it to."""
    files = case("partial_delegation")
    raw = bytearray(pathlib.Path(files.etrecord).read_bytes())
    for magic, at in ((b"PK\3\4", 6), (b"PK\1\2", 8)):  # local headers, the directory: flags, then the method
        i = raw.find(magic)
        while i >= 0:
            raw[i + at] |= 1
            if method:
                raw[i + at + 2] = method
            i = raw.find(magic, i + 4)
    with pytest.raises(et_inspect.FormatError):
        et_inspect.open(files.etdump, bytes(raw))
