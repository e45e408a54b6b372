"""Exports z = x + y, the smallest program: `python export.py out` writes add.pte, etrecord.bin and etdump.etdp.

pip install torch==2.13.0 executorch==1.5.1
"""
import pathlib
import sys

import torch
from executorch.exir import to_edge_transform_and_lower
from executorch.extension.pybindings.portable_lib import _load_for_executorch_from_buffer


class Add(torch.nn.Module):
    def forward(self, x, y):
        return x + y


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    inputs = (torch.ones(1), torch.ones(1))
    program = to_edge_transform_and_lower(
        torch.export.export(Add(), inputs), generate_etrecord=True
    ).to_executorch()
    program.get_etrecord().save(str(folder / "etrecord.bin"))
    (folder / "add.pte").write_bytes(program.buffer)

    module = _load_for_executorch_from_buffer(program.buffer, enable_etdump=True)
    for _ in range(5):
        module.run_method("forward", inputs)
    module.write_etdump_result_to_file(str(folder / "etdump.etdp"))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "out"))
