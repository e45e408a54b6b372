"""The llama-like network that bench_decoding.py runs on each side: its sizes, and weights that every side makes for itself.

Weights are drawn by name, so that the exporters of different runtimes, in different Pythons, have the same ones.
"""
import zlib

import numpy as np

WORDS, WIDTH, HIDDEN, HEADS, KEY_HEADS, LAYERS, CONTEXT = 8192, 1024, 2816, 16, 4, 12, 512
HEAD = WIDTH // HEADS
EPSILON = 1e-5
GROUP = 32  # weights that share a scale, as in llama.cpp's Q4_0 and Q8_0

# Name in ExecuTorch's llama, name in a GGUF file, rows, columns.
LAYER = (
    ("attention.wq", "attn_q", HEADS * HEAD, WIDTH),
    ("attention.wk", "attn_k", KEY_HEADS * HEAD, WIDTH),
    ("attention.wv", "attn_v", KEY_HEADS * HEAD, WIDTH),
    ("attention.wo", "attn_output", WIDTH, HEADS * HEAD),
    ("feed_forward.w1", "ffn_gate", HIDDEN, WIDTH),
    ("feed_forward.w3", "ffn_up", HIDDEN, WIDTH),
    ("feed_forward.w2", "ffn_down", WIDTH, HIDDEN),
)


def weight(name, rows, columns):
    drawn = np.random.default_rng(zlib.crc32(name.encode()))
    return drawn.standard_normal((rows, columns), dtype=np.float32) * np.float32(columns**-0.5)


def layer_weight(layer, of):
    return weight(f"{layer}.{of[0]}", of[2], of[3])


def linear_weights():
    """How many weights one token meets: all but the embedding."""
    return LAYERS * sum(rows * columns for _, _, rows, columns in LAYER) + WORDS * WIDTH


def prompt(tokens):
    return np.random.default_rng(3).integers(0, WORDS, tokens).astype(np.int64)
