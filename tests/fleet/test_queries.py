"""The questions of fleet/queries: equal answers of three engines, and true ones."""

import math
import sqlite3

import pytest
from conftest import DEVICES, make_spark, needed

QUESTIONS = ["coverage", "delegation", "outlier_devices", "percentiles", "regressions", "slowest_lines", "throttling"]


@pytest.fixture(scope="session")
def spark(tmp_path_factory, dataset):
    session = make_spark(tmp_path_factory.mktemp("spark")).getOrCreate()
    import et_inspect.fleet

    et_inspect.fleet.register_views(session, dataset)
    yield session
    session.stop()


@pytest.fixture(scope="session")
def sqlite(fleet):
    return sqlite3.connect(fleet[0])


@pytest.fixture(scope="session")
def duck(dataset):
    needed("duckdb")
    import et_inspect.fleet

    return et_inspect.fleet.duckdb(dataset)


def ask(engine, question):
    from et_inspect.fleet import ask as asked

    return asked(engine, question)


def same(a, b):
    assert len(a) == len(b)
    for x, y in zip(a, b):
        assert list(x) == list(y)
        for name in x:
            if isinstance(x[name], float) or isinstance(y[name], float):
                assert math.isclose(x[name], y[name], rel_tol=1e-9, abs_tol=1e-300), (name, x, y)
            else:
                assert x[name] == y[name], (name, x, y)


def test_all_questions_are_tried():
    needed("et_inspect._core")
    from et_inspect.fleet import questions

    assert sorted(questions()) == QUESTIONS and all(questions().values())


@pytest.mark.parametrize("question", QUESTIONS)
def test_sqlite_and_duckdb_agree(sqlite, duck, question):
    rows = ask(sqlite, question)
    same(rows, ask(duck, question))
    assert rows


@pytest.mark.parametrize("question", QUESTIONS)
def test_sqlite_and_spark_agree(sqlite, spark, question):
    same(ask(sqlite, question), ask(spark, question))


def test_the_regression_is_found_and_no_other(sqlite, fleet):
    rows = ask(sqlite, "regressions")
    assert {(r["build"], r["device"]) for r in rows} == {("1.1", "Galaxy/S24")}
    assert any(fleet[1]["slow"] in r["op_key"] for r in rows)
    for r in rows:
        assert 1.25 < r["ratio"] < 1.35 and r["ratio_low"] <= 1.3 <= r["ratio_high"] and r["p_adjusted"] < 0.01


def test_p_values_are_those_of_scipys_formula(sqlite):
    """Against the definition, worked out here."""
    from et_inspect.fleet.ask import query_text

    text = query_text("regressions").split("SELECT new_build AS build")[0]
    rows = sqlite.execute(text + "SELECT z, p FROM adjusted").fetchall()
    assert len(rows) > 20
    for z, p in rows:
        assert math.isclose(p, math.erfc(abs(z) / math.sqrt(2)), rel_tol=3e-7)


def test_the_hot_device_throttles_and_no_other(sqlite):
    assert {r["device"] for r in ask(sqlite, "throttling") if r["throttles"]} == {"Board 100%"}


def test_the_slow_device_is_an_outlier_and_no_other(sqlite):
    assert {r["device"] for r in ask(sqlite, "outlier_devices") if r["is_outlier"]} == {"Old=phone"}


def test_ops_that_fall_out_of_the_delegate_are_named(sqlite):
    rows = ask(sqlite, "delegation")
    assert {r["device"] for r in rows} == {"Old=phone"} and all(r["delegated"] == 0 for r in rows)


def test_the_gap_is_found(sqlite):
    assert [(r["build"], r["device"]) for r in ask(sqlite, "coverage") if not r["traces"]] == [("1.0", "Old=phone")]
    assert len(ask(sqlite, "coverage")) == 3 * len(DEVICES)


def test_lines_have_shares_of_the_whole(sqlite):
    rows = ask(sqlite, "slowest_lines")
    assert rows[0]["devices"] == len(DEVICES) and 0 < sum(r["share"] for r in rows) <= 1 + 1e-9


def test_the_report_is_offline_and_says_what_is_true(dataset, fleet, tmp_path):
    needed("duckdb")
    from conftest import run

    import os
    import sys

    page = tmp_path / "fleet.html"
    run("fleet-report", dataset, "-o", page, env={**os.environ, "ET_INSPECT_PYTHON": sys.executable})
    text = page.read_text()
    assert "http:" not in text and "https:" not in text and "<script" not in text
    assert fleet[1]["slow"] in text and "Galaxy/S24" in text and "Old=phone" in text
