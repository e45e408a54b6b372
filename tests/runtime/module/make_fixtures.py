"""Exports the programs of tests/fixtures/programs that the tests of Module use.

    python make_fixtures.py tests/fixtures/programs

custom_op: x -> my_ops::scale_add(x, x * 2, 3) with an operator that only the application has.
two_weight_files: a linear layer whose weight and bias are in one tensor file each.
unplanned: x -> x * 2 + 1 whose input and output the application places.
"""

import pathlib
import sys

import torch
from executorch.exir import ExecutorchBackendConfig, to_edge
from executorch.exir.passes import MemoryPlanningPass

library = torch.library.Library("my_ops", "DEF")
library.define("scale_add(Tensor a, Tensor b, int times) -> Tensor")
library.define("scale_add.out(Tensor a, Tensor b, int times, *, Tensor(a!) out) -> Tensor(a!)")


@torch.library.impl(library, "scale_add", "CompositeExplicitAutograd")
def scale_add(a, b, times):
    return a + b * times


@torch.library.impl(library, "scale_add.out", "CompositeExplicitAutograd")
def scale_add_out(a, b, times, *, out):
    return out.copy_(a + b * times)


class Custom(torch.nn.Module):
    def forward(self, x):
        return torch.ops.my_ops.scale_add.default(x, x * 2, 3)


class Linear(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(3, 2)
        with torch.no_grad():
            self.linear.weight.copy_(torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]))
            self.linear.bias.copy_(torch.tensor([0.5, -0.5]))

    def forward(self, x):
        return self.linear(x)


class Affine(torch.nn.Module):
    def forward(self, x):
        return x * 2 + 1


def export(model, example, folder, **config):
    edge = to_edge(torch.export.export(model.eval(), example))
    program = edge.to_executorch(ExecutorchBackendConfig(**config))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "program.pte").write_bytes(program.buffer)
    program.write_tensor_data_to_file(str(folder))
    print(folder.name, sorted(p.name for p in folder.iterdir()))


def main(root):
    export(Custom(), (torch.ones(2, 2),), root / "custom_op")
    export(
        Linear(),
        (torch.ones(1, 3),),
        root / "two_weight_files",
        external_constants=lambda node: "bias" if "bias" in node.name else "weight",
    )
    export(
        Affine(),
        (torch.ones(2, 2),),
        root / "unplanned",
        memory_planning_pass=MemoryPlanningPass(alloc_graph_input=False, alloc_graph_output=False),
    )


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
