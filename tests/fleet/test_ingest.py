"""Raw traces into a data set by Spark, on a cluster of two workers on this machine."""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import threading
import time

import pytest
from conftest import ARTIFACTS, make_spark, needed


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """local-cluster has its workers in the driver's JVM and its executors as processes of their own."""
    needed("pyspark", "pyarrow", "duckdb", "et_inspect._core")
    folder = tmp_path_factory.mktemp("cluster")
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    paths = os.pathsep.join(p for p in sys.path if p)
    session = (
        make_spark(folder, "local-cluster[2,1,512]")
        .config("spark.executor.memory", "512m")
        .config("spark.executorEnv.PYTHONPATH", paths)
        .config("spark.executor.extraJavaOptions", "-Xss1m")
        .config("spark.task.maxFailures", "8")
        .getOrCreate()
    )
    yield session
    session.stop()


@pytest.fixture(scope="module")
def raw(tmp_path_factory):
    """Traces of all artifacts below folders that name device and build, copies, and files that are none."""
    folder = tmp_path_factory.mktemp("raw")
    contents = {}
    for i, dump in enumerate(sorted(ARTIFACTS.glob("*/etdump.etdp"))):
        where = folder / f"device=phone {i % 3}" / f"build=b{i % 2}" / f"{dump.parent.name}.etdp"
        where.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(dump, where)
        contents[dump.read_bytes()] = where
    good = len(contents)
    shutil.copy(next(iter(contents.values())), folder / "a_copy.etdp")
    (folder / "empty.etdp").write_bytes(b"")
    (folder / "text.etdp").write_text("this is no ETDump")
    (folder / "cut.etdp").write_bytes(next(iter(contents))[:20])
    return folder, good


def counts(dataset):
    import et_inspect.fleet

    con = et_inspect.fleet.duckdb(dataset)
    return con.execute("SELECT count(*), count(DISTINCT trace_hash), count(DISTINCT device) FROM fleet_traces").fetchone()


def test_bad_files_are_quarantined_and_again_adds_nothing(cluster, raw, tmp_path):
    import pyarrow.parquet as pq

    import et_inspect.fleet

    folder, good = raw
    done = et_inspect.fleet.ingest(cluster, folder, tmp_path / "d", partitions=4)
    assert (done.added, done.known, done.quarantined) == (good, 1, 3), done
    assert counts(tmp_path / "d")[:2] == (good, good)
    table = pq.read_table(tmp_path / "d" / "quarantine")
    assert {os.path.basename(p) for p in table["path"].to_pylist()} == {"empty.etdp", "text.etdp", "cut.etdp"}
    assert all("expected" in r for r in table["reason"].to_pylist()), table["reason"].to_pylist()
    before = sorted(p.name for p in (tmp_path / "d").rglob("*.parquet"))
    again = et_inspect.fleet.ingest(cluster, folder, tmp_path / "d", partitions=3)
    assert again.added == 0 and again.known == good + 1
    assert sorted(p.name for p in (tmp_path / "d").rglob("*.parquet")) == before
    assert not list((tmp_path / "d" / "_staging").iterdir())


def test_ingest_gives_what_the_command_gives(cluster, tmp_path):
    """One trace with its ETRecord and program, found by the program's hash."""
    import hashlib

    import et_inspect.fleet

    case = ARTIFACTS / "partial_delegation"
    sha = hashlib.sha256((case / "program.pte").read_bytes()).hexdigest()
    where = tmp_path / "raw" / f"program={sha}"
    where.mkdir(parents=True)
    shutil.copy(case / "etdump.etdp", where)
    kept = tmp_path / "artifacts" / sha
    kept.mkdir(parents=True)
    for name in ("etrecord.bin", "program.pte"):
        shutil.copy(case / name, kept)
    et_inspect.fleet.ingest(cluster, tmp_path / "raw", tmp_path / "d", artifacts=tmp_path / "artifacts")
    et_inspect.open(str(case / "etdump.etdp"), str(case / "etrecord.bin"), str(case / "program.pte"), store=str(tmp_path / "s.db")).close()
    et_inspect.fleet.export(tmp_path / "s.db", tmp_path / "e")
    for view in ("ops", "lines", "nodes", "links"):
        a, b = (
            et_inspect.fleet.duckdb(tmp_path / f).execute(f"SELECT * EXCLUDE (date, device, build) FROM {view} ORDER BY ALL").fetchall()
            for f in ("d", "e")
        )
        assert a == b and a, view


def executors():
    """Processes of executors that this process's JVM started."""
    out = []
    for entry in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = entry.read_bytes().split(b"\0")
        except OSError:
            continue
        if any(b"CoarseGrainedExecutorBackend" in w for w in words) and _descends(int(entry.parent.name), os.getpid()):
            out.append(int(entry.parent.name))
    return out


def _descends(pid, ancestor):
    while pid > 1:
        if pid == ancestor:
            return True
        try:
            pid = int(pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])
        except (OSError, ValueError):
            return False
    return False


def test_a_worker_that_is_killed_in_the_middle_costs_nothing(cluster, raw, tmp_path, monkeypatch):
    import et_inspect.fleet

    folder, good = raw
    # Slow enough to be in the middle of: a task waits, once, for the file that says that the kill has happened.
    gate, seen = tmp_path / "gate", tmp_path / "seen"
    seen.mkdir()
    from et_inspect.fleet import ingest as module

    import importlib

    module = importlib.import_module("et_inspect.fleet.ingest")
    real = module._run_task

    def waits(rows, settings, known, real=real, gate=str(gate), seen=str(seen)):
        for result in real(rows, settings, known):  # all files of the task are written by now
            open(os.path.join(seen, str(os.getpid())), "w").close()
            until = time.time() + 60
            while not os.path.exists(gate) and time.time() < until:
                time.sleep(0.05)
            yield result

    monkeypatch.setattr(module, "_run_task", waits)
    killed = []

    def kill():
        until = time.time() + 60
        while time.time() < until and not list(seen.iterdir()):
            time.sleep(0.05)
        found = executors()
        worker = next((e for e in found if any(_descends(int(p.name), e) for p in seen.iterdir())), None)
        if worker is not None:
            killed.append(worker)
            os.kill(worker, signal.SIGKILL)
        time.sleep(0.5)
        gate.touch()

    thread = threading.Thread(target=kill)
    thread.start()
    done = et_inspect.fleet.ingest(cluster, folder, tmp_path / "d", partitions=4)
    thread.join()
    assert killed, "no executor was found to kill"
    assert done.added == good
    assert counts(tmp_path / "d")[:2] == (good, good)
    import pyarrow.parquet as pq

    ops = pq.read_table(tmp_path / "d" / "ops")
    assert len(set(ops["op_id"].to_pylist())) == len(ops)  # no row twice
    assert not list((tmp_path / "d" / "_staging").iterdir())
