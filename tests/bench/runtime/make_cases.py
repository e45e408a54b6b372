#!/usr/bin/env python3
"""Exports the programs of kernel_cases.py, each with its inputs, and the programs of the tracing benchmark.

usage: make_cases.py FOLDER [CASE...]          in a Python that has executorch

Writes NAME.pte and NAME.inputs (the bytes of all inputs, one after the other) and cases.json. A case whose exported
program lacks the operator that it is for is an error.
"""
import json
import sys
from pathlib import Path

import torch
from executorch.exir import EdgeCompileConfig, ExecutorchBackendConfig, to_edge
from executorch.exir._serialize._program import deserialize_pte_binary

import executorch.kernels.quantized  # noqa: F401  registers the quantised operators' out variants
from kernel_cases import Call, cases

CHAIN = 1000  # operators of the dispatch program


def chain_of_adds(a, b):
    """A program that does next to nothing a thousand times: what is measured is the runtime around it."""
    for _ in range(CHAIN):
        a = a + b
    return a


def export(module, inputs, keep=()):
    program = torch.export.export(module, inputs, strict=True)
    edge = to_edge(program, compile_config=EdgeCompileConfig(_check_ir_validity=False, preserve_ops=list(keep)))
    return bytes(edge.to_executorch(ExecutorchBackendConfig()).buffer)


def operators(program):
    decoded = deserialize_pte_binary(program)
    plan = (decoded.program if hasattr(decoded, "program") else decoded).execution_plan[0]
    return [o.name + ("." + o.overload if o.overload else "") for o in plan.operators]


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    keep = (torch.ops.aten.linear.default, torch.ops.aten.upsample_bilinear2d.vec)
    tiny = torch.zeros(4), torch.ones(4)
    wanted = cases() + [("thousand_adds", "aten::add.out", Call(chain_of_adds), tiny)]
    listed, failed = [], []
    for name, operator, module, inputs in wanted:
        if sys.argv[2:] and name not in sys.argv[2:]:
            continue
        try:
            program = export(module, inputs, keep)
        except Exception as error:  # noqa: BLE001  the exporter raises whatever it likes
            failed.append(f"{name}: not exported: {str(error).splitlines()[0] if str(error) else type(error).__name__}")
            continue
        found = operators(program)
        if operator not in found:
            failed.append(f"{name}: no {operator} in {', '.join(found)}")
            continue
        (folder / f"{name}.pte").write_bytes(program)
        (folder / f"{name}.inputs").write_bytes(b"".join(i.contiguous().numpy().tobytes() for i in inputs))
        listed.append({"name": name, "operator": operator, "operators": found, "shapes": [list(i.shape) for i in inputs]})
        print(f"{name}: {', '.join(found)}")
    if not sys.argv[2:]:
        (folder / "cases.json").write_text(json.dumps(listed, indent=1) + "\n")
    for line in failed:
        print(f"make_cases: {line}", file=sys.stderr)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
