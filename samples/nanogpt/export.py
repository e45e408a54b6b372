"""Trains a small GPT on Python's own documentation for a minute and exports it four ways.

    pip install torch==2.13.0 executorch==1.5.1
    python export.py out        writes plain/ xnnpack/ mended/ qd8/, each with model.pte, etrecord.bin, etdump.etdp

Text: `pydoc_data.topics`, the language reference that every Python carries (PSF licence). Tokens are ASCII characters: 0 is
a line feed, 1 to 95 are the characters 32 to 126. All programs take int64 [1, n], 1 <= n <= 64, and give the logits of the
next token, float32 [1, 96].
"""
import pathlib
import sys

import torch
import torch.nn.functional as F
from executorch.backends.xnnpack.partition.config.xnnpack_config import ConfigPrecisionType
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import XNNPACKQuantizer, get_symmetric_quantization_config
from executorch.exir import to_edge_transform_and_lower
from executorch.extension.pybindings.portable_lib import _load_for_executorch_from_buffer
from torch import nn
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

CONTEXT, VOCABULARY, WIDTH, HEADS, LAYERS = 64, 96, 32, 4, 2
PROMPT = "The following "


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)

    def forward(self, x):
        b, n, w = x.shape
        q, k, v = (t.view(b, n, HEADS, w // HEADS).transpose(1, 2) for t in self.qkv(x).split(w, 2))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(y.transpose(1, 2).reshape(b, n, w))


class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)
        self.mended = False

    def forward(self, x):
        x = self.up(x)
        if self.mended:
            # The same function by an operator that XNNPACK takes: erf(x) within 1e-3 of tanh(...).
            x = F.gelu(x, approximate="tanh")
        else:
            x = 0.5 * x * (1 + torch.erf(x * 0.5**0.5))
        return self.down(x)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm_1, self.attention = nn.LayerNorm(WIDTH), Attention()
        self.norm_2, self.mlp = nn.LayerNorm(WIDTH), Mlp()

    def forward(self, x):
        x = x + self.attention(self.norm_1(x))
        return x + self.mlp(self.norm_2(x))


class Gpt(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens, self.positions = nn.Embedding(VOCABULARY, WIDTH), nn.Embedding(CONTEXT, WIDTH)
        self.layers = nn.ModuleList(Block() for _ in range(LAYERS))
        self.norm = nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, VOCABULARY, bias=False)

    def hidden(self, ids):
        x = self.tokens(ids) + self.positions(torch.arange(ids.shape[1]))
        for layer in self.layers:
            x = layer(x)
        return self.norm(x)

    def forward(self, ids):
        return self.head(self.hidden(ids)[:, -1])


def encode(text):
    return [0 if c == "\n" else ord(c) - 31 for c in text if c == "\n" or " " <= c <= "~"]


def decode(ids):
    return "".join("\n" if i == 0 else chr(i + 31) for i in ids)


def trained(steps=1500):
    from pydoc_data.topics import topics

    data = torch.tensor(encode("\n".join(" ".join(topics[name].split()) for name in sorted(topics))))
    torch.manual_seed(1)
    model = Gpt()
    optimizer = torch.optim.AdamW(model.parameters(), 3e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 6e-3, total_steps=steps)
    for _ in range(steps):
        starts = torch.randint(len(data) - CONTEXT - 1, (32,))
        batch = torch.stack([data[s : s + CONTEXT + 1] for s in starts])
        logits = model.head(model.hidden(batch[:, :-1]))
        loss = F.cross_entropy(logits.flatten(0, 1), batch[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    print(f"trained on {len(data)} characters, loss {loss.item():.2f}")
    return model.eval()


def shapes():
    return ({1: torch.export.Dim("n", min=2, max=CONTEXT)},)


def quantised(model, inputs):
    """Weights int8 per channel; activations are quantised as they come."""
    config = get_symmetric_quantization_config(is_per_channel=True, is_dynamic=True)
    graph = torch.export.export(model, inputs, dynamic_shapes=shapes()).module(check_guards=False)
    prepared = prepare_pt2e(graph, XNNPACKQuantizer().set_global(config))
    prepared(*inputs)
    return convert_pt2e(prepared)


def write(folder, model, inputs, partitioners):
    folder.mkdir(parents=True, exist_ok=True)
    program = to_edge_transform_and_lower(
        torch.export.export(model, inputs, dynamic_shapes=shapes()), partitioner=partitioners, generate_etrecord=True
    ).to_executorch()
    program.get_etrecord().save(str(folder / "etrecord.bin"))
    (folder / "model.pte").write_bytes(program.buffer)
    # Text from upstream's runtime, a trace of each token.
    module = _load_for_executorch_from_buffer(program.buffer, enable_etdump=True)
    ids = list(inputs[0][0].tolist())
    for _ in range(8):
        (logits,) = module.run_method("forward", (torch.tensor([ids[-CONTEXT:]]),))
        ids.append(int(logits.argmax()))
    module.write_etdump_result_to_file(str(folder / "etdump.etdp"))
    print(f"{folder.name}: {len(program.buffer)} bytes: {decode(ids)!r}")


def main(folder):
    torch.set_num_threads(1)
    model = trained()
    inputs = (torch.tensor([encode(PROMPT)]),)
    with torch.no_grad():
        write(folder / "plain", model, inputs, [])
        write(folder / "xnnpack", model, inputs, [XnnpackPartitioner()])
        for layer in model.layers:
            layer.mlp.mended = True
        write(folder / "mended", model, inputs, [XnnpackPartitioner()])
        dynamic = XnnpackPartitioner(config_precisions=ConfigPrecisionType.DYNAMIC_QUANT, per_op_mode=True)
        write(folder / "qd8", quantised(model, inputs), inputs, [dynamic, XnnpackPartitioner()])


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "out"))
