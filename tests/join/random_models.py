"""Models composed by chance: sources with a layer on each line, written to a file and loaded like models.py.

The layers are taken from two tables, for images and for rows; each entry says what it writes and what shape comes out.
"""
import importlib.util
import random
from pathlib import Path

HEADER = '''"""Composed by tests/join/random_models.py, seed {seed}."""
import torch
import torch.nn.functional as F
from torch import nn

from model import model
'''


class Writer:
    """A model in the making: its shape, and the lines of __init__ and forward."""

    def __init__(self, rng, shape):
        self.rng, self.shape, self.made, self.lines = rng, list(shape), [], []

    def layer(self, text):
        self.made.append(f"self.m{len(self.made)} = {text}")
        return f"self.m{len(self.made) - 1}"

    def line(self, text, *shape):
        self.lines.append(text)
        if shape:
            self.shape = list(shape)


def conv(w):
    _, c, h, x = w.shape
    out, kernel = w.rng.randint(4, 20), w.rng.choice((1, 3))
    bias = w.rng.choice(("", ", bias=False"))
    call = f"{w.layer(f'nn.Conv2d({c}, {out}, {kernel}{bias})')}(x)"
    w.line("x = " + w.rng.choice(("{}", "torch.relu({})", "F.relu6({})")).format(call), 1, out, h - kernel + 1, x - kernel + 1)


def strided(w):
    _, c, h, x = w.shape
    if min(h, x) > 8:
        out = w.rng.randint(4, 16)
        w.line(f"x = {w.layer(f'nn.Conv2d({c}, {out}, 3, 2)')}(x)", 1, out, (h - 3) // 2 + 1, (x - 3) // 2 + 1)


def depthwise(w):
    _, c, h, x = w.shape
    w.line(f"x = {w.layer(f'nn.Conv2d({c}, {c}, 3, groups={c})')}(x)", 1, c, h - 2, x - 2)


def norm(w):
    w.line(f"x = {w.layer(f'nn.BatchNorm2d({w.shape[1]})')}(x)")


def activation(w):
    name = w.rng.choice(("torch.relu", "torch.sigmoid", "F.hardswish", "F.gelu", "torch.tanh", "F.leaky_relu", "F.silu",
                         "torch.abs", "F.elu", "torch.exp"))
    w.line(f"x = {name}(x)")


def pool(w):
    _, c, h, x = w.shape
    if min(h, x) > 6:
        w.line(f"x = F.{w.rng.choice(('max', 'avg'))}_pool2d(x, 2)", 1, c, h // 2, x // 2)


def cut(w):
    w.line("x = x[:, :, 1:]", *w.shape[:2], w.shape[2] - 1, *w.shape[3:])


def pad(w):
    _, c, h, x = w.shape
    w.line("x = F.pad(x, (1, 2, 0, 1))", 1, c, h + 1, x + 3)


def turn(w):
    w.line("x = x.permute(0, 1, 3, 2)", *w.shape[:2], w.shape[3], w.shape[2])


def residual(w):
    c = w.shape[1]
    w.line(f"y = {w.layer(f'nn.Conv2d({c}, {c}, 3, padding=1)')}(x)")
    w.line(w.rng.choice(("x = x + y", "x = torch.relu(x + y)", "x = x * torch.sigmoid(y)")))


def join(w):
    _, c, h, x = w.shape
    w.line(f"y = {w.layer(f'nn.Conv2d({c}, 5, 1)')}(x)")
    w.line("x = torch.cat([x, y], 1)", 1, c + 5, h, x)


IMAGES = (conv, conv, conv, strided, depthwise, norm, norm, activation, activation, pool, cut, pad, turn, residual, join)


def linear(w):
    n, f = w.shape
    out = w.rng.choice((8, 16, 24, 32, 40, 48, 64))
    bias = w.rng.choice(("", ", bias=False"))
    call = f"{w.layer(f'nn.Linear({f}, {out}{bias})')}(x)"
    w.line("x = " + w.rng.choice(("{}", "{}", "torch.relu({})")).format(call), n, out)


def layer_norm(w):
    w.line(f"x = {w.layer(f'nn.LayerNorm({w.shape[1]})')}(x)")


def narrow(w):
    if w.shape[1] > 5:
        w.line(f"x = x[:, :{w.shape[1] - 1}]", w.shape[0], w.shape[1] - 1)


def scale(w):
    text = w.rng.choice(("x * 0.5", "x + x.mean(1, keepdim=True)", "x - 1.5", "x / (x * x + 1)", "x.softmax(-1)", "x.clamp(-1, 1)"))
    w.line(f"x = {text}")


def product(w):
    n, f = w.shape
    out = w.rng.randint(5, 30)
    w.line(f"x = x @ {w.layer(f'nn.Parameter(torch.randn({f}, {out}))')}", n, out)


def mixed(w):
    n, f = w.shape
    w.line("y = x @ x.t()")
    w.line("y = y.softmax(-1)")
    w.line("x = y @ x")


ROWS = (linear, linear, linear, activation, activation, layer_norm, narrow, scale, scale, product, mixed)


def compose(rng, name):
    if rng.random() < 0.5:
        shape, table = (1, rng.randint(3, 6), rng.randint(24, 32), rng.randint(24, 32)), IMAGES
    else:
        shape, table = (rng.randint(3, 7), rng.choice((16, 24, 32))), ROWS
    w = Writer(rng, shape)
    for _ in range(rng.randint(4, 10)):
        if table is IMAGES and min(w.shape[2:]) < 5:
            break
        rng.choice(table)(w)
    if table is IMAGES and rng.random() < 0.6:
        w.line("x = x.mean((2, 3))", 1, w.shape[1])
        linear(w)
    kinds = '("conv", "random")' if table is IMAGES else '("linear", "random")'
    return "\n".join([f"\n\n@model({tuple(shape)}, kinds={kinds})", f"class {name}(nn.Module):", "    def __init__(self):",
                      "        super().__init__()", *("        " + m for m in w.made), "", "    def forward(self, x):",
                      *("        " + line for line in w.lines), "        return x", ""])


def load(folder: Path, number, seed):
    """Writes the models' source and fills the table with them; returns their names."""
    rng = random.Random(seed)
    names = [f"Random{seed}_{i}" for i in range(number)]
    path = folder / f"random_{seed}_{number}.py"
    folder.mkdir(parents=True, exist_ok=True)
    path.write_text(HEADER.format(seed=seed) + "".join(compose(rng, n) for n in names))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    spec.loader.exec_module(importlib.util.module_from_spec(spec))
    return names
