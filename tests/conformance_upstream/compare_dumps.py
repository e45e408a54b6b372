#!/usr/bin/env python3
"""Runs programs with our runtime (et-run) and with upstream's, and compares the dumps as upstream's tools read them.

usage: compare_dumps.py --et-run PROGRAM FOLDER... [--case NAME...] [--json FILE]
       in a Python that has executorch; without it the exit code is 77 (skipped)

A FOLDER holds cases: folders with program.pte, maybe *.ptd, bundled.bpte (inputs), etrecord.bin. Each method of each
program runs in fresh processes, first profiled (3 executions), then with all values logged (1 execution). Compared are

  events      every event of every block in its order, as upstream's reader of dumps decodes it: names, chains,
              instructions, delegate ids, and for logged values type, sizes, strides and numbers
  inspector   the blocks and events of upstream's Inspector, with the record where there is one: names, operator types,
              debug handles, delegation, number of samples, logged values

Programs with delegates that our runtime does not have are left out; where upstream itself fails, only ours must be
readable. Exit code 1: something differs.
"""
import argparse
import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

try:
    with contextlib.redirect_stderr(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import numpy as np
        import torch
        from executorch.devtools import Inspector
        from executorch.devtools.bundled_program.serialize import deserialize_from_flatbuffer_to_bundled_program
        from executorch.devtools.etdump.serialize import deserialize_from_etdump_flatcc
        from executorch.exir import scalar_type
        from executorch.exir._serialize._program import deserialize_pte_binary
        from executorch.exir.schema import Bool, Double, Int, Tensor
        from executorch.exir.tensor import scalar_type_table
        from executorch.extension.pybindings import portable_lib
        import executorch.kernels.quantized  # noqa: F401  its library registers the quantised kernels
except ImportError as missing:
    print(f"compare_dumps: skipped, {missing}")
    sys.exit(77)

EXECUTIONS = 3
# Operators whose results upstream's runtime gets wrong: values of programs that call them are not compared.
WRONG_UPSTREAM = {"aten::nonzero.out": "writes its rows in row-major order, whatever dim order the output declares"}
DEBUG_BYTES = 512 << 20
DTYPES = {number: dtype for dtype, number in scalar_type_table.items()}


class Skip(Exception):
    pass


# --- inputs -----------------------------------------------------------------------------------------------------------


def in_dim_order(values, order):
    """The same values, stored in the order of dimensions that the program wants."""
    if list(order) == sorted(order):
        return values
    inverse = [list(order).index(d) for d in range(len(order))]
    return values.permute(tuple(order)).contiguous().permute(tuple(inverse))


def generated(spec, seed):
    """Values for a tensor input that any program can take: small, and 0 or 1 for integers, which may be indices."""
    random = torch.Generator().manual_seed(seed)
    dtype = DTYPES[spec.scalar_type]
    if dtype.is_floating_point:
        values = torch.randn(tuple(spec.sizes), generator=random).to(dtype)
    else:
        values = torch.randint(0, 2, tuple(spec.sizes), generator=random).to(dtype)
    return in_dim_order(values, spec.dim_order)


def bundled(folder, method):
    """Inputs of the method's first bundled test, or nothing."""
    path = folder / "bundled.bpte"
    if not path.exists():
        return None
    program = deserialize_from_flatbuffer_to_bundled_program(path.read_bytes())
    for suite in program.method_test_suites:
        if suite.method_name != method or not suite.test_cases:
            continue
        found = []
        for value in suite.test_cases[0].inputs:
            value = value.val
            if hasattr(value, "data"):
                order = [int.from_bytes(d, "little") if isinstance(d, bytes) else int(d) for d in value.dim_order]
                sizes = tuple(value.sizes[d] for d in order)
                flat = torch.frombuffer(bytearray(bytes(value.data)), dtype=DTYPES[value.scalar_type]) if value.data else torch.zeros(0)
                inverse = [order.index(d) for d in range(len(order))]
                found.append(flat.reshape(sizes).permute(tuple(inverse)) if sizes else flat.reshape(()))
            else:
                found.append(next(iter(vars(value).values())))
        return found
    return None


def inputs_of(folder, plan):
    given = bundled(folder, plan.name)
    if given is not None:
        return given
    found = []
    for seed, index in enumerate(plan.inputs):
        value = plan.values[index].val
        if isinstance(value, Tensor):
            found.append(generated(value, seed))
        elif isinstance(value, (Int, Double, Bool)):
            found.append(next(iter(vars(value).values())))
        else:
            raise Skip(f"an input is {type(value).__name__}")
    return found


# --- running ----------------------------------------------------------------------------------------------------------


def isolated(work):
    """Runs work() in a child, because upstream's runtime ends the process when it dislikes something. None: good."""
    log = tempfile.TemporaryFile()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.dup2(log.fileno(), 1)
            os.dup2(log.fileno(), 2)
            work()
            code = 0
        except Exception as error:  # noqa: BLE001
            os.write(2, f"{type(error).__name__}: {error}\n".encode())
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    if status == 0:
        return None
    log.seek(0)
    lines = [line for line in log.read().decode(errors="replace").splitlines() if line and "cpuinfo" not in line]
    return (lines or ["no message"])[-1] + (f" (signal {os.WTERMSIG(status)})" if os.WIFSIGNALED(status) else "")


def run_upstream(folder, method, inputs, executions, dump, debug):
    def work():
        torch.set_num_threads(1)
        weights = sorted(folder.glob("*.ptd"))
        options = {"data_map_buffer": weights[0].read_bytes()} if weights else {}
        if debug:
            options["debug_buffer_size"] = DEBUG_BYTES
        program = (folder / "program.pte").read_bytes()
        module = portable_lib._load_for_executorch_from_buffer(program, enable_etdump=True, **options)
        for _ in range(executions):
            module.run_method(method, tuple(inputs))
        full = str(debug) + ".full" if debug else None
        module.write_etdump_result_to_file(str(dump), *([full] if debug else []))
        if debug:
            os.rename(full, debug)
            os.truncate(debug, min(os.path.getsize(debug), max(used_bytes(dump), 1)))

    return isolated(work)


def run_ours(et_run, folder, method, inputs, executions, dump, debug):
    command = [str(et_run), str(folder / "program.pte"), "--method", method, "--iterations", str(executions), "--etdump", str(dump)]
    for weights in sorted(folder.glob("*.ptd")):
        command += ["--data", str(weights)]
    for number, value in enumerate(v for v in inputs if isinstance(v, torch.Tensor)):
        path = f"{dump}.in{number}.npy"
        with open(path, "wb") as file:
            np.save(file, value.contiguous().numpy() if value.dtype != torch.bfloat16 else value.contiguous().view(torch.int16).numpy())
        command += ["--input", path]
    if debug:
        command += ["--debug-buffer", str(debug), "--debug-level", "intermediate"]
    done = subprocess.run(command, capture_output=True, text=True)
    return None if done.returncode == 0 else (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[0]


def used_bytes(dump):
    end = 0
    for run in deserialize_from_etdump_flatcc(Path(dump).read_bytes()).run_data:
        for event in run.events or []:
            entry = event.debug_event.debug_entry if event.debug_event else None
            tensors = [] if entry is None else [entry.tensor] + (entry.tensor_list.tensors if entry.tensor_list else [])
            for t in tensors:
                if t is not None and t.offset is not None and t.offset >= 0:
                    end = max(end, t.offset + int(np.prod(t.sizes)) * DTYPES[t.scalar_type].itemsize)
    return end


# --- what a dump says -------------------------------------------------------------------------------------------------

UNSIGNED_CHAIN = 2**64 - 1  # upstream writes chain −1 of debug events into an unsigned field's reader


def tensor_values(tensor, data):
    if tensor is None:
        return None
    count, dtype = int(np.prod(tensor.sizes)), DTYPES[tensor.scalar_type]
    raw = b"" if tensor.offset is None or tensor.offset < 0 else data[tensor.offset : tensor.offset + count * dtype.itemsize]
    values = torch.frombuffer(bytearray(raw), dtype=dtype) if raw else torch.zeros(0, dtype=dtype)
    return {"dtype": str(dtype), "sizes": list(tensor.sizes), "strides": list(tensor.strides), "values": values}


def debug_value(entry, data):
    found = {"type": entry.val, "output": bool(entry.output and entry.output.bool_val)}
    if entry.tensor is not None:
        found["tensors"] = [tensor_values(entry.tensor, data)]
    if entry.tensor_list is not None:
        found["tensors"] = [tensor_values(t, data) for t in entry.tensor_list.tensors]
    for name in ("int_value", "double_value", "bool_value"):
        value = getattr(entry, name)
        if value is not None:
            found["number"] = next(iter(vars(value).values()))
    return found


def raw_blocks(dump, debug):
    data = Path(debug).read_bytes() if debug else b""
    blocks = []
    for run in deserialize_from_etdump_flatcc(Path(dump).read_bytes()).run_data:
        events = []
        for event in run.events or []:
            e = event.profile_event or event.debug_event
            if e is None:
                events.append({"kind": "allocation"})
                continue
            found = {
                "kind": "profile" if event.profile_event else "debug",
                "name": e.name,
                "chain": -1 if e.chain_index == UNSIGNED_CHAIN else e.chain_index,
                "instruction": e.instruction_id,
                "id": e.delegate_debug_id_str if e.delegate_debug_id_str is not None else e.delegate_debug_id_int,
            }
            if event.profile_event:
                found["positive"] = e.end_time >= e.start_time > 0
            else:
                found["value"] = debug_value(e.debug_entry, data)
            events.append(found)
        blocks.append({"name": run.name, "bundled_input_index": run.bundled_input_index, "events": events})
    return blocks


def inspected(dump, debug, record):
    """What Inspector makes of a dump, or the kind of its failure."""
    options = {"etrecord": str(record)} if record else {}
    if debug:
        options["debug_buffer_path"] = str(debug)
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            inspector = Inspector(etdump_path=str(dump), **options)
    except Exception as error:  # noqa: BLE001
        return f"{type(error).__name__}: {error}"
    return [
        {
            "name": block.name,
            "bundled_input_index": block.bundled_input_index,
            "events": [
                {
                    "name": e.name,
                    "op_types": e.op_types,
                    "debug_handles": e.debug_handles,
                    "delegate_debug_identifier": e.delegate_debug_identifier,
                    "is_delegated_op": e.is_delegated_op,
                    "delegate_backend_name": e.delegate_backend_name,
                    "instruction": e._instruction_id,
                    "num_outputs": e.num_outputs,
                    "stack_traces": e.stack_traces,
                    "module_hierarchy": e.module_hierarchy,
                    "samples": len(e.perf_data.raw) if e.perf_data else None,
                    "debug_data": list(e.debug_data),
                }
                for e in block.events
            ],
            "run_output": list(block.run_output) if block.run_output is not None else None,
        }
        for block in inspector.event_blocks
    ]


# --- comparing --------------------------------------------------------------------------------------------------------


def close(a, b):
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    if a.dtype.is_floating_point:
        return torch.allclose(a.double(), b.double(), rtol=1e-3, atol=1e-4, equal_nan=True)
    if a.dtype in (torch.int8, torch.uint8):  # a rounding tie of a quantised value
        return bool(((a.int() - b.int()).abs() <= 1).all())
    return torch.equal(a, b)


def differences(ours, theirs, where=""):
    """Texts: path, our value, upstream's."""
    if isinstance(ours, torch.Tensor) and isinstance(theirs, torch.Tensor):
        if not close(ours, theirs):
            apart = f", {(ours.double() - theirs.double()).abs().max().item():.3g} apart" if ours.shape == theirs.shape and ours.numel() else ""
            yield f"{where}: tensors differ: {list(ours.shape)} {ours.dtype}, upstream {list(theirs.shape)} {theirs.dtype}{apart}"
    elif isinstance(ours, dict) and isinstance(theirs, dict):
        for key in list(theirs) + [k for k in ours if k not in theirs]:
            yield from differences(ours.get(key), theirs.get(key), f"{where}.{key}")
    elif isinstance(ours, (list, tuple)) and isinstance(theirs, (list, tuple)):
        if len(ours) != len(theirs):
            yield f"{where}: {len(ours)} items, upstream {len(theirs)}: {brief(ours)} / {brief(theirs)}"
            return
        for i, (a, b) in enumerate(zip(ours, theirs)):
            yield from differences(a, b, f"{where}[{i}]")
    elif isinstance(ours, float) and isinstance(theirs, float):
        if abs(ours - theirs) > 1e-4 + 1e-3 * abs(theirs):
            yield f"{where}: {ours}, upstream {theirs}"
    elif isinstance(ours, torch.Tensor) or isinstance(theirs, torch.Tensor) or ours != theirs:
        yield f"{where}: {brief(ours)}, upstream {brief(theirs)}"


def brief(value):
    if isinstance(value, torch.Tensor):
        return f"tensor {list(value.shape)} {value.dtype}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(str(v.get("name") or v.get("id")) if isinstance(v, dict) else brief(v) for v in list(value)[:12]) + (", …]" if len(value) > 12 else "]")
    return repr(value)[:120]


def without_values(found):
    """The same description with the logged values' shapes alone."""
    if isinstance(found, torch.Tensor):
        return [str(found.dtype), list(found.shape)]
    if isinstance(found, dict):
        return {key: without_values(value) for key, value in found.items()}
    if isinstance(found, (list, tuple)):
        return [without_values(value) for value in found]
    return found


def loads_first(blocks):
    """Upstream's binding loads every method of a program, et-run the one that it runs: one load is kept."""
    loads = [b for b in blocks if b["name"] == "Default"]
    return loads[:1] + [b for b in blocks if b["name"] != "Default"]


def compare(et_run, folder, plan, record, work):
    """Yields (part, difference)."""
    inputs = inputs_of(folder, plan)
    called = {o.name + ("." + o.overload if o.overload else "") for o in plan.operators}
    wrong = [f"{name} {WRONG_UPSTREAM[name]}" for name in sorted(called & set(WRONG_UPSTREAM))]
    view = without_values if wrong else lambda found: found
    for reason in wrong:
        yield "note", f"values not compared: {reason}"
    for part, executions in (("profile", EXECUTIONS), ("debug", 1)):
        dumps, buffers = {}, {}
        for side in ("ours", "upstream"):
            dumps[side] = work / f"{side}.{part}.etdp"
            buffers[side] = work / f"{side}.bin" if part == "debug" else None
        failed = run_ours(et_run, folder, plan.name, inputs, executions, dumps["ours"], buffers["ours"])
        if failed:
            yield part, f"et-run: {failed}"
            return
        mine = raw_blocks(dumps["ours"], buffers["ours"])
        failed = run_upstream(folder, plan.name, inputs, executions, dumps["upstream"], buffers["upstream"])
        if not failed:
            try:
                theirs = raw_blocks(dumps["upstream"], buffers["upstream"])
            except Exception as error:  # noqa: BLE001
                failed = f"its dump cannot be read: {type(error).__name__}"
        if failed:
            found = inspected(dumps["ours"], buffers["ours"], None)
            yield (part, f"upstream cannot run it ({failed}); ours is not readable: {found}") if isinstance(found, str) else ("note", f"{part}: upstream cannot: {failed}")
            continue
        for text in differences(view(loads_first(mine)), view(loads_first(theirs))):
            yield f"{part} events", text
        for with_record in (None, record) if record else (None,):
            a = inspected(dumps["ours"], buffers["ours"], with_record)
            b = inspected(dumps["upstream"], buffers["upstream"], with_record)
            label = f"{part} inspector" + (" with record" if with_record else "")
            if isinstance(b, str):
                yield "note", f"{label}: upstream cannot: {b[:120]}"
                continue
            if isinstance(a, str):
                yield label, f"not readable: {a}"
                continue
            several_loads = sum(block["name"] == "Default" for block in theirs) > 1
            if several_loads:
                a, b = ([x for x in blocks if x["name"] != "Default"] for blocks in (a, b))
            for text in differences(view(a), view(b)):
                yield label, text


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--et-run", required=True, type=Path)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--case", nargs="*", default=[])
    parser.add_argument("--backends", nargs="*", default=[], help="delegates that our runtime has")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    result, bad = {}, 0
    folders = [f.parent for folder in arguments.folders for f in sorted(folder.glob("*/program.pte"))]
    for folder in folders:
        name = folder.name
        if arguments.case and name not in arguments.case:
            continue
        decoded = deserialize_pte_binary((folder / "program.pte").read_bytes())
        plans = (decoded.program if hasattr(decoded, "program") else decoded).execution_plan
        missing = {d.id for plan in plans for d in plan.delegates} - set(arguments.backends)
        if missing:
            print(f"{name}: skipped, needs {', '.join(sorted(missing))}")
            continue
        record = folder / "etrecord.bin"
        for plan in plans:
            label = name if len(plans) == 1 else f"{name}:{plan.name}"
            with tempfile.TemporaryDirectory() as work:
                try:
                    found = list(compare(arguments.et_run, folder, plan, record if record.exists() else None, Path(work)))
                except Skip as reason:
                    print(f"{label}: skipped, {reason}")
                    continue
            wrong = [f for f in found if f[0] != "note"]
            bad += bool(wrong)
            result[label] = [list(f) for f in found]
            print(f"{label}: {'DIFFERS' if wrong else 'same'}", flush=True)
            for part, text in found[:12]:
                print(f"    {part}: {text}")
            if len(found) > 12:
                print(f"    … {len(found) - 12} more")
    print(f"{len(result) - bad} of {len(result)} the same as upstream")
    if arguments.json:
        arguments.json.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n")
    sys.exit(1 if bad or not result else 0)


if __name__ == "__main__":
    main()
