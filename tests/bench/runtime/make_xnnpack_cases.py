#!/usr/bin/env python3
"""Exports programs of one layer each for the XNNPACK backend: shapes that nobody tuned for, drawn with a fixed seed, and
those that audio, grey pictures and first layers have.

usage: make_xnnpack_cases.py FOLDER [--count N | --generated N] [--seed N] [--int8] [CASE...]     in a Python that has executorch

Writes NAME.pte, NAME.inputs (the bytes of all inputs) and cases.json, as make_cases.py does; bench_runtime.py --only
kernels reads them, bench_layers.py too. --generated: the layers of generated_layers.py instead, those of dynamic length among
them; programs that are there already are kept, so that an interrupted run goes on. A layer that the partitioner leaves alone is
an error.
"""
import argparse
import json
import random
import sys
from pathlib import Path

import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import XNNPACKQuantizer, get_symmetric_quantization_config
from executorch.exir import to_edge_transform_and_lower
from executorch.exir._serialize._program import deserialize_pte_binary
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

from generated_layers import Layer, generated

CHANNELS = (1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 17, 24, 32, 48, 64, 96, 128, 258, 512)


def conv(dims, ins, outs, kernel, stride, size, *, dilation=1, groups=1, batch=1):
    layer = (torch.nn.Conv1d, torch.nn.Conv2d)[dims - 1]
    module = layer(ins, outs, kernel, stride, padding=dilation * (kernel // 2), dilation=dilation, groups=groups)
    return module, (torch.randn(batch, ins, *[size] * dims),)


def known():
    """Cases by name that were slow once, or that many models begin with."""
    cases = {
        "audio_1_64_k64": conv(1, 1, 64, 64, 4, 4096),
        "audio_1_258_k256": conv(1, 1, 258, 256, 64, 4096),
        "audio_2_32_k7": conv(1, 2, 32, 7, 2, 2048),
        "grey_1_32_k3": conv(2, 1, 32, 3, 1, 64),
        "grey_1_6_k5": conv(2, 1, 6, 5, 1, 32),
        "first_3_12_k7": conv(2, 3, 12, 7, 2, 112),
        "first_3_32_k3": conv(2, 3, 32, 3, 2, 112),
        "first_3_64_k7": conv(2, 3, 64, 7, 2, 112),
        "multiplier_2": conv(2, 32, 64, 3, 1, 28, groups=32),
        "multiplier_4_k5": conv(2, 16, 64, 5, 2, 28, groups=16),
        "multiplier_16": conv(2, 8, 128, 3, 1, 28, groups=8),
        "depthwise_k3": conv(2, 96, 96, 3, 1, 28, groups=96),
        "depthwise_k5": conv(2, 96, 96, 5, 1, 28, groups=96),
        "depthwise_k7_s2": conv(2, 48, 48, 7, 2, 28, groups=48),
        "depthwise_3_channels": conv(2, 3, 3, 3, 1, 64, groups=3),
        "depthwise_6_channels_k5": conv(2, 6, 6, 5, 1, 64, groups=6),
        "depthwise_1d_k31": conv(1, 144, 144, 31, 1, 200, groups=144),
        "grouped_32_32_g4": conv(2, 32, 32, 3, 1, 28, groups=4),
        "grouped_128_128_g32": conv(2, 128, 128, 3, 1, 28, groups=32),
        "grouped_256_256_g32_s2": conv(2, 256, 256, 3, 2, 28, groups=32),
        "grouped_512_512_g32": conv(2, 512, 512, 3, 1, 14, groups=32),
        "grouped_pointwise_g3": conv(2, 240, 60, 1, 1, 28, groups=3),
        "grouped_1d_g8": conv(1, 64, 128, 5, 1, 256, groups=8),
        "time_64_64_k3": conv(1, 64, 64, 3, 1, 512),
        "time_64_64_k3_d4": conv(1, 64, 64, 3, 1, 512, dilation=4),
        "time_128_64_k11": conv(1, 128, 64, 11, 1, 512),
        "pointwise_s2": conv(2, 64, 128, 1, 2, 28),
        "middle_64_64_k3": conv(2, 64, 64, 3, 1, 28),
        "max_pool": (torch.nn.MaxPool2d(3, 2, 1), (torch.randn(1, 64, 56, 56),)),
        "max_pool_2": (torch.nn.MaxPool2d(2), (torch.randn(1, 32, 56, 56),)),
        "avg_pool": (torch.nn.AvgPool2d(3, 2), (torch.randn(1, 64, 56, 56),)),
        "global_pool": (torch.nn.AdaptiveAvgPool2d(1), (torch.randn(1, 128, 14, 14),)),
        "linear_1_row": (torch.nn.Linear(512, 512), (torch.randn(1, 512),)),
        "linear_64_rows": (torch.nn.Linear(256, 256), (torch.randn(64, 256),)),
        "linear_17_31": (torch.nn.Linear(31, 17), (torch.randn(37, 31),)),
    }
    return cases


def drawn(rng):
    """A layer that no one has chosen: a name and a case."""
    kind = rng.choice(["conv1d", "conv2d", "conv2d", "depthwise", "linear", "pool"])
    batch, ins = rng.choice((1, 1, 1, 8)), rng.choice(CHANNELS)
    kernel, stride = rng.choice((1, 2, 3, 3, 4, 5, 7, 9, 11)), rng.choice((1, 1, 2, 3, 5))
    if kind == "linear":
        outs, rows = rng.choice(CHANNELS), rng.choice((1, 2, 7, 33, 128, 512))
        return f"linear_{rows}x{ins}_{outs}", (torch.nn.Linear(ins, outs), (torch.randn(rows, ins),))
    if kind == "pool":
        kernel = min(kernel + 1, 5)
        size = rng.choice((14, 23, 40))
        return f"pool_{ins}_k{kernel}_s{stride}_{size}_b{batch}", (
            torch.nn.MaxPool2d(kernel, stride, kernel // 2), (torch.randn(batch, ins, size, size),))
    dims = 1 if kind == "conv1d" else 2
    size = rng.choice((50, 160, 511)) if dims == 1 else rng.choice((7, 13, 24, 40))
    dilation = rng.choice((1, 1, 1, 2)) if stride == 1 else 1
    groups, outs = 1, rng.choice(CHANNELS)
    if kind == "depthwise":
        groups, outs = ins, ins * rng.choice((1, 1, 1, 2, 3))
    elif rng.random() < 0.15:
        groups = rng.choice([g for g in (2, 3, 4) if ins % g == 0] or [1])
        outs = -(-outs // groups) * groups
    while batch * (ins // groups) * outs * kernel**dims * (size / stride) ** dims > 3e8:  # a second of work in all
        ins, outs = (ins // 2, outs // 2) if groups == 1 else (ins, outs)
        size = max(kernel, size // 2)
        if groups != 1 and size <= kernel:
            break
    name = f"{kind}_{ins}_{outs}_k{kernel}_s{stride}_d{dilation}_g{groups}_{size}_b{batch}"
    return name, conv(dims, ins, outs, kernel, stride, size, dilation=dilation, groups=groups, batch=batch)


def quantised_pool(module):
    """A pool between a quantise and a dequantise, as it stands in a network: alone the quantizer would leave it alone."""
    ops = torch.ops.quantized_decomposed
    scale = (0.03, 3, -128, 127, torch.int8)

    class Quantised(torch.nn.Module):
        def forward(self, x):
            x = ops.dequantize_per_tensor(ops.quantize_per_tensor(x, *scale), *scale)
            return ops.dequantize_per_tensor(ops.quantize_per_tensor(module(x), *scale), *scale)

    return Quantised()


def export(layer, int8):
    """The program of a layer in bytes. Products of two inputs stay in float32: the quantizer takes none."""
    inputs, module, dynamic = layer.inputs, layer.module.eval(), layer.dynamic
    pools = "pool" in layer.name
    if int8 and pools:
        module = quantised_pool(module)
    program = torch.export.export(module, inputs, dynamic_shapes=dynamic, strict=True)
    if int8 and not pools:
        quantizer = XNNPACKQuantizer().set_global(get_symmetric_quantization_config(is_per_channel=True))
        prepared = prepare_pt2e(program.module(), quantizer)
        prepared(*inputs)
        program = torch.export.export(convert_pt2e(prepared), inputs, dynamic_shapes=dynamic, strict=True)
    return bytes(to_edge_transform_and_lower(program, partitioner=[XnnpackPartitioner()]).to_executorch().buffer)


def write(folder, layer, int8):
    """Writes one case, unless it is there; what stands in the way, else nothing."""
    file = folder / f"{layer.name}.pte"
    if file.exists():
        return None
    try:
        program = export(layer, int8)
    except Exception as error:  # noqa: BLE001  the exporter raises whatever it likes
        return f"not exported: {(str(error) or type(error).__name__).splitlines()[0]}"
    decoded = deserialize_pte_binary(program)
    plan = (decoded.program if hasattr(decoded, "program") else decoded).execution_plan[0]
    if not plan.delegates:
        return "not delegated"
    file.with_suffix(".inputs").write_bytes(b"".join(i.contiguous().numpy().tobytes() for i in layer.inputs))
    file.write_bytes(program)
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--count", type=int, default=60, help="how many layers are drawn besides the known ones")
    parser.add_argument("--generated", type=int, help="so many layers of generated_layers.py instead")
    parser.add_argument("--seed", type=int, default=20)
    parser.add_argument("--int8", action="store_true", help="convolutions, linear layers and pools quantised")
    parser.add_argument("case", nargs="*")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(arguments.seed)
    if arguments.generated:
        wanted = list(generated(arguments.generated, arguments.seed).values())
        if arguments.int8:
            wanted = [layer for layer in wanted if not layer.name.startswith("matmul")]
    else:
        rng = random.Random(arguments.seed)
        pairs = {**known(), **dict(drawn(rng) for _ in range(arguments.count))}
        wanted = [Layer(name, module, inputs) for name, (module, inputs) in pairs.items()]
    listed, failed = [], []
    for layer in wanted:
        if arguments.case and layer.name not in arguments.case:
            continue
        failure = write(arguments.folder, layer, arguments.int8)
        if failure:
            failed.append(f"{layer.name}: {failure}")
            continue
        listed.append({"name": layer.name, "operator": "xnnpack", "operators": [], "shapes": [list(i.shape) for i in layer.inputs],
                       "sizes": layer.sizes})
        (arguments.folder / "cases.json").write_text(json.dumps(listed, indent=1) + "\n")
    print(f"{len(listed)} programs")
    for line in failed:
        print(f"make_xnnpack_cases: {line}", file=sys.stderr)
    sys.exit(1 if len(failed) > len(wanted) // 4 else 0)


if __name__ == "__main__":
    main()
