"""The model of docs/tutorial.md: a small image classifier, before and after its bottleneck is mended.

    pip install torch==2.13.0 executorch==1.5.1
    python export.py out        writes before/ and after/, each with model.pte, model.bpte, etrecord.bin, etdump.etdp
"""
import pathlib
import sys

import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.devtools import BundledProgram
from executorch.devtools.bundled_program.config import MethodTestCase, MethodTestSuite
from executorch.devtools.bundled_program.serialize import serialize_from_bundled_program_to_flatbuffer
from executorch.exir import to_edge_transform_and_lower
from executorch.extension.pybindings.portable_lib import _load_for_executorch_from_buffer
from torch import nn


class HandWrittenSwish(nn.Module):
    def forward(self, x):
        return torch.where(x < -3, torch.zeros_like(x), torch.where(x > 3, x, x * (x + 3) / 6))


class Net(nn.Module):
    def __init__(self, activation):
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 3, stride=2, padding=1)
        self.body = nn.Conv2d(8, 16, 3, stride=2, padding=1)
        self.head = nn.Linear(16, 10)
        self.activation = activation

    def forward(self, image):
        x = self.activation(self.stem(image))
        x = self.activation(self.body(x))
        return self.head(x.mean((2, 3), keepdim=True).flatten(1))


def write(folder, model, images):
    folder.mkdir(parents=True, exist_ok=True)
    # 1. Lower with an ETRecord: it keeps the graph, the Python lines and how both map to the program.
    program = to_edge_transform_and_lower(
        torch.export.export(model, images[0]), partitioner=[XnnpackPartitioner()], generate_etrecord=True
    ).to_executorch()
    program.get_etrecord().save(str(folder / "etrecord.bin"))
    (folder / "model.pte").write_bytes(program.buffer)

    # 2. Run with tracing. The first execution is the cold one; twenty more give medians that can be relied on.
    module = _load_for_executorch_from_buffer(program.buffer, enable_etdump=True)
    for _ in range(21):
        module.run_method("forward", images[0])
    module.write_etdump_result_to_file(str(folder / "etdump.etdp"))

    # 3. Keep inputs and PyTorch's answers beside the program.
    with torch.no_grad():
        cases = [MethodTestCase(inputs=x, expected_outputs=(model(*x),)) for x in images]
    bundle = BundledProgram(program, [MethodTestSuite(method_name="forward", test_cases=cases)])
    (folder / "model.bpte").write_bytes(serialize_from_bundled_program_to_flatbuffer(bundle))


def main(folder):
    torch.manual_seed(0)
    model = Net(HandWrittenSwish()).eval()
    images = [(torch.randn(1, 3, 64, 64),) for _ in range(2)]
    write(folder / "before", model, images)
    model.activation = nn.Hardswish()  # the same function, as an operator that XNNPACK has
    write(folder / "after", model, images)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "out"))
