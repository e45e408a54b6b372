#!/usr/bin/env python3
"""Writes a program of the size of GPT-2 (124 million float32 weights, 0.5 GB), with random weights.

usage: make_large.py PROGRAM.pte [LAYERS]      in a Python that has executorch; needs some 4 GB of memory
"""
import sys

import torch
from executorch.exir import EdgeCompileConfig, to_edge
from torch import nn
from torch.nn import functional as F

WIDTH, HEADS, WORDS, CONTEXT = 768, 12, 50257, 1024
TOKENS = 16  # of the exported input


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.second_norm = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.attention, self.projection = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x, mask):
        q, k, v = (t.view(1, TOKENS, HEADS, -1).transpose(1, 2) for t in self.attention(self.norm(x)).chunk(3, -1))
        scores = q @ k.transpose(2, 3) / (WIDTH // HEADS) ** 0.5 + mask
        x = x + self.projection((scores.softmax(-1) @ v).transpose(1, 2).reshape(1, TOKENS, WIDTH))
        return x + self.down(F.gelu(self.up(self.second_norm(x)), approximate="tanh"))


class Gpt(nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.words, self.places = nn.Embedding(WORDS, WIDTH), nn.Embedding(CONTEXT, WIDTH)
        self.blocks, self.norm = nn.ModuleList(Block() for _ in range(layers)), nn.LayerNorm(WIDTH)
        self.register_buffer("mask", torch.full((TOKENS, TOKENS), -1e9).triu(1))
        self.register_buffer("order", torch.arange(TOKENS))

    def forward(self, tokens):
        x = self.words(tokens) + self.places(self.order)
        for block in self.blocks:
            x = block(x, self.mask)
        return F.linear(self.norm(x), self.words.weight)


def main():
    layers = int(sys.argv[2]) if len(sys.argv) > 2 else 12
    torch.manual_seed(1)
    model = Gpt(layers).eval()
    program = torch.export.export(model, (torch.zeros(1, TOKENS, dtype=torch.int64),), strict=True)
    keep = [torch.ops.aten.linear.default]
    edge = to_edge(program, compile_config=EdgeCompileConfig(_check_ir_validity=False, preserve_ops=keep))
    with open(sys.argv[1], "wb") as file:
        edge.to_executorch().write_to_file(file)


if __name__ == "__main__":
    main()
