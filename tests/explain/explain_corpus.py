#!/usr/bin/env python3
"""Does et-check --explain find an error that was put in one layer, and does it blame nobody for a wrong expectation?

    explain_corpus.py --et-check build/release/bin/et-check --out FOLDER [--programs 200] [--seed 0]

Needs a Python with torch, executorch and torchao. Makes random small programs in all flows (portable, XNNPACK by
to_edge_transform_and_lower and by to_backend, PT2E int8 with static and with dynamic scales, dynamic shapes; several
outputs, shared weights, a layer called twice), each with an ETRecord and a bundled program. Then one layer is broken and
the program exported again, while record and expectations stay those of the sound model; the layer's path is the truth. A
program whose export is wrong by itself is left out. Kinds of errors:

    weight       one tensor of weights is scaled, negated or has some elements changed
    bias         an offset
    scale        int8: the scale of one layer's weights or activations
    kernel       an operator computes something else (sigmoid instead of tanh)
    expectation  the program is sound, 1 was added to an expected output

Printed: for each flow and kind how many were found (the layer's own node), found in the layer's fused group, blamed on
another layer, refused (no explanation). Exit code 1 below 95 % or with a wrongly blamed expectation.
"""
import argparse
import collections
import copy
import functools
import json
import os
import pathlib
import random
import subprocess
import sys
import warnings
import zipfile

warnings.filterwarnings("ignore")
import torch  # noqa: E402
from torch import nn  # noqa: E402
from torch.export import Dim, export  # noqa: E402
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner  # noqa: E402
from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import (  # noqa: E402
    XNNPACKQuantizer, get_symmetric_quantization_config)
from executorch.devtools import BundledProgram, generate_etrecord  # noqa: E402
from executorch.devtools.bundled_program.config import MethodTestCase, MethodTestSuite  # noqa: E402
from executorch.devtools.bundled_program.serialize import serialize_from_bundled_program_to_flatbuffer  # noqa: E402
from executorch.exir import EdgeCompileConfig, to_edge, to_edge_transform_and_lower  # noqa: E402
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e  # noqa: E402

FLOWS = ["portable", "xnnpack", "to_backend", "int8", "int8_rows", "dynamic", "xnnpack_dynamic"]
INT8 = ("int8", "int8_rows")
ACTIVATIONS = [nn.ReLU, nn.Tanh, nn.Sigmoid, nn.GELU, nn.Hardswish, nn.LeakyReLU, nn.ReLU6, nn.ELU, nn.SiLU,
               nn.Hardtanh]
OTHERS = {nn.Tanh: nn.Sigmoid, nn.Sigmoid: nn.Tanh, nn.GELU: nn.Tanh, nn.ELU: nn.Tanh, nn.LeakyReLU: nn.ReLU,
          nn.ReLU6: nn.Tanh, nn.ReLU: nn.Sigmoid, nn.Hardswish: nn.Tanh, nn.SiLU: nn.Tanh, nn.Hardtanh: nn.Sigmoid}


class Residual(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x):
        return x + self.inner(x)


class Twice(nn.Module):
    """One layer called twice, with an activation between."""

    def __init__(self, inner):
        super().__init__()
        self.inner = inner
        self.between = nn.Tanh()

    def forward(self, x):
        return self.inner(self.between(self.inner(x)))


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.q, self.k, self.v, self.o = (nn.Linear(width, width) for _ in range(4))
        self.heads = heads

    def forward(self, x):
        b, t, w = x.shape
        q, k, v = (f(x).view(b, t, self.heads, w // self.heads).transpose(1, 2) for f in (self.q, self.k, self.v))
        a = torch.softmax(q @ k.transpose(-2, -1) * (w // self.heads) ** -0.5, -1)
        return self.o((a @ v).transpose(1, 2).reshape(b, t, w))


class Image(nn.Module):
    """Convolutions, pools and norms; perhaps several outputs."""

    def __init__(self, rnd):
        super().__init__()
        c = rnd.choice([2, 3, 4])
        self.channels, self.size = c, rnd.choice([9, 12, 16])
        layers = []
        for _ in range(rnd.randint(2, 4)):
            kind = rnd.choice(["conv", "conv", "depthwise", "norm", "twice", "residual", "up"])
            if kind == "conv":
                n = rnd.choice([3, 4, 6])
                layers.append(nn.Conv2d(c, n, rnd.choice([1, 3]), padding=rnd.choice([0, 1]), bias=rnd.random() < 0.7))
                c = n
            elif kind == "depthwise":
                layers.append(nn.Conv2d(c, c, 3, padding=1, groups=c))
            elif kind == "norm":
                layers += [nn.Conv2d(c, c, 3, padding=1), nn.BatchNorm2d(c)]
            elif kind == "twice":
                layers.append(Twice(nn.Conv2d(c, c, 3, padding=1)))
            elif kind == "residual":
                layers.append(Residual(nn.Conv2d(c, c, 3, padding=1)))
            else:
                layers.append(nn.Upsample(scale_factor=2, mode=rnd.choice(["bilinear", "nearest"])))
            layers.append(rnd.choice(ACTIVATIONS)())
            if rnd.random() < 0.3:
                layers.append(rnd.choice([nn.MaxPool2d(2), nn.AvgPool2d(2)]))
        self.body = nn.Sequential(*layers)
        self.head = nn.Linear(c, rnd.choice([3, 5, 7]))
        self.several = rnd.random() < 0.4

    def forward(self, x):
        x = self.body(x)
        y = self.head(x.mean((2, 3)))
        return (y, x, x.amax((2, 3))) if self.several else y

    def inputs(self):
        return (torch.randn(2, self.channels, self.size, self.size),)

    def dynamic(self):
        return {"x": {0: Dim("batch", min=1, max=8)}}


class Sequence(nn.Module):
    """Linear layers, norms and attention on [batch, time, width]."""

    def __init__(self, rnd):
        super().__init__()
        w = rnd.choice([8, 12, 16])
        self.width, self.time = w, rnd.choice([4, 5, 7])
        layers = []
        for _ in range(rnd.randint(2, 4)):
            kind = rnd.choice(["linear", "linear", "norm", "attention", "twice", "residual"])
            if kind == "linear":
                n = rnd.choice([8, 12, 16])
                layers.append(nn.Linear(w, n, bias=rnd.random() < 0.7))
                w = n
            elif kind == "norm":
                layers.append(nn.LayerNorm(w))
            elif kind == "attention":
                layers.append(Attention(w, 2))
            elif kind == "twice":
                layers.append(Twice(nn.Linear(w, w)))
            else:
                layers.append(Residual(nn.Sequential(nn.LayerNorm(w), nn.Linear(w, w))))
            layers.append(rnd.choice(ACTIVATIONS)())
        self.body = nn.Sequential(*layers)
        self.shared = nn.Linear(w, w)
        self.several = rnd.random() < 0.4

    def forward(self, x):
        x = self.body(x)
        a, b = self.shared(x), torch.chunk(x, 2, -1)
        return (a, b[0], b[1]) if self.several else self.shared(torch.tanh(a))

    def inputs(self):
        return (torch.randn(2, self.time, self.width),)

    def dynamic(self):
        return {"x": {0: Dim("batch", min=1, max=8), 1: Dim("time", min=2, max=16)}}


def quantised(model, inputs, rows=False):
    """`rows`: activations are quantised by the program, row by row."""
    config = get_symmetric_quantization_config(is_per_channel=True, is_dynamic=rows)
    quantizer = XNNPACKQuantizer().set_global(config)
    prepared = prepare_pt2e(export(model, inputs, strict=True).module(), quantizer)
    for _ in range(4):
        prepared(*(torch.randn_like(x) for x in inputs))
    prepared(*inputs)
    return convert_pt2e(prepared)


def lowered(program, flow):
    if flow in ("portable", "dynamic"):
        return to_edge(program, compile_config=EdgeCompileConfig(_check_ir_validity=False), generate_etrecord=True)
    if flow == "to_backend":
        edge = to_edge(program, compile_config=EdgeCompileConfig(_check_ir_validity=False))
        kept = copy.deepcopy(edge)
        return kept, edge.to_backend(XnnpackPartitioner())
    return to_edge_transform_and_lower(program, partitioner=[XnnpackPartitioner()], generate_etrecord=True)


def built(program, flow, record=None):
    """The program as ExecuTorch has it; its ETRecord into the file `record`."""
    result = lowered(program, flow)
    edge, result = result if flow == "to_backend" else (None, result)
    done = result.to_executorch()
    if record and edge is not None:
        generate_etrecord(str(record), edge, done)
    elif record:
        done.get_etrecord().save(str(record))
    return done


def bundle(done, path, inputs, expected):
    suite = MethodTestSuite("forward", [MethodTestCase(inputs=list(inputs), expected_outputs=list(expected))])
    path.write_bytes(bytes(serialize_from_bundled_program_to_flatbuffer(BundledProgram(done, [suite]))))


def change_tensor(rnd, t):
    with torch.no_grad():
        how = rnd.choice(["scale", "negate", "some"])
        if how == "scale":
            t.mul_(rnd.choice([0.5, 1.5, 3]))
        elif how == "negate":
            t.neg_()
        else:
            flat = t.view(-1)
            for i in rnd.sample(range(flat.numel()), max(1, flat.numel() // 8)):
                flat[i] += rnd.choice([-1, 1]) * (1 + flat[i].abs())


def broken(rnd, model):
    """(model with one broken layer, its path, kind)."""
    bad = copy.deepcopy(model)
    layers = {n: m for n, m in bad.named_modules() if not list(m.children())}
    kind = rnd.choice(["weight", "weight", "bias", "kernel"])
    if kind == "kernel":
        names = [n for n, m in layers.items() if type(m) in OTHERS]
        if names:
            name = rnd.choice(names)
            parent, _, last = name.rpartition(".")
            setattr(bad.get_submodule(parent), last, OTHERS[type(layers[name])]())
            return bad, name, kind
        kind = "weight"
    if kind == "bias":
        names = [n for n, m in layers.items() if getattr(m, "bias", None) is not None]
        name = rnd.choice(names)
        with torch.no_grad():
            layers[name].bias.add_(rnd.choice([-1, 1]) * rnd.uniform(0.5, 2))
        return bad, name, kind
    name = rnd.choice([n for n, m in layers.items() if getattr(m, "weight", None) is not None])
    change_tensor(rnd, layers[name].weight)
    return bad, name, "weight"


def module_of(node):
    stack = node.meta.get("nn_module_stack") or {}
    return list(stack.values())[-1][0] if stack else ""


def broken_int8(rnd, graph_module):
    """The same of a quantised graph: int8 weights, a bias, or the scale of a weight or an activation."""
    bad = copy.deepcopy(graph_module)
    gemms = [n for n in bad.graph.nodes if n.op == "call_function" and
             any(w in str(n.target) for w in ("conv2d", "linear.default"))]
    node = rnd.choice(gemms)
    dequantised = node.args[1]
    constant = dequantised.args[0] if dequantised.op == "call_function" else dequantised
    kind = rnd.choice(["weight", "bias", "scale"])
    if kind == "bias" and (len(node.args) < 3 or node.args[2] is None):
        kind = "weight"
    at = lambda n: functools.reduce(getattr, n.target.split("."), bad)
    with torch.no_grad():
        if kind == "scale" and dequantised.op == "call_function":
            scales = dequantised.args[1]
            if isinstance(scales, torch.fx.Node):
                at(scales).mul_(rnd.choice([0.25, 3]))
            else:
                dequantised.update_arg(1, scales * rnd.choice([0.25, 3]))
                bad.recompile()
        elif kind == "bias":
            b = node.args[2]
            while b.op != "get_attr":
                b = b.args[0]
            t = at(b)
            t.add_((t.float().abs().mean() * 4 + 1).to(t.dtype))
        else:
            kind = "weight"
            at(constant).neg_()
    return bad, module_of(node), kind


def module_paths(record):
    """Node → paths of its modules, of the edge program."""
    with zipfile.ZipFile(record) as z:
        name = next(n for n in z.namelist() if n.split("/")[-1] == "forward" and "edge_dialect" in n)
        program = json.loads(z.read(name))
    paths = {}
    for node in program["graph_module"]["graph"]["nodes"]:
        stack = node["metadata"].get("nn_module_stack", "")
        last = stack.split(";")[-1].split(",") if stack else []
        paths[node["name"]] = last[1] if len(last) > 1 else ""
    return paths


def plain(path):
    """Module paths as named_modules() has them: exports add 'L__self__' and '@1' for further calls."""
    return path.replace("L['self'].", "").split("@")[0].removeprefix("L__self__").lstrip(".")


def explain(et_check, bundle, record, extra=()):
    r = subprocess.run([et_check, str(bundle), "--explain", "--etrecord", str(record), "--json", *extra],
                       capture_output=True, text=True)
    try:
        report = json.loads(r.stdout)
    except json.JSONDecodeError:
        return "crash", r.stdout + r.stderr
    if not report["explanations"]:
        if any(c["kind"] in ("load", "missing_backend", "missing_operator") for c in report["cases"]):
            return "not run", ""
        return "passes" if report["failed"] == 0 else "refused", json.dumps(report["cases"])[:300]
    return "explained", report["explanations"][0]


def judge(said, e, layer, paths):
    if said != "explained":
        return said
    operator = e.get("operator")
    if not operator:
        return "refused" if e["text"].startswith("no explanation") else "expectation"
    if layer is None:
        return "wrong"
    of = lambda n: plain(paths.get(n, ""))
    hit = lambda n: of(n) == layer or of(n).startswith(layer + ".")
    if e.get("node") and hit(e["node"]):
        return "found"
    return "group" if any(hit(n) for n in e.get("nodes", [])) else "wrong"


def limit_of(flow):
    """Absolute and relative: what int8 differs from eager by is no failure."""
    return 0.05 if flow in INT8 else 1e-4


def one(rnd, flow, folder, et_check):
    """[(flow, kind, verdict, text)] of one program."""
    torch.manual_seed(rnd.randint(0, 1 << 30))
    model = rnd.choice([Image, Sequence] if flow != "int8_rows" else [Sequence])(rnd).eval()
    for m in model.modules():  # otherwise as trained: norms that do something
        if isinstance(m, (nn.BatchNorm2d, nn.LayerNorm)):
            nn.init.uniform_(m.weight, 0.5, 1.5)
            nn.init.uniform_(m.bias, -0.5, 0.5)
        if isinstance(m, nn.BatchNorm2d):
            nn.init.uniform_(m.running_mean, -0.5, 0.5)
            nn.init.uniform_(m.running_var, 0.5, 1.5)
    inputs = model.inputs()
    shapes = model.dynamic() if "dynamic" in flow else None
    if flow in INT8:
        good = quantised(model, inputs, flow == "int8_rows")
        bad, layer, kind = broken_int8(rnd, good)
    else:
        good = model
        bad, layer, kind = broken(rnd, model)
    layer = plain(layer)
    as_list = lambda r: list(r) if isinstance(r, tuple) else [r]
    with torch.no_grad():
        expected, wrong = as_list(good(*inputs)), as_list(bad(*inputs))
    limit = limit_of(flow)
    if max((a - b).abs().max() / (a.abs().max() + 1e-6) for a, b in zip(expected, wrong)) < 1e-2 or not any(
            ((a - b).abs() > 2 * limit * (1 + a.abs())).any() for a, b in zip(expected, wrong)):
        return []  # an error that nobody sees
    extra = ("--atol", str(limit), "--rtol", str(limit))
    sound = built(export(good, inputs, dynamic_shapes=shapes), flow, folder / "etrecord.bin")
    bundle(sound, folder / "good.bpte", inputs, expected)
    if explain(et_check, folder / "good.bpte", folder / "etrecord.bin", extra)[0] != "passes":
        return []  # an export that is wrong by itself: the bias of a layer that is called twice, say
    bundle(built(export(bad, inputs, dynamic_shapes=shapes), flow), folder / "bad.bpte", inputs, expected)
    which = rnd.randrange(len(expected))
    shifted = [e + 1 if i == which else e for i, e in enumerate(expected)]
    bundle(sound, folder / "shifted.bpte", inputs, shifted)
    paths = module_paths(folder / "etrecord.bin")
    rows = []
    for name, of, what in (("bad.bpte", layer, kind), ("shifted.bpte", None, "expectation")):
        said, e = explain(et_check, folder / name, folder / "etrecord.bin", extra)
        verdict = judge(said, e, of, paths)
        if verdict in ("passes", "not run"):
            continue
        (folder / (name + ".json")).write_text(json.dumps({"layer": of, "kind": what, "verdict": verdict, "said": e},
                                                            indent=1))
        rows.append((flow, what, verdict, f"{folder.name}/{name}: {of}: {json.dumps(e)[:400]}"))
    return rows


def table(rows):
    verdicts = ["found", "group", "expectation", "wrong", "refused", "crash"]
    counts = collections.defaultdict(collections.Counter)
    for flow, kind, verdict, _ in rows:
        for key in ((flow, kind), ("all", "errors" if kind != "expectation" else kind)):
            counts[key][verdict] += 1
    lines = ["| flow | error | " + " | ".join(verdicts) + " |", "|---|---|" + "---|" * len(verdicts)]
    for flow, kind in sorted(counts, key=lambda k: (k[0] == "all", k)):
        c = counts[(flow, kind)]
        lines.append(f"| {flow} | {kind} | " + " | ".join(str(c[v]) if c[v] else "" for v in verdicts) + " |")
    return "\n".join(lines), counts


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--et-check", required=True)
    p.add_argument("--out", required=True, type=pathlib.Path, nargs="+", help="several with --again only")
    p.add_argument("--programs", type=int, default=200)
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--flow", choices=FLOWS, action="append")
    p.add_argument("--attempts", type=int, default=6,
                   help="models for each program, until one can be exported, is sound, and shows the error (6)")
    p.add_argument("--again", action="store_true", help="explain the programs that are there, make none")
    a = p.parse_args()
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    torch.set_num_threads(1)
    flows = a.flow or FLOWS
    rows = []
    if a.again:
        sound = {}
        for old in sorted(j for folder in a.out for j in folder.glob("*/*.bpte.json")):
            made, flow = json.loads(old.read_text()), old.parent.name.split("-")[1]
            extra = ("--atol", str(limit_of(flow)), "--rtol", str(limit_of(flow)))
            record = old.parent / "etrecord.bin"
            if old.parent not in sound:
                sound[old.parent] = explain(a.et_check, old.parent / "good.bpte", record, extra)[0] == "passes"
            if not sound[old.parent]:
                continue
            said, e = explain(a.et_check, old.parent / old.name[:-5], record, extra)
            verdict = judge(said, e, made["layer"], module_paths(record))
            if verdict in ("passes", "not run"):
                continue
            rows.append((flow, made["kind"], verdict, f"{old.parent.name}/{old.name}: {made['layer']}: "
                         f"{json.dumps(e)[:400]}"))
    for i in range(0 if a.again else a.programs):
        flow = flows[i % len(flows)]
        folder = a.out[0] / f"{i:04}-{flow}"
        folder.mkdir(parents=True, exist_ok=True)
        new = []
        for attempt in range(a.attempts):
            try:
                new = one(random.Random(a.seed * 1000003 + i + attempt * 500009), flow, folder, a.et_check)
            except Exception as problem:  # a model that upstream cannot export
                print(f"{folder.name}: not exported: {str(problem)[:200]}", file=sys.stderr)
            if new:
                break
        rows += new
        for row in new:
            if row[2] not in ("found", "group") and (row[1], row[2]) != ("expectation", "expectation"):
                print(f"{row[2]}: {row[3]}", file=sys.stderr)
    if a.again:
        for row in rows:
            if row[2] not in ("found", "group") and (row[1], row[2]) != ("expectation", "expectation"):
                print(f"{row[2]}: {row[3]}", file=sys.stderr)
    text, counts = table(rows)
    print(text)
    errors, expectations = counts[("all", "errors")], counts[("all", "expectation")]
    share = (errors["found"] + errors["group"]) / max(1, sum(errors.values()))
    wrong = expectations["wrong"]
    print(f"\nfound at the layer or its group: {share:.1%} of {sum(errors.values())}; "
          f"wrong blame for expectations: {wrong} of {sum(expectations.values())}")
    return 0 if share >= 0.95 and wrong == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
