"""Trains a small llama-like model and exports it with its KV cache inside: methods `prefill` and `decode` over one cache.

    pip install torch==2.13.0 executorch==1.5.1 sentencepiece==0.2.3
    python export.py out        writes tokenizer.model (sentencepiece), model.pte, etrecord.bin

Text: `pydoc_data.topics`, the language reference that every Python carries (PSF licence).

    prefill(tokens int64 [1, n], position int64 [1]) -> logits float32 [1, 256]     2 <= n <= 32
    decode(token int64 [1, 1], position int64 [1]) -> logits float32 [1, 256]
"""
import io
import pathlib
import sys

import sentencepiece
import torch
import torch.nn.functional as F
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import ExecutorchBackendConfig, to_edge_transform_and_lower
from executorch.exir.passes import MemoryPlanningPass
from executorch.extension.llm.custom_ops import custom_ops  # noqa: F401  registers llama::custom_sdpa, llama::update_cache
from torch import nn

VOCABULARY, WIDTH, HEADS, LAYERS, HIDDEN, POSITIONS, PREFILL = 256, 32, 4, 2, 96, 128, 32
HEAD = WIDTH // HEADS
FREQUENCIES = 10000 ** (-torch.arange(0, HEAD, 2, dtype=torch.float32) / HEAD)


def rope(x, positions):
    """Rotates pairs of each head by their position: x [1, n, heads, head]."""
    angles = positions.to(torch.float32).reshape(-1, 1, 1) * FREQUENCIES
    a, b = x[..., : HEAD // 2], x[..., HEAD // 2 :]
    cos, sin = angles.cos(), angles.sin()
    return torch.cat((a * cos - b * sin, a * sin + b * cos), -1)


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v, self.out = (nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(4))
        self.register_buffer("k_cache", torch.zeros(1, POSITIONS, HEADS, HEAD))
        self.register_buffer("v_cache", torch.zeros(1, POSITIONS, HEADS, HEAD))

    def forward(self, x, start):
        n = x.shape[1]
        positions = torch.arange(n) + (0 if start is None else start)
        q, k, v = (linear(x).view(1 if start is not None else -1, n, HEADS, HEAD) for linear in (self.q, self.k, self.v))
        q, k = rope(q, positions), rope(k, positions)
        if start is None:  # training
            y = F.scaled_dot_product_attention(*(t.transpose(1, 2) for t in (q, k, v)), is_causal=True).transpose(1, 2)
        else:
            torch.ops.llama.update_cache(k, self.k_cache, start)
            torch.ops.llama.update_cache(v, self.v_cache, start)
            y = torch.ops.llama.custom_sdpa(q, self.k_cache, self.v_cache, start, None, 0.0, True)
        return self.out(y.reshape(-1, n, WIDTH))


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention_norm, self.attention = nn.RMSNorm(WIDTH), Attention()
        self.mlp_norm = nn.RMSNorm(WIDTH)
        self.gate, self.up = nn.Linear(WIDTH, HIDDEN, bias=False), nn.Linear(WIDTH, HIDDEN, bias=False)
        self.down = nn.Linear(HIDDEN, WIDTH, bias=False)

    def forward(self, x, start):
        x = x + self.attention(self.attention_norm(x), start)
        y = self.mlp_norm(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


class Llama(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens = nn.Embedding(VOCABULARY, WIDTH)
        nn.init.normal_(self.tokens.weight, std=0.1)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.norm = nn.RMSNorm(WIDTH)

    def forward(self, tokens, start=None):
        x = self.tokens(tokens)
        for layer in self.layers:
            x = layer(x, start)
        return F.linear(self.norm(x), self.tokens.weight)


class Method(nn.Module):
    """The next token's logits; the cache keeps what was read."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, tokens, position):
        start = position[0].item()
        torch._check(start >= 0)
        torch._check(start <= POSITIONS - PREFILL)
        return self.model(tokens, start)[:, -1]


def text():
    from pydoc_data.topics import topics

    return "\n".join(" ".join(topics[name].split()) for name in sorted(topics))


def train_tokenizer(path):
    model = io.BytesIO()
    lines = iter([text()[i : i + 1000] for i in range(0, len(text()), 1000)])
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=lines, model_writer=model, vocab_size=VOCABULARY, character_coverage=1.0, model_type="bpe",
        byte_fallback=False, normalization_rule_name="identity", minloglevel=2)
    path.write_bytes(model.getvalue())
    return sentencepiece.SentencePieceProcessor(model_file=str(path))


def train(ids, steps=1500, length=64):
    data = torch.tensor(ids)
    model = Llama()
    optimizer = torch.optim.AdamW(model.parameters(), 5e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 8e-3, total_steps=steps)
    for _ in range(steps):
        starts = torch.randint(len(data) - length - 1, (24,))
        batch = torch.stack([data[s : s + length + 1] for s in starts])
        loss = F.cross_entropy(model(batch[:, :-1]).flatten(0, 1), batch[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    print(f"trained on {len(data)} tokens, loss {loss.item():.2f}")
    return model.eval()


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(2)
    torch.set_num_threads(1)
    tokenizer = train_tokenizer(folder / "tokenizer.model")
    method = Method(train(tokenizer.encode(text()))).eval()
    n = torch.export.Dim("n", min=2, max=PREFILL)
    position = torch.zeros(1, dtype=torch.int64)
    with torch.no_grad():
        methods = {
            "prefill": torch.export.export(
                method, (torch.zeros(1, 8, dtype=torch.int64), position), dynamic_shapes=({1: n}, None), strict=False),
            "decode": torch.export.export(method, (torch.zeros(1, 1, dtype=torch.int64), position), strict=False),
        }
    partitioners = {name: [XnnpackPartitioner()] for name in methods}
    edge = to_edge_transform_and_lower(methods, partitioner=partitioners, generate_etrecord=True)
    program = edge.to_executorch(
        ExecutorchBackendConfig(
            memory_planning_pass=MemoryPlanningPass(share_mutable_buffers=True), emit_mutable_buffer_names=True))
    program.get_etrecord().save(str(folder / "etrecord.bin"))
    (folder / "model.pte").write_bytes(program.buffer)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "out"))
