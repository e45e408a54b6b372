"""Lowers a network to the vendor's backend in three ways and bundles test cases.

    pip install torch==2.13.0 executorch==1.5.1
    python export.py out      writes partial/ whole/ composed/ int8/, each with model.pte, model.bpte, etrecord.bin

The network is interpolate, conv, linear + relu, softmax. The backend has neither interpolate nor softmax.
"""
import pathlib
import sys

import torch
import torch.nn.functional as F
from executorch.devtools import BundledProgram
from executorch.devtools.bundled_program.config import MethodTestCase, MethodTestSuite
from executorch.devtools.bundled_program.serialize import serialize_from_bundled_program_to_flatbuffer
from executorch.exir import to_edge, to_edge_transform_and_lower, EdgeCompileConfig
from executorch.exir.backend.backend_api import to_backend
from torch import nn
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

from vendor_lowering import VendorBackend, VendorPartitioner, VendorQuantizer


class Core(nn.Module):
    """What the backend can do as a whole."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, padding=1)
        self.scores = nn.Linear(16, 10)

    def forward(self, image):
        features = self.conv(image)
        return torch.relu(self.scores(features))


class Net(nn.Module):
    def __init__(self, core):
        super().__init__()
        self.core = core

    def forward(self, image):
        enlarged = F.interpolate(image, scale_factor=2.0, mode="nearest")
        return torch.softmax(self.core(enlarged), dim=-1)


def bundled(program, model, cases):
    with torch.no_grad():
        tests = [MethodTestCase(inputs=x, expected_outputs=(model(*x),)) for x in cases]
    suite = MethodTestSuite(method_name="forward", test_cases=tests)
    return serialize_from_bundled_program_to_flatbuffer(BundledProgram(program, [suite]))


def write(folder, edge, model, cases):
    folder.mkdir(parents=True, exist_ok=True)
    program = edge.to_executorch()
    program.get_etrecord().save(str(folder / "etrecord.bin"))
    (folder / "model.pte").write_bytes(program.buffer)
    (folder / "model.bpte").write_bytes(bundled(program, model, cases))


def main(folder):
    torch.manual_seed(0)
    core = Core().eval()
    net = Net(core).eval()
    images = [(torch.randn(1, 3, 8, 8),) for _ in range(2)]
    larger = [(torch.randn(1, 3, 16, 16),) for _ in range(2)]
    config = EdgeCompileConfig(preserve_ops=[torch.ops.aten.linear.default])

    # Partial: the partitioner finds what the backend takes.
    edge = to_edge_transform_and_lower(
        torch.export.export(net, images[0]), partitioner=[VendorPartitioner()], generate_etrecord=True)
    write(folder / "partial", edge, net, images)

    # Whole: a partitioner that meets only what the backend takes.
    edge = to_edge_transform_and_lower(
        torch.export.export(core, larger[0]), partitioner=[VendorPartitioner()], generate_etrecord=True)
    write(folder / "whole", edge, core, larger)

    # Composed: a lowered module inside of a module that is exported again.
    lowered = to_backend(
        VendorBackend.__name__, to_edge(torch.export.export(core, larger[0]), compile_config=config).exported_program(), [])
    edge = to_edge(torch.export.export(Net(lowered), images[0]), generate_etrecord=True)
    write(folder / "composed", edge, net, images)

    # Quantised as the vendor's quantiser says.
    prepared = prepare_pt2e(torch.export.export(net, images[0]).module(check_guards=False), VendorQuantizer())
    for x in images:
        prepared(*x)
    quantised = convert_pt2e(prepared)
    edge = to_edge_transform_and_lower(
        torch.export.export(quantised, images[0]), partitioner=[VendorPartitioner()], generate_etrecord=True)
    write(folder / "int8", edge, quantised, images)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "out"))
