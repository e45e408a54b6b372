"""Exports a model that calls an operator of its own: `python export.py out` writes model.pte, etrecord.bin, expected.txt.

pip install torch==2.13.0 executorch==1.5.1

schema.txt has the operator's schema; Python registers it from there, and the C++ build takes its name from there.
"""
import pathlib
import sys

import torch
from executorch.exir import to_edge_transform_and_lower

FUNCTIONAL, OUT = (pathlib.Path(__file__).parent / "schema.txt").read_text().split("\n")[:2]
LIBRARY = torch.library.Library(FUNCTIONAL.split("::")[0], "DEF")
LIBRARY.define(FUNCTIONAL.split("::")[1])
LIBRARY.define(OUT.split("::")[1])


def smooth(x, decay):
    """y[t] = decay * y[t - 1] + (1 - decay) * x[t] along the last dimension, y[-1] = 0."""
    y, last = torch.empty_like(x), torch.zeros_like(x[..., 0])
    for t in range(x.shape[-1]):
        last = decay * last + (1 - decay) * x[..., t]
        y[..., t] = last
    return y


def smooth_out(x, decay, *, out):
    return out.copy_(smooth(x, decay))


LIBRARY.impl("smooth", smooth, "CompositeExplicitAutograd")
LIBRARY.impl("smooth.out", smooth_out, "CompositeExplicitAutograd")
torch.library.register_fake("sample::smooth", lambda x, decay: torch.empty_like(x), lib=LIBRARY)


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.mix = torch.nn.Linear(16, 8)

    def forward(self, signal):
        return torch.ops.sample.smooth(self.mix(signal), 0.75).tanh()


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(0)
    model = Model().eval()
    inputs = (torch.randn(4, 16),)
    program = to_edge_transform_and_lower(torch.export.export(model, inputs), generate_etrecord=True).to_executorch()
    program.get_etrecord().save(str(folder / "etrecord.bin"))
    (folder / "model.pte").write_bytes(program.buffer)
    with torch.no_grad():  # what the host must print for an input of ones
        rows = model(torch.ones(4, 16)).tolist()
    (folder / "expected.txt").write_text("".join(" ".join(f"{v:.4f}" for v in row) + "\n" for row in rows))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "out"))
