#!/usr/bin/env python3
"""Writes tests/fuzz/corpus/vulkan/mlp: the Vulkan payload of two linear layers. Needs torch and executorch."""
import pathlib
import struct

import torch
from executorch.backends.vulkan.partitioner.vulkan_partitioner import VulkanPartitioner
from executorch.exir import to_edge_transform_and_lower


class Mlp(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a = torch.nn.Linear(8, 4)
        self.b = torch.nn.Linear(4, 2)

    def forward(self, x):
        return torch.softmax(self.b(torch.relu(self.a(x))), -1)


exported = torch.export.export(Mlp().eval(), (torch.randn(1, 8),))
program = to_edge_transform_and_lower(exported, partitioner=[VulkanPartitioner()]).to_executorch().buffer
start = program.index(b"VH00") - 4
graph_at, graph_size, data_at, data_size = struct.unpack_from("<IIIQ", program, start + 10)
seed = program[start : start + max(graph_at + graph_size, data_at + data_size)]
path = pathlib.Path(__file__).parent.parent / "tests/fuzz/corpus/vulkan/mlp"
path.write_bytes(seed)
