"""An application on ExecuTorch's own runtime: a loop that classifies frames, with a trace of what it does.

    pip install torch==2.13.0 executorch==1.5.1
    python app.py out --frames 12       writes model.pte, etrecord.bin, etdump.etdp

What is special to tracing is marked with (trace); without it this is any application on `executorch.runtime`.
"""
import argparse
import pathlib

import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import to_edge_transform_and_lower
from executorch.runtime import Runtime, Verification
from torch import nn

LABELS = ("dark", "bright")


class Classifier(nn.Module):
    """Tells bright frames from dark ones: brightness, a learned curve, two scores."""

    def __init__(self):
        super().__init__()
        self.blur = nn.Conv2d(3, 4, 5, stride=2, padding=2)
        self.scores = nn.Linear(1, 2)
        nn.init.constant_(self.blur.weight, 1 / 75)
        nn.init.zeros_(self.blur.bias)
        self.scores.weight.data = torch.tensor([[-8.0], [8.0]])
        self.scores.bias.data = torch.tensor([4.0, -4.0])

    def forward(self, frame):
        brightness = self.blur(frame).clamp(0, 1).mean((1, 2, 3)).unsqueeze(1)
        return torch.softmax(self.scores(brightness), -1)


def export(folder):
    model, inputs = Classifier().eval(), (torch.zeros(1, 3, 32, 32),)
    program = to_edge_transform_and_lower(
        torch.export.export(model, inputs), partitioner=[XnnpackPartitioner()],
        generate_etrecord=True,  # (trace) keep the graph
    ).to_executorch()
    program.get_etrecord().save(str(folder / "etrecord.bin"))  # (trace)
    (folder / "model.pte").write_bytes(program.buffer)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path, nargs="?", default="out")
    parser.add_argument("--frames", type=int, default=12)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    export(options.folder)

    program = Runtime.get().load_program(
        options.folder / "model.pte", verification=Verification.Minimal,
        enable_etdump=True,  # (trace)
    )
    method = program.load_method("forward")
    for number in range(options.frames):
        frame = torch.full((1, 3, 32, 32), 0.9 if number % 3 == 0 else 0.2)
        (scores,) = method.execute([frame])
        print(f"frame {number}: {LABELS[int(scores.argmax())]} {float(scores.max()):.2f}")
    program.write_etdump_result_to_file(str(options.folder / "etdump.etdp"), None)  # (trace)


if __name__ == "__main__":
    main()
