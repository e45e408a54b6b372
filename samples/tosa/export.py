"""An int8 network through Arm's TOSA flow, and the same compiled for an Ethos-U55 by Vela.

    pip install torch==2.13.0 executorch==1.5.1
    pip install --no-deps ethos-u-vela==5.2.0 tosa-tools==2026.8.0 ml_dtypes==0.6.0     # Python 3.11
    python export.py out     writes tosa/ and ethosu/, each with model.pte and etrecord.bin, and input.npy, reference.npy

reference.npy is what Arm's reference model gives for the TOSA graph and input.npy.
"""
import pathlib
import shutil
import sys
import tempfile

import executorch.backends.arm.quantizer as arm
import executorch.kernels.quantized  # noqa: F401  registers the out variants of quantize and dequantize
import numpy as np
import torch
import tosa_reference_model
from executorch.backends.arm.ethosu import EthosUCompileSpec, EthosUPartitioner
from executorch.backends.arm.tosa.compile_spec import TosaCompileSpec
from executorch.backends.arm.tosa.partitioner import TOSAPartitioner
from executorch.backends.arm.tosa.specification import TosaSpecification
from executorch.exir import EdgeCompileConfig, to_edge_transform_and_lower
from torch import nn
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

FLAGS = ["--verbose-performance", "--enable-debug-db"]


class Block(nn.Module):
    """MobileNet's block: depthwise, pointwise, a residual; in front a strided convolution, behind it a classifier."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 16, 3, stride=2, padding=1)
        self.depthwise = nn.Conv2d(16, 16, 3, padding=1, groups=16)
        self.pointwise = nn.Conv2d(16, 16, 1)
        self.classifier = nn.Linear(16, 10)

    def forward(self, image):
        x = torch.relu(self.stem(image))
        x = x + self.pointwise(torch.relu(self.depthwise(x)))
        return self.classifier(x.mean((2, 3)))


def lower(folder, inputs, spec, quantizer, partitioner):
    torch.manual_seed(0)
    quantizer.set_global(arm.get_symmetric_quantization_config())
    prepared = prepare_pt2e(torch.export.export(Block().eval(), inputs).module(check_guards=False), quantizer)
    prepared(*inputs)
    edge = to_edge_transform_and_lower(
        torch.export.export(convert_pt2e(prepared), inputs), partitioner=[partitioner],
        compile_config=EdgeCompileConfig(_check_ir_validity=False), generate_etrecord=True)
    graph = edge.exported_program().graph
    program = edge.to_executorch()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.pte").write_bytes(program.buffer)
    program.get_etrecord().save(str(folder / "etrecord.bin"))
    return graph


def grid(graph, name):
    """Scale and zero point of the node that quantises the input, or takes the output back."""
    node = next(n for n in graph.nodes if f".{name}_per_tensor" in str(n.target))
    return node.args[1], node.args[2]


def main(folder):
    torch.manual_seed(1)
    inputs = (torch.randn(1, 3, 32, 32),)
    with tempfile.TemporaryDirectory() as work, torch.no_grad():
        spec = TosaCompileSpec(TosaSpecification.create_from_string("TOSA-1.0+INT")).dump_intermediate_artifacts_to(work)
        graph = lower(folder / "tosa", inputs, spec, arm.TOSAQuantizer(spec), TOSAPartitioner(spec))
        tosa = next(pathlib.Path(work).glob("*.tosa")).read_bytes()
        (scale, zero), (out_scale, out_zero) = grid(graph, "quantize"), grid(graph, "dequantize")
        image = inputs[0].numpy()
        quantised = np.clip(np.rint(image / np.float32(scale)) + zero, -128, 127).astype(np.int8)
        (result,), _ = tosa_reference_model.run(tosa, [quantised])
        np.save(folder / "input.npy", image)
        np.save(folder / "reference.npy", (result.astype(np.float32) - out_zero) * np.float32(out_scale))
    with tempfile.TemporaryDirectory() as work, torch.no_grad():
        spec = EthosUCompileSpec("ethos-u55-128", extra_flags=FLAGS).dump_intermediate_artifacts_to(work)
        lower(folder / "ethosu", inputs, spec, arm.EthosUQuantizer(spec), EthosUPartitioner(spec))
        shutil.copy(next(pathlib.Path(work).glob("*.tosa")), folder / "ethosu" / "delegate.tosa")
        xml = (pathlib.Path(work) / "output" / "out_debug.xml").read_text().replace(work, ".")
        (folder / "ethosu" / "out_debug.xml").write_text(xml)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "out"))
