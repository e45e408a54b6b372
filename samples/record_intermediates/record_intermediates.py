"""Records what each node of a model gives in eager PyTorch: the good side of `et-inspect gap`.

    pip install torch executorch
    python record_intermediates.py [FOLDER]     writes model.pte, etrecord.bin, input.npy, eager.npz

Take record() into your own script. It runs the edge program, whose nodes are those of the ETRecord, one after the
other; an array is named by its node, the second result of a node NODE.1.
"""
import pathlib
import sys

import numpy
import torch
from executorch.exir import to_edge, to_edge_transform_and_lower


def array_of(tensor):
    tensor = tensor.detach().cpu()
    # NumPy has no bfloat16; float32 holds all of its values.
    return (tensor.float() if tensor.dtype == torch.bfloat16 else tensor).contiguous().numpy()


class Recorder(torch.fx.Interpreter):
    def __init__(self, graph_module):
        super().__init__(graph_module)
        self.arrays = {}

    def run_node(self, node):
        value = super().run_node(node)
        if node.op == "call_function" and "getitem" not in node.name:
            for i, part in enumerate(value if isinstance(value, (tuple, list)) else [value]):
                if isinstance(part, torch.Tensor):
                    self.arrays[node.name + (f".{i}" if i else "")] = array_of(part)
        return value


def record(edge_program, inputs, path):
    """`edge_program`: an ExportedProgram in the edge dialect, before it is lowered to a delegate."""
    recorder = Recorder(edge_program.graph_module)
    with torch.no_grad():
        recorder.run(*edge_program._graph_module_flat_inputs(inputs, {}))
    numpy.savez(path, **recorder.arrays)


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(16, 32)
        self.last = torch.nn.Linear(32, 4)

    def forward(self, x):
        values, _ = torch.topk(torch.relu(self.first(x)), 8)
        return torch.softmax(self.last(torch.cat([values] * 4, dim=1)), dim=-1)


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    folder.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(0)
    model = Net().eval()
    inputs = (torch.randn(2, 16),)
    exported = torch.export.export(model, inputs)

    lowered = to_edge_transform_and_lower(exported, generate_etrecord=True).to_executorch()
    lowered.get_etrecord().save(str(folder / "etrecord.bin"))
    (folder / "model.pte").write_bytes(lowered.buffer)
    numpy.save(folder / "input.npy", inputs[0].numpy())

    record(to_edge(exported).exported_program(), inputs, folder / "eager.npz")


if __name__ == "__main__":
    main()
