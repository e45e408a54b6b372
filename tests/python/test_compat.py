"""et_inspect.compat against ExecuTorch's own Inspector, where that is installed."""

import io
import logging
import math
import os
import warnings

import pytest

from conftest import ARTIFACTS, all_cases
from et_inspect import compat

FIELDS = (
    "name op_types delegate_debug_identifier debug_handles num_outputs stack_traces module_hierarchy is_delegated_op "
    "delegate_backend_name _delegate_debug_metadatas debug_data _instruction_id _start_time"
).split()
FIGURES = "raw p10 p50 p90 avg min max".split()

pytestmark = pytest.mark.filterwarnings("ignore")


def same(a, b):
    if hasattr(a, "shape") and hasattr(a, "dtype") and getattr(a, "ndim", 0) >= 0 and hasattr(b, "shape"):
        return a.dtype == b.dtype and tuple(a.shape) == tuple(b.shape) and bool((a == b).all())
    if isinstance(a, (list, tuple)):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[k], b[k]) for k in a)
    if isinstance(a, float) and math.isnan(a):
        return isinstance(b, float) and math.isnan(b)
    return a == b


def inspected(cls, **arguments):
    try:
        return cls(**arguments), None
    except Exception as e:
        return None, e


def assert_same(theirs, ours):
    assert len(theirs.event_blocks) == len(ours.event_blocks)
    for a, b in zip(theirs.event_blocks, ours.event_blocks):
        for name in ("name", "bundled_input_index", "run_output", "reference_output"):
            assert same(getattr(a, name), getattr(b, name)), name
        assert len(a.events) == len(b.events)
        for x, y in zip(a.events, b.events):
            for name in FIELDS:
                assert same(getattr(x, name), getattr(y, name)), (x.name, name)
            assert (x.perf_data is None) == (y.perf_data is None)
            for name in FIGURES if x.perf_data else ():
                assert getattr(x.perf_data, name) == getattr(y.perf_data, name), (x.name, name)
    for options in ({}, {"include_units": False}, {"include_delegate_debug_data": True}):
        a, b = theirs.to_dataframe(**options), ours.to_dataframe(**options)
        assert list(a.columns) == list(b.columns)
        for column in a.columns:
            assert a[column].dtype == b[column].dtype, column
            assert same(a[column].tolist(), b[column].tolist()), column
    for write in ("print_data_tabular", "save_data_to_tsv"):
        a, b = io.StringIO(), io.StringIO()
        getattr(theirs, write)(a)
        getattr(ours, write)(b)
        assert a.getvalue() == b.getvalue(), write


@pytest.mark.parametrize("record", [False, True], ids=["alone", "record"])
@pytest.mark.parametrize("dump", ["etdump", "debug"])
@pytest.mark.parametrize("name", all_cases())
def test_the_figures_are_upstreams(case, name, dump, record):
    upstream = pytest.importorskip("executorch.devtools.inspector")
    logging.getLogger("executorch").setLevel(logging.CRITICAL)
    c = case(name)
    path = getattr(c, dump)
    if path is None or (record and c.etrecord is None):
        pytest.skip("no such file")
    arguments = {"etdump_path": path, "etrecord": c.etrecord if record else None}
    if dump == "debug" and c.debug_buffer:
        arguments["debug_buffer_path"] = c.debug_buffer
    theirs, refused = inspected(upstream.Inspector, **arguments)
    ours, error = inspected(compat.Inspector, **arguments)
    if refused is not None:
        pytest.skip(f"upstream's Inspector does not read it: {refused!r}")
    assert error is None, error
    assert_same(theirs, ours)


def test_units_converter_and_parser(case):
    upstream = pytest.importorskip("executorch.devtools.inspector")
    path = case("partial_delegation").etdump
    for make in (
        lambda m: {"source_time_scale": m.TimeScale.US, "target_time_scale": m.TimeScale.S},
        lambda m: {"source_time_scale": m.TimeScale.CYCLES, "target_time_scale": m.TimeScale.CYCLES},
        lambda m: {"delegate_time_scale_converter": lambda name, time: time * (2 if "Conv" in str(name) else 3)},
        lambda m: {"delegate_metadata_parser": lambda metadata: {"n": len(metadata)}},
    ):
        assert_same(upstream.Inspector(path, **make(upstream)), compat.Inspector(path, **make(compat)))
        assert_same(upstream.Inspector(path, **make(upstream)), compat.Inspector(path, **make(upstream)))


def test_arguments_are_checked_as_upstream_checks_them(case):
    path = case("add_mul").etdump
    with pytest.raises(RuntimeError, match="in cycles both"):
        compat.Inspector(path, source_time_scale=compat.TimeScale.CYCLES)
    with pytest.raises(ValueError, match="exactly one of etdump_path or etdump_data"):
        compat.Inspector()
    with pytest.raises(ValueError, match="exactly one of etdump_path or etdump_data"):
        compat.Inspector(path, b"")
    with pytest.raises(TypeError, match="Unsupported ETRecord type"):
        compat.Inspector(path, etrecord=3)
    with pytest.warns(UserWarning, match="Output Buffer not found"):
        compat.Inspector(path)


def test_data_is_as_good_as_a_path(case):
    path = case("add_mul").etdump
    with open(path, "rb") as file:
        a = compat.Inspector(etdump_data=file.read())
    b = compat.Inspector(path)
    assert [e._start_time for e in a.event_blocks[0].events] == [e._start_time for e in b.event_blocks[0].events]


def test_a_damaged_dump_is_read_as_far_as_it_goes(case):
    import et_inspect

    with open(case("lstm").etdump, "rb") as file:
        data = file.read()
    for cut in range(0, len(data), max(1, len(data) // 40)):
        try:
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                compat.Inspector(etdump_data=data[:cut])
            assert any("could not be read" in str(w.message) for w in told)
        except et_inspect.Error:
            pass


def test_a_clock_of_32_bits_may_wrap():
    """As upstream counts it; beyond 32 bits it is refused in the same words."""
    import numpy

    from et_inspect.compat.rows import Rows

    def rows(start, end, converter=None):
        key = (1, ("op", None, None), None)
        group = {"rows": [key], "starts": numpy.array([[start]], "uint64"), "ends": numpy.array([[end]], "uint64"), "metadata": {}}
        return Rows(group, 1.0, converter, None).times[0, 0]

    assert rows(2**32 - 10, 5) == 14
    assert rows(5, 2**63) == 2**63 - 5
    with pytest.raises(ValueError, match="to be less than 4294967295"):
        rows(2**40, 5)


def test_events_can_be_made_by_hand():
    pytest.importorskip("pandas")
    event = compat.Event(name="op", perf_data=compat.PerfData([1.0, 2.0, 3.0]))
    block = compat.EventBlock(name="b", events=[event, compat.Event(name="none")])
    frame = block.to_dataframe()
    assert frame["avg"].tolist() == [2.0, None] and frame["event_block_name"].tolist() == ["b", "b"]
    assert event == compat.Event(name="op", perf_data=compat.PerfData([1.0, 2.0, 3.0])) and event != compat.Event(name="x")
    assert "name='op'" in repr(event)
    with pytest.raises(AttributeError):
        event.nope
