#!/usr/bin/env python3
"""Writes tests/fixtures/explain: small programs whose explanations tests/cli/explain_test.cpp knows.

    make_fixtures.py [FOLDER [NAME...]]

Needs a Python with torch, executorch and torchao. Each folder has an ETRecord of the sound model and bundles:
good.bpte (passes), bad.bpte (one layer is broken: see the test), shifted.bpte (sound, 1 added to an expected output).
"""
import copy
import pathlib
import sys
import zipfile

import torch
from executorch.devtools import BundledProgram
from torch import nn
from torch.export import Dim, export

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from explain_corpus import Attention, built, bundle, quantised  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent / "fixtures/explain"


class Whole(nn.Module):
    """What to_edge_transform_and_lower keeps whole, a buffer that is not saved, derived sizes, a parameter with an
    attribute, two outputs of one shape."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3, padding=1)
        self.pool = nn.MaxPool2d(2)
        self.swish = nn.Hardswish()
        self.slope = nn.PReLU(4)
        self.up = nn.Upsample(scale_factor=2, mode="bilinear")
        self.mix = nn.Conv2d(4, 4, 1)
        self.elu = nn.ELU()
        self.relu = nn.ReLU()
        self.head = nn.Linear(4, 3)
        self.register_buffer("offset", torch.linspace(0, 1, 4)[None, :, None, None], persistent=False)
        self.mix.weight._is_initialized = True

    def forward(self, x):
        x = self.slope(self.swish(self.pool(self.conv(x)))) + self.offset
        x = self.elu(self.mix(self.up(x)))
        y = self.relu(self.head(x.mean((2, 3))))
        return x, y, x * 2


class WithNone(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(4, 3)

    def forward(self, x):
        return self.head(x), None


class Parts(nn.Module):
    """Several delegates; one has a view of the size of what goes into it."""

    def __init__(self):
        super().__init__()
        self.attention, self.last = Attention(8, 2), nn.Linear(8, 8)

    def forward(self, x):
        return self.last(torch.tanh(self.attention(x)))


class Twice(nn.Module):
    """int8: the exporter stores the bias of `inner` as its first call wants it, so that the second one is a bit wrong.
    The silu behind it is a sigmoid and a product, both linked with both nodes."""

    def __init__(self):
        super().__init__()
        self.inner, self.head = nn.Linear(8, 8), nn.Linear(8, 4)

    def forward(self, x):
        return self.head(nn.functional.silu(self.inner(torch.relu(self.inner(x)))))


class Lost(nn.Module):
    """int8: the exporter loses the quantisation of the second product, which is no part of the delegate behind it."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(8, 8), nn.Linear(8, 3)

    def forward(self, x):
        x = self.first(x)
        return self.second(torch.softmax(x @ x.t(), -1) @ x)


class Small(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(2, 4, 3, padding=1), nn.ReLU(), nn.Conv2d(4, 4, 3, padding=1), nn.ReLU())
        self.head = nn.Linear(4, 3)

    def forward(self, x):
        return self.head(self.body(x).mean((2, 3)))


def slim(record):
    """Deflated, without the graph of torch.export, and without the paths of this machine."""
    here = str(pathlib.Path(__file__).resolve().parent.parent.parent) + "/"
    packages = str(pathlib.Path(torch.__file__).parent.parent)
    with zipfile.ZipFile(record) as z:
        members = [(n, z.read(n)) for n in z.namelist() if not n.startswith("exported_program")]
    with zipfile.ZipFile(record, "w", zipfile.ZIP_DEFLATED) as z:
        for name, data in members:
            if name.endswith("/forward"):
                data = data.replace(here.encode(), b"").replace(packages.encode(), b"site-packages")
            z.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED)


def make(folder, good, bad, inputs, flow, shapes=None, shift=1):
    folder.mkdir(parents=True, exist_ok=True)
    expected = [e for e in good(*inputs) if e is not None] if isinstance(good(*inputs), tuple) else [good(*inputs)]
    expected = [e.detach() for e in expected]
    program = lambda m, record=None: built(export(m, inputs, dynamic_shapes=shapes), flow, record)
    sound = program(good, folder / "etrecord.bin")
    bundle(sound, folder / "good.bpte", inputs, expected)
    slim(folder / "etrecord.bin")
    if bad is not None:
        bundle(program(bad), folder / "bad.bpte", inputs, expected)
        bundle(sound, folder / "shifted.bpte", inputs, [e + 1 if i == shift else e for i, e in enumerate(expected)])


def make_whole(root):
    whole = Whole().eval()
    bad = copy.deepcopy(whole)
    with torch.no_grad():
        bad.mix.weight.mul_(1.5)
    h, w = Dim("_h", min=1, max=8), Dim("_w", min=1, max=8)
    make(root / "whole", whole, bad, (torch.randn(1, 1, 6, 8),), "xnnpack", {"x": {2: 2 * h, 3: 2 * w}})


def make_with_none(root):
    # Upstream's own check stops at None; its format does not.
    checked, BundledProgram._assert_valid_bundle = BundledProgram._assert_valid_bundle, lambda *_: None
    make(root / "with_none", WithNone().eval(), None, (torch.randn(1, 4),), "portable")
    BundledProgram._assert_valid_bundle = checked


def make_small(root):
    """fp32 and int8 of one model."""
    inputs = (torch.randn(1, 2, 6, 6),)
    small = Small().eval()
    bad = copy.deepcopy(small)
    with torch.no_grad():
        bad.body[2].weight.neg_()
    make(root / "fp32", small, bad, inputs, "to_backend", shift=0)
    int8 = quantised(small, inputs)
    bad8 = copy.deepcopy(int8)
    second = [n for n in bad8.graph.nodes if "conv2d" in str(n.target)][1]
    with torch.no_grad():
        getattr(bad8, second.args[1].args[0].target).neg_()
    make(root / "int8", int8, bad8, inputs, "int8", shift=0)


def make_parts(root):
    parts = Parts().eval()
    bad = copy.deepcopy(parts)
    with torch.no_grad():
        bad.last.bias.add_(1)
    shapes = {"x": {0: Dim("batch", min=1, max=8), 1: Dim("time", min=2, max=8)}}
    make(root / "parts", parts, bad, (torch.randn(2, 4, 8),), "xnnpack_dynamic", shapes, shift=0)


def make_twice(root):
    inputs = (torch.randn(4, 8),)
    int8 = quantised(Twice().eval(), inputs)
    bad = copy.deepcopy(int8)
    head = [n for n in bad.graph.nodes if "linear" in str(n.target)][2]
    with torch.no_grad():
        getattr(bad, head.args[1].args[0].target).neg_()
    make(root / "twice", int8, bad, inputs, "int8", shift=0)


def make_lost(root):
    inputs = (torch.randn(4, 8),)
    make(root / "lost", quantised(Lost().eval(), inputs), None, inputs, "int8")


def main():
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT
    torch.manual_seed(0)
    for function in (make_whole, make_with_none, make_small, make_parts, make_twice, make_lost):
        if not sys.argv[2:] or function.__name__.removeprefix("make_") in sys.argv[2:]:
            function(root)


if __name__ == "__main__":
    main()
