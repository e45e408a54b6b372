"""Exports one MobileNetV2 three ways: portable kernels, XNNPACK in fp32, XNNPACK in int8 by PT2E.

    pip install torch==2.13.0 executorch==1.5.1
    python export.py out        writes portable/ xnnpack/ int8/, each with model.pte, etrecord.bin, etdump.etdp

The network is MobileNetV2 with an eighth of its channels and random weights, so that its files stay small; `--full` makes
the one of the paper (width 1.0, 224 x 224, 1000 classes).
"""
import argparse
import pathlib

import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import XNNPACKQuantizer, get_symmetric_quantization_config
from executorch.exir import to_edge_transform_and_lower
from executorch.extension.pybindings.portable_lib import _load_for_executorch_from_buffer
from torch import nn
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

# Expansion, channels, repeats, stride of each stage (Sandler et al. 2018, table 2).
STAGES = [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)]


def channels(count, width):
    return max(4, int(count * width + 2) // 4 * 4)


def conv_norm(inputs, outputs, kernel=1, stride=1, groups=1, act=True):
    layers = [nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False), nn.BatchNorm2d(outputs)]
    return nn.Sequential(*layers, *([nn.ReLU6()] if act else []))


class InvertedResidual(nn.Module):
    def __init__(self, inputs, outputs, stride, expand):
        super().__init__()
        hidden = inputs * expand
        self.residual = stride == 1 and inputs == outputs
        self.expand = conv_norm(inputs, hidden) if expand != 1 else nn.Identity()
        self.depthwise = conv_norm(hidden, hidden, 3, stride, hidden)
        self.project = conv_norm(hidden, outputs, act=False)

    def forward(self, x):
        y = self.project(self.depthwise(self.expand(x)))
        return x + y if self.residual else y


class MobileNetV2(nn.Module):
    def __init__(self, width, classes):
        super().__init__()
        size = channels(32, width)
        layers = [conv_norm(3, size, 3, 2)]
        for expand, count, repeats, stride in STAGES:
            for k in range(repeats):
                layers.append(InvertedResidual(size, channels(count, width), stride if k == 0 else 1, expand))
                size = channels(count, width)
        last = channels(1280, min(width, 1.0))
        self.features = nn.Sequential(*layers, conv_norm(size, last))
        self.classifier = nn.Linear(last, classes)

    def forward(self, image):
        return self.classifier(self.features(image).mean((2, 3)))


def quantised(model, inputs):
    """Static int8: weights per channel, activations calibrated on a few inputs."""
    quantizer = XNNPACKQuantizer().set_global(get_symmetric_quantization_config(is_per_channel=True))
    prepared = prepare_pt2e(torch.export.export(model, inputs).module(check_guards=False), quantizer)
    for _ in range(4):
        prepared(torch.randn_like(inputs[0]))
    return convert_pt2e(prepared)


def write(folder, model, inputs, partitioners, runs=8):
    folder.mkdir(parents=True, exist_ok=True)
    program = to_edge_transform_and_lower(
        torch.export.export(model, inputs), partitioner=partitioners, generate_etrecord=True
    ).to_executorch()
    program.get_etrecord().save(str(folder / "etrecord.bin"))
    (folder / "model.pte").write_bytes(program.buffer)
    module = _load_for_executorch_from_buffer(program.buffer, enable_etdump=True)
    for _ in range(runs):
        module.run_method("forward", inputs)
    module.write_etdump_result_to_file(str(folder / "etdump.etdp"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path, nargs="?", default="out")
    parser.add_argument("--full", action="store_true", help="width 1.0, 224 x 224, 1000 classes")
    options = parser.parse_args()
    width, pixels, classes = (1.0, 224, 1000) if options.full else (0.125, 64, 10)
    torch.manual_seed(0)
    model = MobileNetV2(width, classes)
    with torch.no_grad():
        model(torch.randn(4, 3, pixels, pixels))  # gives the batch norms statistics
        model.eval()
        inputs = (torch.randn(1, 3, pixels, pixels),)
        write(options.folder / "portable", model, inputs, [])
        write(options.folder / "xnnpack", model, inputs, [XnnpackPartitioner()])
        write(options.folder / "int8", quantised(model, inputs), inputs, [XnnpackPartitioner()])


if __name__ == "__main__":
    main()
