"""Trains a very small GPT on a few sentences and exports it as the host program expects it.

    python make_model.py OUTPUT_FOLDER

writes nanogpt.pte (tokens int64 [1, n] -> logits float32 [1, 1, vocabulary]), vocab.json in GPT-2's form, and
continuation.txt: what greedy sampling in PyTorch gives for the prompt in prompt.txt. Needs torch and executorch.
"""

import json
import pathlib
import re
import sys

import torch
from executorch.exir import to_edge
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel

TEXT = (
    "A trace shows where the time of a run goes. First the loader maps the program, then the planner places every"
    " tensor, and at last the kernels run one by one. A slow kernel is easy to find, a slow copy is not. So look at the"
    " copies, count the bytes, and only then change the model."
)
PROMPT = "First the loader"
STEPS = 30
MOST_TOKENS = 64


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm_1, self.norm_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)

    def forward(self, x):
        b, n, w = x.shape
        q, k, v = (t.view(b, n, self.heads, w // self.heads).transpose(1, 2) for t in self.qkv(self.norm_1(x)).split(w, 2))
        y = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(y.transpose(1, 2).reshape(b, n, w))
        return x + self.down(nn.functional.gelu(self.up(self.norm_2(x)), approximate="tanh"))


class Gpt(nn.Module):
    def __init__(self, vocabulary, width=32):
        super().__init__()
        self.tokens, self.positions = nn.Embedding(vocabulary, width), nn.Embedding(MOST_TOKENS, width)
        self.block = Block(width, 2)
        self.norm = nn.LayerNorm(width)

    def hidden(self, ids):
        x = self.tokens(ids) + self.positions(torch.arange(ids.shape[1]))
        return self.norm(self.block(x))

    def forward(self, ids):
        return self.hidden(ids)[:, [-1], :] @ self.tokens.weight.t()


def words(text):
    return re.findall(r" ?[A-Za-z]+|[^A-Za-z]", text)


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(1)
    torch.set_num_threads(1)
    stream = words(TEXT) + [" "]
    vocabulary = sorted(set(stream) | {" " + w for w in words("A")} | {"First"})
    number = {w: i for i, w in enumerate(vocabulary)}
    ids = torch.tensor([[number[w] for w in stream * 2]])
    model = Gpt(len(vocabulary))
    optimizer = torch.optim.Adam(model.parameters(), 3e-3)
    for _ in range(400):
        start = torch.randint(len(stream), (8,))
        batch = torch.stack([ids[0, s : s + MOST_TOKENS // 2 + 1] for s in start])
        logits = model.hidden(batch[:, :-1]) @ model.tokens.weight.t()
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), batch[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()

    tokens = [number[w] for w in words(PROMPT)]
    out = []
    with torch.no_grad():
        for _ in range(STEPS):
            logits = model(torch.tensor([tokens]))[0, -1]
            best = torch.topk(logits, 2).values
            assert best[0] - best[1] > 0.05, "a continuation that rounding could change"
            out.append(int(logits.argmax()))
            tokens.append(out[-1])
    example = (torch.zeros(1, 8, dtype=torch.int64),)
    shapes = ({1: torch.export.Dim("n", min=2, max=MOST_TOKENS)},)
    with sdpa_kernel([SDPBackend.MATH]), torch.no_grad():
        program = to_edge(torch.export.export(model, example, dynamic_shapes=shapes)).to_executorch()
    (folder / "nanogpt.pte").write_bytes(program.buffer)
    (folder / "vocab.json").write_text(
        json.dumps({w.replace(" ", "\u0120"): i for w, i in number.items()}, separators=(", ", ":")) + "\n"
    )
    (folder / "prompt.txt").write_text(PROMPT + "\n")
    (folder / "continuation.txt").write_text("".join(vocabulary[i] for i in out) + "\n")
    print(f"loss {loss.item():.3f}, {len(vocabulary)} tokens, {len(program.buffer)} bytes: {''.join(vocabulary[i] for i in out)}")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
