#!/usr/bin/env python3
"""Small programs for XNNPACK's nodes, one operator each, with the outputs of upstream's own runtime as expectations.

    xnnpack_fixtures.py [--out tests/fixtures/xnnpack] [--only NAME ...]

Writes NAME.bpte and cases.tsv (name, rtol, atol, types of the payload's nodes). Needs torch, torchao and executorch. Float
cases allow the last bits; static int8 one step of the output; dynamically quantised ones one step of one activation.
"""
import argparse
import contextlib
import copy
import io
import pathlib

import torch
import torch.nn.functional as F
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import XNNPACKQuantizer, get_symmetric_quantization_config
from executorch.devtools import BundledProgram
from executorch.devtools.bundled_program.config import MethodTestCase, MethodTestSuite
from executorch.devtools.bundled_program.serialize import serialize_from_bundled_program_to_flatbuffer
from executorch.exir import to_edge_transform_and_lower
from executorch.extension.pybindings.portable_lib import _load_for_executorch_from_buffer
from torch import nn


class Wrap(nn.Module):
    def __init__(self, f, *modules):
        super().__init__()
        self.f, self.m = f, nn.ModuleList(modules)

    def forward(self, *a):
        return self.f(*self.m, *a)


def rand(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


V = rand(2, 6)
P = V.abs() + 0.5
B = rand(3, 1, 6, seed=1)
IMAGE = rand(2, 4, 9, 7, seed=2)
ONE = rand(1, 3, 8, 8, seed=3)
LIST = rand(5, 64, seed=4)


def m(*modules):
    """Calls the modules one behind the other."""
    n = len(modules)

    def call(*args):
        x = args[n]
        for layer in args[:n]:
            x = layer(x)
        return x

    return (call, *modules)


def case(f, *modules, x=V, **more):
    xs = x if isinstance(x, tuple) else (x,)
    return dict(f=f, modules=modules, x=xs, **more)


def q(x, scale, zero_point):
    """x as int8 keeps it: for nodes that the quantiser leaves in float."""
    ops = torch.ops.quantized_decomposed
    kept = (scale, zero_point, -128, 127, torch.int8)
    return ops.dequantize_per_tensor(ops.quantize_per_tensor(x, *kept), *kept)


def image(layer, x=IMAGE, **more):
    return case(*m(layer), x=x, **more)


FLOAT = {
    "abs": case(torch.abs), "neg": case(torch.neg), "square": case(torch.square), "sqrt": case(torch.sqrt, x=P),
    "rsqrt": case(torch.rsqrt, x=P), "floor": case(torch.floor), "ceil": case(torch.ceil), "exp": case(torch.exp),
    "log": case(torch.log, x=P), "sin": case(torch.sin), "cos": case(torch.cos), "sigmoid": case(torch.sigmoid),
    "tanh": case(torch.tanh), "gelu": case(F.gelu), "elu": case(F.elu, configs=["EluConfig"]),
    "elu_alpha": case(lambda x: F.elu(x, 0.3), configs=["EluConfig"]), "leaky_relu": case(F.leaky_relu),
    "hardswish": case(F.hardswish), "relu": case(torch.relu), "hardtanh": case(F.hardtanh),
    "clamp": case(lambda x: x.clamp(-0.3, 0.6)),
    "add": case(torch.add, x=(V, V * 2)), "add_broadcast": case(torch.add, x=(B, V)), "sub": case(torch.sub, x=(V, P)),
    "mul": case(torch.mul, x=(V, P)), "div": case(torch.div, x=(V, P)), "maximum": case(torch.maximum, x=(V, P - 1)),
    "minimum": case(torch.minimum, x=(V, P - 1)), "add_relu": case(lambda x, y: torch.relu(x + y), x=(V, P - 1)),
    "mul_relu6": case(lambda x, y: F.relu6(x * y), x=(V, P)), "mul_self": case(lambda x: x * x),
    "add_constant": case(lambda x: x + torch.arange(6.0)), "add_scalar_tensor": case(lambda x: x + torch.tensor(0.5)),
    "prelu": image(nn.PReLU(4)), "softmax": case(lambda x: x.softmax(-1)),
    "linear": case(*m(nn.Linear(6, 5))), "linear_no_bias": case(*m(nn.Linear(6, 5, bias=False))),
    "linear_relu": case(*m(nn.Linear(6, 17), nn.ReLU())), "linear_3d": case(*m(nn.Linear(6, 5)), x=B),
    "addmm": case(lambda l, x: torch.addmm(l.bias, x, l.weight.t()), nn.Linear(6, 5)),
    "bmm": case(torch.bmm, x=(rand(3, 4, 5), rand(3, 5, 6, seed=1))),
    "conv_3x3": image(nn.Conv2d(4, 6, 3)), "conv_relu": case(*m(nn.Conv2d(4, 6, 3, padding=1), nn.ReLU()), x=IMAGE),
    "conv_1x1": image(nn.Conv2d(4, 6, 1)), "conv_1x1_stride": image(nn.Conv2d(4, 6, 1, 2)),
    "conv_padded_1x1": image(nn.Conv2d(4, 6, 1, padding=1)), "conv_groups": image(nn.Conv2d(4, 6, 3, groups=2)),
    "conv_stride_dilation": image(nn.Conv2d(4, 6, 3, (2, 1), (2, 3), (1, 2))),
    "conv_no_bias": image(nn.Conv2d(4, 17, (3, 2), bias=False)), "conv_3_channels": image(nn.Conv2d(3, 8, 3, 2, 1), ONE),
    "conv_channels_last": image(nn.Conv2d(4, 6, 3), IMAGE.to(memory_format=torch.channels_last)),
    "conv_batch_norm": case(*m(nn.Conv2d(4, 6, 3), nn.BatchNorm2d(6), nn.ReLU6()), x=IMAGE),
    "depthwise_3x3": image(nn.Conv2d(4, 4, 3, padding=1, groups=4)),
    "depthwise_7x7": image(nn.Conv2d(4, 4, 7, groups=4)), "depthwise_multiplier": image(nn.Conv2d(4, 8, 3, groups=4)),
    "depthwise_stride": image(nn.Conv2d(4, 4, 3, 2, 1, groups=4)),
    "depthwise_multiplier_8": image(nn.Conv2d(4, 32, 3, padding=1, groups=4)),
    "depthwise_1d": image(nn.Conv1d(12, 12, 5, padding=2, groups=12), rand(2, 12, 40)),
    "conv_1_channel": image(nn.Conv2d(1, 12, 3, 2, 1), rand(2, 1, 9, 8)),
    "conv_1d": image(nn.Conv1d(3, 20, 5, 1, 2), rand(2, 3, 60)), "conv_1d_audio": image(nn.Conv1d(1, 9, 16, 4, 8), rand(1, 1, 300)),
    "conv_1d_dilated": image(nn.Conv1d(3, 8, 3, 1, 4, 4), rand(1, 3, 50)),
    "transposed_conv_2x2": image(nn.ConvTranspose2d(4, 6, 2, 2)), "transposed_conv_3x3": image(nn.ConvTranspose2d(4, 6, 3)),
    "transposed_conv_output_padding": image(nn.ConvTranspose2d(4, 6, 3, 2, 1, 1)),
    "conv_clamp_conv": case(lambda a, b, x: b(a(x).clamp(0, 0.3)), nn.Conv2d(4, 6, 3), nn.Conv2d(6, 4, 3), x=IMAGE),
    "conv_pad_conv": case(lambda a, b, x: b(F.pad(a(x), (1, 2, 3, 0))), nn.Conv2d(4, 6, 3), nn.Conv2d(6, 4, 3), x=IMAGE),
    "max_pool": image(nn.MaxPool2d(2)), "max_pool_padded": image(nn.MaxPool2d(3, 2, 1)),
    "max_pool_dilated": image(nn.MaxPool2d(2, 1, 0, 2)), "max_pool_ceil": image(nn.MaxPool2d(2, 2, 0, ceil_mode=True)),
    "avg_pool": image(nn.AvgPool2d(2)), "avg_pool_padded": image(nn.AvgPool2d(3, 2, 1, count_include_pad=False)),
    "mean_hw": case(lambda x: x.mean((2, 3), keepdim=True), x=IMAGE), "mean_hw_flat": case(lambda x: x.mean((-1, -2)), x=IMAGE),
    "max_hw": case(lambda x: x.max(dim=2), x=IMAGE), "argmax_dim": case(lambda x: torch.max(x, dim=1), x=IMAGE),
    "bilinear": case(lambda x: F.interpolate(x, scale_factor=2.0, mode="bilinear"), x=IMAGE),
    "bilinear_corners": case(lambda x: F.interpolate(x, size=(5, 11), mode="bilinear", align_corners=True), x=IMAGE),
    "cat_2": case(lambda x, y: torch.cat([x, y], 1), x=(V, P)), "cat_3": case(lambda x, y: torch.cat([x, y, x]), x=(V, P)),
    "cat_4": case(lambda x, y: torch.cat([x, y, y, x], -1), x=(V, P)),
    "cat_5": case(lambda x, y: torch.cat([x, y, y, x, y], 1), x=(V, P)),
    "permute": case(lambda x: x.permute(2, 0, 1).exp(), x=B), "permute_4d": case(lambda x: x.permute(0, 3, 1, 2).exp(), x=IMAGE),
    "reshape": case(lambda x: x.exp().reshape(3, 4).exp()), "slice": case(lambda x: x[:, 1:3].exp()),
    "slice_4d": case(lambda x: x[:, 1:3, 2:, :5].exp(), x=IMAGE), "pad": case(lambda x: F.pad(x, (1, 2, 0, 3), value=0.5)),
    "several_outputs": case(lambda x: (x.exp(), (x.exp() + 1).relu())), "chain": case(lambda x: torch.tanh(torch.relu(x * 2 + 1) * x)),
    "clone": case(lambda x: (x * 2).clone()), "expand": case(lambda x, y: x.exp() + y, x=(V, B)),
    "layer_norm": case(*m(nn.LayerNorm(6))), "attention": case(
        lambda q, k, v: torch.bmm((torch.bmm(q, k.transpose(1, 2)) * 0.5).softmax(-1), v),
        x=(rand(2, 5, 4), rand(2, 7, 4, seed=1), rand(2, 7, 3, seed=2))),
    "half_add": case(lambda x: x + x * 0.5, x=V.half()), "half_linear": case(*m(nn.Linear(6, 5).half()), x=V.half()),
    "half_conv": image(nn.Conv2d(4, 6, 3).half(), IMAGE.half()), "half_sigmoid": case(torch.sigmoid, x=V.half()),
    "bfloat16_linear": case(*m(nn.Linear(6, 5).bfloat16()), x=V.bfloat16()),
    "int32_add": case(torch.add, x=(torch.arange(6, dtype=torch.int32), torch.arange(6, dtype=torch.int32) * 3)),
    "dynamic_linear": case(*m(nn.Linear(6, 5), nn.ReLU()), x=LIST[:, :6].contiguous(), dynamic=({0: torch.export.Dim("n", max=9)},),
                           tests=[(rand(2, 6),), (rand(1, 6),)]),
    "dynamic_conv": case(*m(nn.Conv2d(3, 4, 3, padding=1)), x=ONE, dynamic=({2: torch.export.Dim("h", min=4, max=16)},),
                         tests=[(rand(1, 3, 5, 8),), (rand(1, 3, 12, 8),)]),
}
STATIC = {
    "q_linear": case(*m(nn.Linear(64, 19)), x=LIST), "q_linear_relu": case(*m(nn.Linear(64, 19), nn.ReLU()), x=LIST),
    "q_conv": image(nn.Conv2d(4, 6, 3)), "q_conv_relu": case(*m(nn.Conv2d(4, 17, 3, 2, 1), nn.ReLU()), x=IMAGE),
    "q_conv_relu6": case(*m(nn.Conv2d(4, 17, 1), nn.ReLU6()), x=IMAGE), "q_conv_groups": image(nn.Conv2d(4, 6, 3, groups=2)),
    "q_conv_1_channel": image(nn.Conv2d(1, 12, 3, 2, 1), rand(2, 1, 9, 8)), "q_conv_1d": image(nn.Conv1d(3, 20, 5, 1, 2), rand(2, 3, 60)),
    "q_depthwise_multiplier": image(nn.Conv2d(4, 8, 3, groups=4)),
    "q_depthwise_multiplier_8": image(nn.Conv2d(4, 32, 3, padding=1, groups=4)),
    "q_depthwise": image(nn.Conv2d(4, 4, 3, padding=1, groups=4)), "q_conv_per_tensor": image(nn.Conv2d(4, 6, 3), per_tensor=True),
    "q_add": case(torch.add, x=(LIST, LIST * 2)), "q_add_relu": case(lambda x, y: torch.relu(x + y), x=(LIST, LIST.flip(0))),
    "q_mul": case(torch.mul, x=(LIST, LIST.flip(0))),
    "q_sub": case(lambda x, y: q(q(x, 0.03, 5) - q(y, 0.02, -7), 0.04, 1), x=(LIST, LIST.flip(0)), step=0.04),
    "q_sub_broadcast": case(lambda x, y: q(q(x, 0.03, 5) - q(y, 0.02, -7), 0.02, 1), x=(LIST, LIST[:1] * 2), step=0.02),
    "q_cat": case(lambda a, x, y: a(torch.cat([x, y], 1)), nn.Linear(128, 8), x=(LIST, LIST.flip(0))),
    "q_max_pool": case(*m(nn.Conv2d(4, 6, 3), nn.MaxPool2d(2)), x=IMAGE),
    "q_mean": case(lambda a, x: a(x).mean((2, 3), keepdim=True), nn.Conv2d(4, 6, 3), x=IMAGE),
    "q_hardtanh": case(*m(nn.Conv2d(4, 6, 3), nn.Hardtanh(-0.5, 0.5)), x=IMAGE),
    "q_transposed_conv": image(nn.ConvTranspose2d(4, 6, 3, 2, 1, 1)),
    "q_bilinear": case(lambda x: q(F.interpolate(q(x, 0.02, 3), scale_factor=2.0, mode="bilinear"), 0.02, 3), x=IMAGE, step=0.02),
    "q_bilinear_corners": case(lambda x: q(F.interpolate(q(x, 0.02, 3), size=(5, 11), mode="bilinear", align_corners=True), 0.02, 3),
                               x=IMAGE, step=0.02),
    "q_elu": case(lambda x: q(F.elu(q(x, 0.02, 3)), 0.03, -40), step=0.03, configs=["EluConfig"]),
    "q_block": case(lambda a, b, c, x: c(torch.relu(b(torch.relu(a(x)))) + x), nn.Conv2d(4, 8, 1),
                    nn.Conv2d(8, 4, 3, padding=1), nn.Conv2d(4, 5, 1), x=IMAGE),
}
DYNAMIC = {
    "qd8_linear": case(*m(nn.Linear(64, 19)), x=LIST), "qd8_linear_no_bias": case(*m(nn.Linear(64, 33, bias=False)), x=LIST),
    "qd8_linear_relu": case(*m(nn.Linear(64, 19), nn.ReLU()), x=LIST), "qd8_two": case(*m(nn.Linear(64, 32), nn.Linear(32, 7)), x=LIST),
    "qd8_conv": image(nn.Conv2d(4, 6, 3)),
}
FOUR_BITS = {
    "qd4_group": case(*m(nn.Linear(64, 19)), x=LIST, group=32), "qd4_group_64": case(*m(nn.Linear(128, 6)), x=rand(3, 128), group=64),
    "qd4_channel": case(*m(nn.Linear(64, 19)), x=LIST, group=0),
}


def pt2e(module, case, dynamic):
    from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

    config = get_symmetric_quantization_config(is_per_channel=not case.get("per_tensor"), is_dynamic=dynamic)
    graph = torch.export.export(module, case["x"], strict=False).module(check_guards=False)
    prepared = prepare_pt2e(graph, XNNPACKQuantizer().set_global(config))
    with torch.no_grad():
        prepared(*case["x"])
    return convert_pt2e(prepared)


def four_bits(module, group):
    from torchao.quantization import Int8DynamicActivationIntxWeightConfig, quantize_
    from torchao.quantization.granularity import PerAxis, PerGroup

    module = copy.deepcopy(module)
    quantize_(module, Int8DynamicActivationIntxWeightConfig(
        weight_dtype=torch.int4, weight_granularity=PerGroup(group) if group else PerAxis(0)))
    return module


def largest_scale(graph):
    """Step of the coarsest per-tensor quantisation behind which results come out."""
    scales = [n.args[1] for n in graph.graph.nodes if "dequantize_per_tensor" in str(n.target)]
    return float(scales[-1]) if scales else 0.0


def quantised_resize():
    """Lets the exporter write resizes of int8, which the runtime has and the exporter leaves in float."""
    from executorch.backends.xnnpack.operators.node_visitor import _node_visitor_dict
    from executorch.backends.xnnpack.partition.config.generic_node_configs import UpsampleBilinear2dConfig
    from executorch.backends.xnnpack.partition.config.xnnpack_config import ConfigPrecisionType

    Visitor = _node_visitor_dict["aten.upsample_bilinear2d.vec"]
    define = Visitor.define_node

    def define_node(self, node, graph, ids, handle):
        self.define_nodes_tensor_inputs_outputs(node, graph, ids, convert_to_nhwc=True)
        define(self, node, graph, ids, handle)

    Visitor.define_node = define_node
    UpsampleBilinear2dConfig.supported_precision_types = lambda _: list(ConfigPrecisionType)


def build(name, case, kind):
    torch.manual_seed(1)
    module = Wrap(case["f"], *case["modules"]).eval()
    xs, rtol, atol = case["x"], 1e-4, 1e-5
    if kind == "static" and "step" in case:
        rtol, atol = 0.0, case["step"] * 1.001
    elif kind == "static":
        module = pt2e(module, case, False)
        rtol, atol = 0.0, largest_scale(module) * 1.001
    elif kind in ("dynamic", "four"):
        weights = [p.detach().abs().max().item() for p in module.parameters()]
        atol = max(weights) * max((x.max() - x.min()).item() for x in xs) / 255 + 1e-5
        module = pt2e(module, case, True) if kind == "dynamic" else four_bits(module, case["group"])
    if xs[0].dtype in (torch.float16, torch.bfloat16):
        rtol, atol = (2e-3, 2e-3) if xs[0].dtype == torch.float16 else (1.6e-2, 1e-2)
    shapes = case.get("dynamic")
    ep = torch.export.export(module, xs, dynamic_shapes=(shapes,) if shapes else None, strict=False)
    parts = [XnnpackPartitioner(), XnnpackPartitioner(per_op_mode=False)]
    if kind == "dynamic":
        from executorch.backends.xnnpack.partition.config.xnnpack_config import ConfigPrecisionType
        parts = [XnnpackPartitioner(config_precisions=ConfigPrecisionType.DYNAMIC_QUANT, per_op_mode=True), XnnpackPartitioner()]
    else:
        parts = parts[:1]
    if "configs" in case:  # what the partitioner leaves out unless it is asked for
        from executorch.backends.xnnpack.partition.config import generic_node_configs
        from executorch.backends.xnnpack.partition.config import ALL_PARTITIONER_CONFIGS
        asked = [getattr(generic_node_configs, name) for name in case["configs"]]
        parts = [XnnpackPartitioner(configs=ALL_PARTITIONER_CONFIGS + asked)]
    program = to_edge_transform_and_lower(ep, partitioner=parts).to_executorch()
    plan = program.executorch_program.execution_plan[0]
    if not plan.delegates:
        return None
    tests = [xs] + case.get("tests", [])
    cases = []
    for t in tests:
        out = _load_for_executorch_from_buffer(program.buffer).run_method("forward", t)
        cases.append(MethodTestCase(inputs=list(t), expected_outputs=[o.clone() for o in out]))
    bundle = BundledProgram(program, [MethodTestSuite("forward", cases)])
    outside = len(plan.operators)
    return serialize_from_bundled_program_to_flatbuffer(bundle), rtol, atol, outside


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", default="tests/fixtures/xnnpack")
    parser.add_argument("--only", nargs="*")
    args = parser.parse_args()
    out = pathlib.Path(args.out)
    out.mkdir(parents=True, exist_ok=True)
    quantised_resize()
    rows = []
    for kind, cases in (("float", FLOAT), ("static", STATIC), ("dynamic", DYNAMIC), ("four", FOUR_BITS)):
        for name, c in cases.items():
            if args.only and name not in args.only:
                continue
            try:
                with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()), torch.no_grad():
                    made = build(name, c, kind)
            except Exception as e:  # the exporter refuses some; the list shows which
                print(f"{name}: {type(e).__name__}: {str(e).splitlines()[0][:150] if str(e) else ''}", flush=True)
                continue
            if made is None:
                print(f"{name}: nothing is delegated", flush=True)
                continue
            data, rtol, atol, outside = made
            (out / f"{name}.bpte").write_bytes(data)
            rows.append(f"{name}\t{rtol:g}\t{atol:.6g}\t{kind}\t{outside}")
            print(rows[-1], len(data), flush=True)
    if not args.only:
        (out / "cases.tsv").write_text("name\trtol\tatol\tkind\toperators outside\n" + "\n".join(rows) + "\n")


if __name__ == "__main__":
    main()
