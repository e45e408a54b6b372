"""Many threads on the same objects: with the global lock, and in a free-threaded Python without it."""
import threading

import numpy
import pytest

import et_inspect

THREADS = 8


def run_all(work):
    """work(number) in each thread, all at once; the first error is raised."""
    errors, gate = [], threading.Barrier(THREADS)

    def body(number):
        try:
            gate.wait()
            work(number)
        except Exception as e:  # noqa: BLE001: raised below
            errors.append(e)

    threads = [threading.Thread(target=body, args=(n,)) for n in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def test_a_trace_answers_all_threads_alike(case):
    files = case("partial_delegation")
    with et_inspect.open(files.etdump, files.etrecord) as trace:
        rows = str(trace.sql("SELECT name, count, sum_ns FROM ops ORDER BY op_id"))
        lines = str(trace.lines)
        page = trace._repr_html_()

        def work(number):
            for _ in range(10):
                assert str(trace.sql("SELECT name, count, sum_ns FROM ops ORDER BY op_id")) == rows
                if number % 2:
                    assert str(trace.lines) == lines
                else:
                    assert trace._repr_html_() == page

        run_all(work)


def test_traces_are_opened_side_by_side(case):
    files = case("partial_delegation")

    def count():
        return str(et_inspect.open(files.etdump, files.etrecord).sql("SELECT count(*) AS n FROM ops"))

    expected = count()

    def work(_):
        for _ in range(3):
            assert count() == expected

    run_all(work)


def test_one_module_runs_for_all_threads(case):
    module = et_inspect.Module(case("add_mul").pte)
    inputs = [numpy.full(v["shape"], 1.5, v["dtype"]) for v in module.method("forward").inputs]
    result = module.forward(*inputs)
    expected = [numpy.asarray(t).copy() for t in (result if isinstance(result, (list, tuple)) else [result])]

    def work(_):
        for _ in range(50):
            result = module.forward(*inputs)
            for got, want in zip(result if isinstance(result, (list, tuple)) else [result], expected):
                numpy.testing.assert_array_equal(numpy.asarray(got), want)

    run_all(work)


def test_closing_beside_readers_ends_in_an_answer_or_a_clear_error(case):
    for _ in range(5):
        trace = et_inspect.open(case("add_mul").etdump)

        def work(number):
            try:
                for _ in range(20):
                    if number == 0:
                        trace.close()
                    assert "one" in str(trace.sql("SELECT 1 AS one"))
            except et_inspect.Error as e:
                assert "closed" in str(e)

        run_all(work)
    with pytest.raises(et_inspect.Error, match="closed"):
        trace.sql("SELECT 1")
