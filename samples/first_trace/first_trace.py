"""Exports a small model to ExecuTorch with XNNPACK, runs it with tracing on, and writes what et-inspect reads.

    pip install torch executorch
    python first_trace.py [FOLDER]          writes model.pte, etrecord.bin, etdump.etdp

Take the three numbered pieces into your own script.
"""
import pathlib
import sys

import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import to_edge_transform_and_lower
from executorch.extension.pybindings.portable_lib import _load_for_executorch_from_buffer


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.features = torch.nn.Sequential(
            torch.nn.Conv2d(3, 8, 3, stride=2, padding=1),
            torch.nn.ReLU(),
            torch.nn.Conv2d(8, 16, 3, stride=2, padding=1),
            torch.nn.ReLU(),
        )
        self.head = torch.nn.Linear(16, 10)

    def forward(self, image):
        features = self.features(image).mean((2, 3))
        scores = self.head(features)
        return torch.cumsum(torch.softmax(scores, dim=-1), dim=-1)


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    folder.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(0)
    model = Net().eval()
    inputs = (torch.randn(1, 3, 64, 64),)

    # 1. Lower with an ETRecord: it keeps the graph, the Python lines and how both map to the program.
    program = to_edge_transform_and_lower(
        torch.export.export(model, inputs),
        partitioner=[XnnpackPartitioner()],
        generate_etrecord=True,
    ).to_executorch()

    # 2. Write both.
    program.get_etrecord().save(str(folder / "etrecord.bin"))
    (folder / "model.pte").write_bytes(program.buffer)

    # 3. Run with tracing. The first execution is the cold one; several give statistics.
    module = _load_for_executorch_from_buffer(program.buffer, enable_etdump=True)
    for _ in range(10):
        module.run_method("forward", inputs)
    module.write_etdump_result_to_file(str(folder / "etdump.etdp"))


if __name__ == "__main__":
    main()
