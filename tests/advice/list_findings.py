#!/usr/bin/env python3
"""Exports models portable, with XNNPACK and in int8, runs each program, and lists what et-inspect finds: for a person who
reads it beside the models' source. Needs torch, torchao and executorch.

    list_findings.py --bin build/release/bin --out FOLDER [--models third_models] [NAME...]
"""

import argparse
import importlib
import pathlib
import subprocess

import numpy
import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import to_edge_transform_and_lower


def quantised(model, inputs, dynamic):
    from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import XNNPACKQuantizer, get_symmetric_quantization_config
    from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

    graph = torch.export.export(model, inputs, dynamic_shapes=dynamic).module()
    graph = prepare_pt2e(graph, XNNPACKQuantizer().set_global(get_symmetric_quantization_config()))
    for _ in range(4):
        graph(*inputs)
    return convert_pt2e(graph)


def export(model, inputs, dynamic, flow, folder):
    if flow == "int8":
        model = quantised(model, inputs, dynamic)
        dynamic = dynamic and tuple(dynamic.values())
    exported = torch.export.export(model, inputs, dynamic_shapes=dynamic)
    partitioner = [] if flow == "portable" else [XnnpackPartitioner()]
    program = to_edge_transform_and_lower(exported, partitioner=partitioner, generate_etrecord=True).to_executorch()
    folder.mkdir(parents=True, exist_ok=True)
    program.get_etrecord().save(str(folder / "etrecord.bin"))
    (folder / "model.pte").write_bytes(program.buffer)
    for i, tensor in enumerate(inputs):
        numpy.save(folder / f"input{i}.npy", tensor.numpy())


def findings(bin, folder):
    inputs = [word for path in sorted(folder.glob("input*.npy")) for word in ("--input", str(path))]
    subprocess.run([bin / "et-run", folder / "model.pte", *inputs, "-n", "30", "-w", "3", "--etdump", folder / "etdump.etdp"],
                   check=True, capture_output=True)
    files = [folder / "etdump.etdp", "--etrecord", folder / "etrecord.bin", "--pte", folder / "model.pte"]
    return subprocess.run([bin / "et-inspect", "findings", *files], check=True, capture_output=True, text=True).stdout


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--bin", type=pathlib.Path, default=pathlib.Path("build/release/bin"))
    words.add_argument("--out", type=pathlib.Path, required=True)
    words.add_argument("--models", default="models", choices=["models", "second_models", "third_models"])
    words.add_argument("names", nargs="*")
    args = words.parse_args()
    source = importlib.import_module(args.models)
    for name in args.names or source.MODELS:
        make, inputs, dynamic = source.MODELS[name]
        for flow in ["portable", "xnnpack"] + (["int8"] if name in source.INT8 else []):
            torch.manual_seed(7)
            folder = args.out / f"{name}-{flow}"
            print(f"=== {folder.name}", flush=True)
            try:
                export(make().eval().requires_grad_(False), inputs, dynamic, flow, folder)
                print(findings(args.bin.resolve(), folder), end="", flush=True)
            except Exception as e:  # upstream's lowering refuses some, the runtime lacks kernels of others
                print(f"not run: {str(e).splitlines()[0][:200]}")


if __name__ == "__main__":
    main()
