"""Makes the corpus: each model through each flow that takes it, run by both runtimes, with the truth of every trace.

OUT/MODEL/FLOW/ gets program.pte, etrecord.bin, for each runtime RUNTIME.etdp and RUNTIME.truth.json; or failed.txt.
"""
import contextlib
import copy
import io
import json
import os
import shutil
import time
import traceback
import warnings

import torch

from eager import run_noted
from flows import FLOWS
from model import MODELS
from program import read_executions, read_program
from run import run_ours, run_upstream
from truth import truth_of

UPSTREAM, OURS = "upstream", "ours"


def fitting(model, flow, every):
    return every or not flow.wants or set(flow.wants) & set(model.kinds)


def distinct(executions):
    """Executions without repetition, in order, each with how many times it came."""
    seen = {}
    for number, events in enumerate(executions):
        key = tuple((e.chain, e.instruction, e.name, e.nth) for e in events)
        seen.setdefault(key, (number, events))
    return list(seen.values())


def truth_file(etdump, instructions, calls, order, flow):
    """The truth of a trace: a block for each sequence of events."""
    blocks = []
    for number, events in distinct(read_executions(etdump.read_bytes())):
        method = order[number % len(order)]
        rows = truth_of(events, instructions.get(method, {}), calls[method], flow.strict)
        blocks.append({"method": method, "events": rows})
    return {"blocks": blocks}


def write_truths(model, flow, folder, calls):
    """The truth of the traces that a case has; what it knows, in words."""
    instructions = read_program((folder / "program.pte").read_bytes())
    notes = []
    for runtime in (UPSTREAM, OURS):
        etdump = folder / f"{runtime}.etdp"
        if not etdump.exists():
            continue
        order = list(model.methods())[: None if runtime == UPSTREAM else 1]
        truth = truth_file(etdump, instructions, calls, order, flow)
        (folder / f"{runtime}.truth.json").write_text(json.dumps(truth, indent=1) + "\n")
        states = [e["state"] for b in truth["blocks"] for e in b["events"]]
        notes.append(f"{runtime}: " + " ".join(f"{states.count(s)} {s}" for s in sorted(set(states))))
    return notes


def make_case(model, flow, folder, et_run, iterations):
    """Exports and runs; what went wrong, in words."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            flow.export(model, folder)
    except Exception as error:  # what upstream cannot export is no case
        (folder / "failed.txt").write_text(traceback.format_exc())
        return [f"no export: {type(error).__name__}: {' '.join(str(error).split())[:110]}"]
    methods, program, notes = model.methods(), folder / "program.pte", []
    for runtime in (UPSTREAM, OURS):
        etdump = folder / f"{runtime}.etdp"
        error = (run_upstream(program, etdump, methods, iterations) if runtime == UPSTREAM
                 else run_ours(et_run, program, etdump, methods, iterations))
        if error:
            notes.append(f"{runtime}: {error}"[:160])
            etdump.unlink(missing_ok=True)
    return notes


def noted(model):
    """method → every operator call of a run in PyTorch."""
    with torch.no_grad():
        return {m: run_noted(copy.deepcopy(module), inputs) for m, (module, inputs) in model.methods().items()}


def make_noted(model, flow, folder, et_run, iterations):
    """A case with its truth; what came of it, in words."""
    notes = make_case(model, flow, folder, et_run, iterations)
    if (folder / "program.pte").exists():
        notes += write_truths(model, flow, folder, noted(model))
    return "; ".join(notes)


def generate(out, et_run, models, flows, args):
    for name in models:
        model = MODELS[name]
        calls = noted(model)
        for flow_name in flows:
            flow, folder, started = FLOWS[flow_name], out / name / flow_name, time.time()
            there = folder.exists() and os.listdir(folder)
            if not (there if args.again else fitting(model, flow, args.every)) or (args.keep and there):
                continue
            notes = [] if args.again else make_case(model, flow, folder, et_run, args.iterations)
            if (folder / "program.pte").exists():
                notes += write_truths(model, flow, folder, calls)
            print(f"{name}/{flow_name}: {time.time() - started:.1f} s; {'; '.join(notes)}", flush=True)
