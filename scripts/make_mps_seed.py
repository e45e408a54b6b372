#!/usr/bin/env python3
"""Writes tests/fuzz/corpus/mps/conv: an MPS payload made by the schema of a checkout of ExecuTorch's source.

    make_mps_seed.py CHECKOUT

Its exporter runs on a Mac alone; this is what it would write of convolution, relu, max pooling, mean and a linear layer.
Needs flatc.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

FLOAT32 = "mps_data_type_float32"


def tensor(*dims, constant=0, at=0):
    return {"datatype": FLOAT32, "num_dims": len(dims), "dims": list(dims), "constant_buffer_size": constant, "segment_offset": at}


def node(kind, **fields):
    return {"mpsnode_union_type": kind, "mpsnode_union": fields, "min_max": {"min_value": "-inf", "max_value": "inf"}}


GRAPH = {
    "version": "0",
    "mps_values": [
        tensor(1, 3, 8, 8),  # 0: input
        tensor(4, 3, 3, 3, constant=432), tensor(4, constant=16, at=432),
        tensor(1, 4, 8, 8), tensor(1, 4, 8, 8), tensor(1, 4, 4, 4), tensor(1, 4, 4, 4), tensor(1, 4),
        tensor(2, 4, constant=32, at=448), tensor(2, constant=8, at=480),
        tensor(1, 2),  # 10: output
    ],
    "mps_nodes": [
        node("MPSConv2D", input1_id=0, input2_id=1, input3_id=2, output_id=3, stride_x=1, stride_y=1, dilation_x=1,
             dilation_y=1, groups=1, padding_left=1, padding_right=1, padding_top=1, padding_bottom=1),
        node("MPSReLU", input1_id=3, output_id=4),
        node("MPSMaxPool2DWithIndices", input1_id=4, kernel_height=2, kernel_width=2, stride_height=2, stride_width=2,
             output1_id=5, output2_id=6),
        node("MPSMean", input1_id=5, output_id=7, num_dims=2, dims=[2, 3], keep_dims=False),
        node("MPSAddmm", input1_id=9, input2_id=7, input3_id=8, output_id=10, beta=1.0, alpha=1.0),
    ],
    "input_ids": [0], "output_ids": [10], "constant_ids": [1, 2, 8, 9],
    "graph_type": "mps_graph", "constant_segment": {"offset": 0, "size": 496},
}

if len(sys.argv) != 2:
    sys.exit(__doc__)
with tempfile.TemporaryDirectory() as folder:
    data = pathlib.Path(folder) / "graph.json"
    data.write_text(json.dumps(GRAPH))
    schema = pathlib.Path(sys.argv[1]) / "backends/apple/mps/serialization/schema.fbs"
    subprocess.run(["flatc", "-b", "--no-warnings", "-o", folder, schema, data], check=True)
    graph = next(p for p in pathlib.Path(folder).iterdir() if p.suffix != ".json").read_bytes()
graph += bytes(-(24 + len(graph)) % 16)
constants = bytes(496)
header = bytes(4) + b"MP00" + (24 + len(graph)).to_bytes(8, "little") + len(constants).to_bytes(8, "little")
path = pathlib.Path(__file__).parent.parent / "tests/fuzz/corpus/mps/conv"
path.parent.mkdir(exist_ok=True)
path.write_bytes(header + graph + constants)
