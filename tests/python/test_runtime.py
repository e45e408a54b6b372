"""Module, Method, Tensor, profile, bundle and check."""

import gc
import pathlib
import threading

import numpy as np
import pytest

import et_inspect
from conftest import ARTIFACTS
from et_inspect import Module, Tensor, profiling


def program(name):
    return ARTIFACTS / name / "program.pte"


def add_mul(x, y):
    return (x + y) * y


@pytest.fixture
def xy():
    rng = np.random.default_rng(0)
    return rng.random((2, 3), dtype=np.float32), rng.random((2, 3), dtype=np.float32)


def test_runs_with_arrays_of_numpy(xy):
    model = Module(program("add_mul"))
    (wanted,) = model(*xy)
    assert wanted.dtype == "float32" and wanted.shape == (2, 3)
    assert model.method_names == ["forward"] and "float32[2, 3]" in repr(model.forward)
    (from_bytes,) = Module(program("add_mul").read_bytes())(*xy)
    np.testing.assert_array_equal(wanted, from_bytes)


@pytest.mark.parametrize("view", [
    lambda a: np.asfortranarray(a),
    lambda a: np.repeat(a, 2, axis=1)[:, ::2],
    lambda a: np.ascontiguousarray(a[::-1, ::-1])[::-1, ::-1],
    lambda a: np.frombuffer(b"?" + a.tobytes(), np.uint8)[1:].view(np.float32).reshape(a.shape),
    lambda a: a.tolist(),
    lambda a: Tensor(a),
])
def test_arrays_may_lie_in_any_way(xy, view):
    """In another order, with gaps, backwards, at odd addresses, read-only."""
    model = Module(program("add_mul"))
    (wanted,) = model(*xy)
    wanted = np.array(wanted)
    (got,) = model(*map(view, xy))
    np.testing.assert_array_equal(got, wanted)


def test_outputs_outlive_the_next_run_and_the_module(xy):
    model = Module(program("add_mul"))
    (first,) = model(*xy)
    before = np.array(first)
    array = first.numpy()
    model(np.zeros_like(xy[0]), np.zeros_like(xy[1]))
    model.close()
    del model, first
    gc.collect()
    np.testing.assert_array_equal(array, before)


def test_all_dtypes_go_through():
    model = Module(program("dtypes"))
    method = model.forward
    outputs = method(*[np.ones(v["shape"], v["dtype"]) for v in method.inputs])
    assert [o.dtype for o in outputs] == [v["dtype"] for v in method.outputs]
    assert "bfloat16" in [o.dtype for o in outputs]
    for out in outputs:
        if out.dtype == "bfloat16":
            with pytest.raises(TypeError, match="numpy has no bfloat16"):
                out.numpy()
        else:
            assert str(out.numpy().dtype) == out.dtype


@pytest.mark.parametrize("dtype", ["float16", "bool", "int8", "uint8", "int16", "int64", "float64", "uint16", "complex64"])
def test_tensors_share_their_memory(dtype):
    tensor = Tensor(np.ones((2, 3), dtype))
    a, b = tensor.numpy(), np.from_dlpack(tensor)
    a[0, 0] = 0
    assert b[0, 0] == 0 and b.dtype == dtype and tensor.tolist() == a.tolist()
    assert tensor[0, 0] == 0 and tensor[1].shape == (3,) and len(list(tensor)) == 2


def test_dtypes_that_numpy_lacks_are_bits():
    one = profiling._ones({"kind": "tensor", "shape": [2, 3], "dtype": "bfloat16"})
    assert one.dtype == "bfloat16" and one.shape == (2, 3)
    assert one.bits().dtype == np.uint16 and (one.bits() == 0x3F80).all()
    one.bits()[0, 0] = 0
    assert one.bits()[0, 0] == 0
    (half,) = [o for o in Module(program("dtypes"))(*[
        np.ones(v["shape"], v["dtype"]) for v in Module(program("dtypes")).forward.inputs]) if o.dtype == "bfloat16"]
    assert (half.bits().astype(np.uint32) << 16).view(np.float32).shape == half.shape
    with pytest.raises(et_inspect.DtypeError, match="2 bytes an element for bfloat16, got float32"):
        Tensor(np.ones(3, np.float32), "bfloat16")
    with pytest.raises(et_inspect.DtypeError, match="no dtype 'bf16'"):
        Tensor(np.ones(3, np.uint16), dtype="bf16")


def test_lists_that_would_lose_something_are_refused():
    method = Module(program("dtypes")).forward
    inputs = [np.ones(v["shape"], v["dtype"]).tolist() for v in method.inputs]
    wanted = [np.array(o.bits()) for o in method(*[np.ones(v["shape"], v["dtype"]) for v in method.inputs])]
    for got, bits in zip(method(*inputs), wanted):
        np.testing.assert_array_equal(got.bits(), bits)
    at = next(i for i, v in enumerate(method.inputs) if v["dtype"] == "int8")
    shape = method.inputs[at]["shape"]
    for value, text in [(1.5, "float64"), (1000, "."), ("x", ".")]:
        inputs[at] = np.full(shape, value).tolist()
        with pytest.raises(et_inspect.DtypeError, match=f"input {at}: expected a tensor of int8, got a list: .*{text}"):
            method(*inputs)


def test_numbers_may_stay_as_they_were_exported():
    method = Module(program("scalar_inputs")).forward
    ones = [np.ones(v["shape"], v["dtype"]) if v["kind"] == "tensor" else ... for v in method.inputs]
    assert any(value is ... for value in ones)
    method(*ones)
    assert et_inspect.profile(program("scalar_inputs"), runs=2).info["executions"] == 2
    with pytest.raises(et_inspect.DtypeError, match="input .: expected a tensor of .*, got \\.\\.\\."):
        method(*[...] * len(ones))


def test_torch_tensors_go_in_and_out_without_a_copy(xy):
    torch = pytest.importorskip("torch")
    model = Module(program("add_mul"))
    (wanted,) = model(*xy)
    (out,) = model(torch.tensor(xy[0], requires_grad=True), torch.tensor(xy[1]).T.contiguous().T)
    tensor = torch.from_dlpack(out)
    np.testing.assert_array_equal(tensor.numpy(), wanted)
    tensor[0, 0] = 7
    assert out.numpy()[0, 0] == 7
    (half,) = [o for o in Module(program("dtypes"))(*[
        np.ones(v["shape"], v["dtype"]) for v in Module(program("dtypes")).forward.inputs]) if o.dtype == "bfloat16"]
    assert torch.from_dlpack(half).dtype == torch.bfloat16


def test_several_methods_and_mutable_state():
    model = Module(program("multi_method"))
    assert set(model.method_names) == {"forward", "encode", "decode", "get_latent_size"}
    (latent,) = model.encode(np.ones((1, 16), np.float32))
    assert model.get_latent_size() == [latent.shape[1]]
    model.unload("encode")
    model.encode(np.ones((1, 16), np.float32))
    with pytest.raises(AttributeError):
        model.nope
    with pytest.raises(et_inspect.NotFoundError, match="expected one of"):
        model.method("nope")
    state = Module(program("mutable_buffer"))
    x = np.ones((2, 3), np.float32)
    assert not np.array_equal(np.array(state(x)[0]), np.array(state(x)[0]))


def test_dynamic_shapes():
    method = Module(program("dynamic_shapes_unbounded")).forward
    assert method.inputs[0]["dynamic"] and "≤" in repr(method)
    for n in (1, 3, method.inputs[0]["shape"][0]):
        assert method(np.ones((n, 3), np.float32))[0].shape == (n, 3)
    with pytest.raises(et_inspect.Error):
        method(np.ones((method.inputs[0]["shape"][0] + 1, 3), np.float32))


def test_wrong_inputs_say_what_was_expected(xy):
    model = Module(program("add_mul"))
    for inputs, error, text in [
        ((xy[0].astype(np.float64), xy[1]), et_inspect.DtypeError, "input 0: expected dtype float32, got float64"),
        ((1, xy[1]), et_inspect.DtypeError, "expected a tensor of float32, got the number 1"),
        (("x", xy[1]), et_inspect.DtypeError, "expected an array .*got str"),
        ((None, xy[1]), et_inspect.Error, "."),
        ((xy[0], xy[1], xy[1]), et_inspect.ArgumentError, "expected 2 inputs, got 3"),
        ((), et_inspect.ArgumentError, "expected 2 inputs, got 0"),
        ((xy[0][:, :2], xy[1]), et_inspect.Error, "."),
        ((np.ones((1,) * 20, np.float32), xy[1]), et_inspect.ArgumentError, "at most 16 dimensions"),
    ]:
        with pytest.raises(error, match=text):
            model(*inputs)
    model(*xy)  # still in order


def test_programs_that_cannot_be_loaded():
    with pytest.raises(et_inspect.FormatError):
        Module(b"no program")
    with pytest.raises(et_inspect.AccessError) as e:
        Module("/no/such/file.pte")
    assert e.value.file == "/no/such/file.pte"
    with pytest.raises(TypeError, match="expected a path, bytes or an ExecutorchProgramManager, got int"):
        Module(3)
    with pytest.raises(et_inspect.ArgumentError, match="load_mode: expected one of"):
        Module(program("add_mul"), load_mode="nope")


def test_errors_of_a_program_have_its_file_and_place(tmp_path):
    damaged = tmp_path / "damaged.pte"
    damaged.write_bytes(b"\0\0\0\0ET99" + bytes(60))
    with pytest.raises(et_inspect.FormatError) as e:
        Module(damaged).method_names
    assert e.value.file == str(damaged) and e.value.offset == 4 and e.value.place and e.value.cause
    with pytest.raises(et_inspect.AccessError) as e:
        Module(tmp_path / "none.pte")
    assert e.value.file == str(tmp_path / "none.pte")


def test_integers_beyond_64_bits_are_refused():
    model = Module(program("scalar_inputs"))
    numbers = [np.ones(v["shape"], v["dtype"]) if v["kind"] == "tensor" else 2**70 if v["kind"] == "int" else ... for v in model.forward.inputs]
    with pytest.raises(et_inspect.ArgumentError, match="at most 64 bits"):
        model(*numbers)


def test_a_tensor_without_dimensions_is_a_number():
    zero, two = Tensor(np.array(0.0)), Tensor(np.array(2.0))
    assert float(two) == 2 and int(two) == 2 and two and not zero
    with pytest.raises(TypeError):
        len(two)
    with pytest.raises(ValueError):
        np.asarray(Tensor(np.ones(2, np.float32)), np.float64, copy=False) if np.lib.NumpyVersion(np.__version__) >= "2.0.0" else two.__array__(np.float32, copy=False)


def test_profile_by_executorch_takes_what_ours_takes(xy):
    pytest.importorskip("executorch")
    inputs = [xy[0].tolist(), np.asfortranarray(xy[1])]
    trace = et_inspect.profile(program("add_mul"), inputs, runs=2, warmup=0, runtime="executorch", trace_values="all")
    assert len(trace.query("SELECT * FROM debug_values WHERE trace_id = :trace")) > 0
    et_inspect.profile(program("scalar_inputs"), runs=1, warmup=0, runtime="executorch")
    for wrong, error in [([], "expected 2 inputs"), ([xy[0]] * 2 + [1], "expected 2 inputs"), ([xy[0].astype(np.float64)] * 2, "dtype"), ([np.ones((9, 3), np.float32)] * 2, "expected")]:
        with pytest.raises(et_inspect.Error, match=error):
            et_inspect.profile(program("add_mul"), wrong, runtime="executorch")
    method = Module(program("multi_method")).method_names[0]
    trace = et_inspect.profile(program("multi_method"), runs=1, warmup=0, method=method, runtime="executorch")
    assert trace.query("SELECT DISTINCT method FROM blocks WHERE trace_id = :trace AND kind = 'execute'")["method"] == [method]


def test_a_closed_module_refuses(xy):
    model = Module(program("add_mul"))
    method = model.forward
    with model:
        method(*xy)
    model.close()
    for use in (lambda: method(*xy), lambda: method(1, 2), lambda: model.unload("forward"), lambda: method.set_traced(True)):
        with pytest.raises(et_inspect.StateError, match="closed"):
            use()
    assert "closed" in repr(model)


def test_threads_take_turns(xy):
    model = Module(program("add_mul"))
    wanted = {}
    for k in range(4):
        wanted[k] = np.array(model(xy[0] * k, xy[1])[0])
    failures = []

    def work(k):
        for _ in range(200):
            if not np.array_equal(model(xy[0] * k, xy[1])[0], wanted[k]):
                failures.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not failures


def test_close_waits_for_the_run_of_another_thread(xy):
    """Each call either gives its result or refuses; whichever thread comes first."""
    for _ in range(30):
        model = Module(program("add_mul"), trace=True)
        wanted = np.array(model(*xy)[0])
        go, odd = threading.Barrier(4), []

        def work():
            go.wait()
            try:
                for _ in range(20):
                    if not np.array_equal(model(*xy)[0], wanted):
                        odd.append("another result")
            except et_inspect.StateError as e:
                if "closed" not in str(e):
                    odd.append(str(e))

        threads = [threading.Thread(target=work) for _ in range(3)]
        for t in threads:
            t.start()
        go.wait()
        model.close()
        for t in threads:
            t.join()
        assert not odd and model.closed


def test_what_a_closed_module_gave_stays(xy):
    with Module(program("add_mul"), trace=True) as model:
        method = model.forward
        (out,) = method(*xy)
        trace = model.trace()
        view = memoryview(out.numpy())
    gc.collect()
    assert np.asarray(view).tolist() == out.tolist() and len(trace.query("SELECT * FROM ops")) > 0
    assert method.inputs and method.name == "forward" and "forward" in repr(method)
    for use in (lambda: model(*xy), lambda: model.trace(), lambda: model.write_trace("x"), lambda: model.method("forward")(*xy)):
        with pytest.raises(et_inspect.StateError, match="closed"):
            use()


def test_profile_traces_the_runs_alone():
    with et_inspect.profile(program("add_mul"), runs=7, warmup=2) as trace:
        assert trace.info["executions"] == 7
    with pytest.raises(et_inspect.ArgumentError, match="runs > 0"):
        et_inspect.profile(program("add_mul"), runs=0)
    with pytest.raises(et_inspect.ArgumentError, match="native or executorch"):
        et_inspect.profile(program("add_mul"), runtime="other")


def test_profile_joins_the_etrecord_and_logs_values(case):
    c = case("partial_delegation")
    with et_inspect.profile(c.pte, runs=3, etrecord=c.etrecord, trace_values="all") as trace:
        assert len([f for f in trace.query("SELECT file FROM lines")["file"] if f]) > 1
        values = trace.query("SELECT data FROM debug_values WHERE kind = 'tensor'")["data"]
        assert values and all(values)


def test_a_trace_begins_anew_behind_each_other(xy):
    model = Module(program("add_mul"), trace=True)
    model(*xy)
    with model.trace() as first:
        assert first.info["executions"] == 1
    model(*xy)
    model(*xy)
    with model.trace() as second:
        assert second.info["executions"] == 2
    with pytest.raises(et_inspect.StateError, match="without trace=True"):
        Module(program("add_mul")).write_trace("x.etdp")


def test_bundle_and_check(tmp_path, xy):
    model = Module(program("add_mul"))
    good = tmp_path / "good.bpte"
    et_inspect.bundle(program("add_mul"), [(xy, model(*xy)), (xy[::-1], None)], good)
    assert et_inspect.check(good)["ok"]
    bad = tmp_path / "bad.bpte"
    et_inspect.bundle(program("add_mul").read_bytes(), {"forward": [(xy, [np.zeros((2, 3), np.float32)])]}, bad)
    result = et_inspect.check(bad)
    assert not result["ok"]
    assert et_inspect.check(bad, atol=1e9)["ok"]
    for cases, text in [
        ([(xy[:1], None)], "expected 2 inputs, got 1"),
        ([], "expected at least one case"),
        ([(xy, [xy[0].astype(np.float64)])], "--case 0_in_0.npy"),
    ]:
        with pytest.raises(et_inspect.ArgumentError, match=text):
            et_inspect.bundle(program("add_mul"), cases, tmp_path / "x.bpte")
    assert not (tmp_path / "x.bpte").exists()
    with pytest.raises(et_inspect.AccessError, match="nowhere.bpte: cannot open"):
        et_inspect.check(tmp_path / "nowhere.bpte")


def test_wrong_cases_are_told(tmp_path, xy):
    for cases, error in [(3, "list of cases"), ([(xy,)], "got 1 values"), ([xy[0]], "expected outputs")]:
        with pytest.raises(et_inspect.DtypeError, match=error):
            et_inspect.bundle(program("add_mul"), cases, tmp_path / "x.bpte")
    with pytest.raises(et_inspect.AccessError):
        et_inspect.bundle(program("add_mul"), [(xy, None)], tmp_path / "none" / "x.bpte")
    with pytest.raises(et_inspect.DtypeError):
        et_inspect.check(None)


def test_bundles_of_all_dtypes_and_numbers(tmp_path):
    method = Module(program("dtypes")).forward
    inputs = [np.ones(v["shape"], v["dtype"]) for v in method.inputs]
    assert et_inspect.check(et_inspect.bundle(program("dtypes"), [(inputs, None)], tmp_path / "d.bpte"))["ok"]
