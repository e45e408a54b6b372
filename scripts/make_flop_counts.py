#!/usr/bin/env python3
"""Writes tests/fixtures/work/flops.tsv: calls of operators with the operations that torch.utils.flop_counter counts.

Columns: operator; tensors among the arguments as name=[shape], between semicolons; shapes of the results; other
arguments as name=value; operations. Needs torch; seeded, so that it writes the same again.
"""
import pathlib
import random

import torch
from torch.utils.flop_counter import FlopCounterMode

aten = torch.ops.aten
dice = random.Random(19)


def dims(count, low=1, high=24):
    return [dice.randint(low, high) for _ in range(count)]


def shapes(tensors):
    return "; ".join(f"{name}={list(t.shape)}" for name, t in tensors.items())


def line(op, tensors, call, **arguments):
    with FlopCounterMode(display=False) as counter:
        result = call()
    results = result if isinstance(result, (tuple, list)) else (result,)
    out = "; ".join(str(list(r.shape)) for r in results if isinstance(r, torch.Tensor))
    text = "; ".join(f"{name}={value}" for name, value in arguments.items())
    return "\t".join([op, shapes(tensors), out, text, str(counter.get_total_flops())])


def products():
    for _ in range(6):
        m, k, n, b = dims(4)
        a, w, bias = torch.ones(m, k), torch.ones(k, n), torch.ones(n)
        yield line("aten.mm.default", {"self": a, "mat2": w}, lambda: a @ w)
        yield line("aten.addmm.default", {"self": bias, "mat1": a, "mat2": w}, lambda: torch.addmm(bias, a, w))
        x, y, z = torch.ones(b, m, k), torch.ones(b, k, n), torch.ones(b, m, n)
        yield line("aten.bmm.default", {"self": x, "mat2": y}, lambda: torch.bmm(x, y))
        yield line("aten.baddbmm.default", {"self": z, "batch1": x, "batch2": y}, lambda: torch.baddbmm(z, x, y))
        wt = w.t().contiguous()
        yield line("aten.linear.default", {"input": x, "weight": wt, "bias": bias},
                   lambda: torch.nn.functional.linear(x, wt, bias))


def convolutions():
    for rank in (1, 2, 3):
        for transposed in (False, True):
            for _ in range(5):
                groups = dice.choice([1, 1, 2, 3])
                cin, cout = groups * dice.randint(1, 6), groups * dice.randint(1, 6)
                kernel, stride, padding = dims(rank, 1, 3), dims(rank, 1, 2), dims(rank, 0, 1)
                x = torch.ones(dice.randint(1, 3), cin, *dims(rank, 5, 9))
                w = torch.ones(*((cin, cout // groups) if transposed else (cout, cin // groups)), *kernel)
                bias = torch.ones(cout)
                yield line("aten.convolution.default", {"input": x, "weight": w, "bias": bias},
                           lambda: aten.convolution.default(x, w, bias, stride, padding, [1] * rank, transposed,
                                                            [0] * rank, groups),
                           stride=stride, padding=padding, transposed=transposed, groups=groups)


def attentions():
    for _ in range(4):
        b, h, s, t, d = dims(5, 1, 16)
        q, k, v = torch.ones(b, h, s, d), torch.ones(b, h, t, d), torch.ones(b, h, t, d)
        with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
            yield line("scaled_dot_product_attention.default", {"query": q, "key": k, "value": v},
                       lambda: torch.nn.functional.scaled_dot_product_attention(q, k, v))


def main():
    path = pathlib.Path(__file__).resolve().parent.parent / "tests/fixtures/work/flops.tsv"
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [*products(), *convolutions(), *attentions()]
    path.write_text(f"# torch.utils.flop_counter of torch {torch.__version__.split('+')[0]}; scripts/make_flop_counts.py\n" +
                    "\n".join(rows) + "\n")


if __name__ == "__main__":
    main()
