"""A fleet in a store and the same in a data set: four devices, three builds, ten traces of each."""

import importlib
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

ARTIFACTS = pathlib.Path(__file__).parents[1] / "fixtures" / "artifacts"
COMMAND = os.path.join(os.environ.get("ET_INSPECT_BIN", ""), "et-inspect")
sys.path.insert(0, str(pathlib.Path(__file__).parent))

DEVICES = ["Pixel 8", "Galaxy/S24", "Board 100%", "Old=phone"]
BUILDS = ["1.0", "1.1", "2024-nightly"]


def needed(*names):
    for name in names:
        pytest.importorskip(name, reason=f"{name} is not installed: make test-fleet brings it")


def run(*words, check=True, **options):
    done = subprocess.run([COMMAND, *map(str, words)], capture_output=True, text=True, **options)
    assert not check or done.returncode == 0, (words, done.stderr)
    return done


def import_store(path, case="partial_delegation"):
    folder = ARTIFACTS / case
    words = [folder / "etdump.etdp", "--store", path, "-q", "-o", os.devnull]
    run(*words)
    return path


@pytest.fixture(scope="session")
def fleet(tmp_path_factory):
    """(store, what is true of it)"""
    needed("numpy")
    from make_fleet import Fleet

    store = import_store(str(tmp_path_factory.mktemp("store") / "fleet.db"))
    made = Fleet(store)
    ops = [made._name(o["name"]) for o in made._dicts("raw_op") if o["block"] in made.blocks]
    slow = next(o for o in ops if "mean" in o)
    delegated = {made._name(o["name"]) for o in made._dicts("raw_op") if o["backend"] is not None}
    for b, build in enumerate(BUILDS):
        for d, device in enumerate(DEVICES):
            if (build, device) == ("1.0", "Old=phone"):
                continue  # a gap
            for _ in range(10):  # fewer could not stand out among a hundred comparisons
                made.add(device, build, f"2026-0{b + 1}-15", speed=8.0 if device == "Old=phone" else 1 + 0.02 * d,
                         slow={slow: 1.3} if (build, device) == ("1.1", "Galaxy/S24") else {},
                         hot=0.6 if device == "Board 100%" else 0.0,
                         undelegated=delegated if device == "Old=phone" else ())
    made.close()
    return store, {"slow": slow}


@pytest.fixture(scope="session")
def dataset(fleet, tmp_path_factory):
    """The same as a data set, written by the command where it has Arrow's library, else by the package."""
    needed("pyarrow", "et_inspect._core")
    out = tmp_path_factory.mktemp("dataset") / "fleet"
    if has_plugin():
        run("export", "--format", "parquet", "--out", out, "--samples", fleet[0])
    else:
        importlib.import_module("et_inspect.fleet").export(fleet[0], out, samples=True)
    return str(out)


def has_plugin():
    return os.path.exists(os.path.join(os.environ.get("ET_INSPECT_BIN", ""), "et_parquet.so"))


def make_spark(folder, master="local[2]"):
    needed("pyspark")
    if shutil.which("java") is None and not os.environ.get("JAVA_HOME"):
        pytest.skip("no java: make test-fleet installs openjdk-17-jre-headless")
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    builder = SparkSession.builder.master(master).appName("et-inspect tests")
    options = {
        "spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "4", "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1", "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.local.dir": str(folder / "local"), "spark.driver.memory": "1g", "spark.task.maxFailures": "4",
    }
    for key, value in options.items():
        builder = builder.config(key, value)
    return builder
