"""A set of layers that nobody has chosen: convolutions, matrix products and pools of all sorts, the same ones for a seed.

Channels, kernels, strides and so on are dealt from shuffled packs, so that each value occurs before one occurs twice. A layer
of dynamic length has one open dimension and is run at several lengths.
"""
import math
import random
import zlib
from dataclasses import dataclass, field

import torch
from torch.export import Dim

MOST_PRODUCTS = 6e7  # of a layer: about a millisecond
LENGTHS = (1, 3, 16, 77, 512)
PACKS = {
    "channels": [*range(1, 18), 20, 24, 27, 32, 40, 48, 64, 65, 80, 96, 128, 160, 192, 256, 258, 320, 384, 512],
    "kernel": range(1, 12),
    "stride": (1, 1, 2, 3, 4, 5),
    "dilation": (1, 1, 2, 3, 4),
    "image": (5, 7, 8, 11, 13, 14, 16, 19, 23, 24, 28, 31, 33, 40, 47, 56, 63),
    "samples": (17, 50, 64, 101, 160, 255, 400, 511),
    "batch": (1, 1, 1, 8),
    "multiplier": (1, 1, 1, 2, 3, 4, 16),
    "groups": (2, 3, 4, 5, 8, 16),
    "rows": (1, 2, 3, 5, 8, 13, 32, 33, 64, 100, 128),
    "shape": ("square", "square", "square", "row", "column"),
    # Ten kinds of a draw of 30; a pack of its own, so that the shares are those of this list.
    "kind": (*["conv2d"] * 9, *["conv1d"] * 4, "conv1d_dynamic", *["depthwise"] * 4, "depthwise_1d", *["grouped"] * 2,
             *["linear"] * 3, "linear_dynamic", "matmul", "matmul_dynamic", *["max_pool"] * 2, "avg_pool"),
}


@dataclass
class Layer:
    name: str
    module: torch.nn.Module
    inputs: tuple
    dynamic: tuple | None = None  # as torch.export takes it, of the inputs in order
    sizes: list = field(default_factory=list)  # what to run it at, each as the bench programs take it; none: as exported


class Dealer:
    """Deals the values of a pack in a shuffled order, again and again."""

    def __init__(self, seed):
        self.random, self.left = random.Random(seed), {}

    def __call__(self, pack):
        if not self.left.get(pack):
            self.left[pack] = list(PACKS[pack])
            self.random.shuffle(self.left[pack])
        return self.left[pack].pop()


class Product(torch.nn.Module):
    def forward(self, a, b):
        return torch.matmul(a, b)


def sizes_text(shapes):
    return ";".join(",".join(map(str, shape)) for shape in shapes)


def dynamic(name, module, shapes, places):
    """A layer whose inputs have -1 where the length goes; `places` says in which dimension of which input."""
    at = lambda n: [[n if d == -1 else d for d in shape] for shape in shapes]
    length = Dim("length", min=1, max=LENGTHS[-1])
    open_dims = tuple({places[i]: length} if i in places else None for i in range(len(shapes)))
    inputs = tuple(torch.randn(shape) for shape in at(LENGTHS[-1]))
    return Layer(name, module, inputs, open_dims, [sizes_text(at(n)) for n in LENGTHS])


def product(deal, kind):
    ins, outs, rows = deal("channels"), deal("channels"), deal("rows")
    if kind == "linear":
        return Layer(f"linear_{rows}x{ins}_{outs}", torch.nn.Linear(ins, outs), (torch.randn(rows, ins),))
    if kind == "linear_dynamic":
        return dynamic(f"linear_dynamic_{ins}_{outs}", torch.nn.Linear(ins, outs), [[-1, ins]], {0: 0})
    heads = deal("batch")
    if kind == "matmul":
        return Layer(f"matmul_{heads}x{rows}x{ins}x{outs}", Product(), (torch.randn(heads, rows, ins), torch.randn(heads, ins, outs)))
    return dynamic(f"matmul_dynamic_{heads}x{ins}x{outs}", Product(), [[heads, -1, ins], [heads, ins, outs]], {0: 1})


def pool(deal, kind):
    channels, batch, kernel, stride = deal("channels"), deal("batch"), max(2, deal("kernel")), deal("stride")
    size = (max(kernel, deal("image")), max(kernel, deal("image")))
    if channels * batch * size[0] * size[1] * kernel**2 > MOST_PRODUCTS / 2:
        batch = 1
    if kind == "max_pool":
        stride = min(stride, kernel)  # XNNPACK's partitioner leaves those that skip pixels alone
    make = torch.nn.MaxPool2d if kind == "max_pool" else torch.nn.AvgPool2d
    padding = kernel // 2 if kind == "max_pool" else 0  # XNNPACK's partitioner takes average pools without
    name = f"{kind}_{channels}_k{kernel}_s{stride}_{size[0]}x{size[1]}_b{batch}"
    return Layer(name, make(kernel, stride, padding), (torch.randn(batch, channels, *size),))


def channels_of(deal, kind):
    """Input and output channels and groups."""
    ins, outs = deal("channels"), deal("channels")
    if kind.startswith("depthwise"):
        multiplier = deal("multiplier")
        return ins, ins * (multiplier if ins * multiplier <= 1024 else 1), ins
    if kind == "grouped":
        groups = deal("groups")
        return groups * max(1, ins // groups), groups * max(1, outs // groups), groups
    return ins, outs, 1


def convolution(deal, kind):
    flat = kind.startswith("conv1d") or kind == "depthwise_1d"
    ins, outs, groups = channels_of(deal, kind)
    kernel, stride, batch = deal("kernel"), deal("stride"), deal("batch")
    dilation = deal("dilation") if stride == 1 else 1
    shape = "square" if flat else deal("shape")
    window = (kernel,) if flat else {"square": (kernel, kernel), "row": (1, kernel), "column": (kernel, 1)}[shape]
    size = (deal("samples"),) if flat else (deal("image"), deal("image"))

    def products():
        return batch * ins // groups * outs * math.prod(window) * math.prod(s / stride for s in size)

    while products() > MOST_PRODUCTS:  # first the batch, then the image, then the channels
        if batch > 1:
            batch = 1
        elif max(size) > 9:
            size = tuple(max(7, s // 2) for s in size)
        else:
            ins, outs = (max(1, ins // 2), max(1, outs // 2)) if groups == 1 else (ins // groups // 2 * groups or groups, outs // groups // 2 * groups or groups)
    padding = tuple(dilation * (k // 2) for k in window)
    make = torch.nn.Conv1d if flat else torch.nn.Conv2d
    module = make(ins, outs, window, stride, padding, dilation, groups)
    at = "x".join(map(str, window))
    if kind == "conv1d_dynamic":  # stride 1, else short lengths have no result
        module = make(ins, outs, window, 1, padding, dilation, groups)
        return dynamic(f"{kind}_{ins}_{outs}_k{at}_d{dilation}", module, [[1, ins, -1]], {0: 2})
    name = f"{kind}_{ins}_{outs}_k{at}_s{stride}_d{dilation}_g{groups}_{'x'.join(map(str, size))}_b{batch}"
    return Layer(name, module, (torch.randn(batch, ins, *size),))


def generated(count, seed):
    """Functions that make the layers, by name: names are cheap, weights are made when asked for."""
    deal, found = Dealer(seed), {}
    while len(found) < count:
        kind = deal("kind")
        make = product if kind.startswith(("linear", "matmul")) else pool if kind.endswith("pool") else convolution
        torch.manual_seed(zlib.crc32(str(len(found)).encode()))
        layer = make(deal, kind)
        found.setdefault(layer.name, layer)
    return found
