"""Makes tests/fixtures/join: small products of the corpus, one or two of each flow, for join_truth_test.cpp.

    fixtures.py --out tests/fixtures/join

Run it from a copy of this folder in /src, because an ETRecord keeps the paths of the models' sources. Records are without
weights (scripts/slim_etrecord.py). A case is a folder MODEL.FLOW with program.pte, etrecord.bin, RUNTIME.etdp and
RUNTIME.tsv: method, instruction, event, which of its name, lines that are right, lines that were fused into it.
"""
import argparse
import json
import logging
import shutil
import subprocess
import sys
import tempfile
import warnings
import zipfile
from pathlib import Path

warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)

import torch  # noqa: E402

import models  # noqa: F401,E402  fill the table
import networks  # noqa: F401,E402
from flows import FLOWS  # noqa: E402
from generate import OURS, UPSTREAM, make_noted, noted, write_truths  # noqa: E402
from model import MODELS  # noqa: E402

HOME = Path("/src/join")
ITERATIONS = 3
# Flow → models. Demonstration backends run in our runtime alone, whose traces are read beside upstream's for `lower`.
CASES = {
    "portable": "Norms Indexing Scan", "portable_by_function": "Elementwise", "portable_strict": "Cond",
    "portable_lowered": "BatchNormAlone", "manual": "Attention Helpers", "manual_after": "Attention ConvBnRelu",
    "to_backend_flag": "Helpers", "to_backend_exported": "Linear3d",
    "lower": "Attention BatchNormAlone Branches Elementwise Layout UnrolledLstm SeveralMethods Cond CalledTwice",
    "lower_by_function": "Conv2d", "lower_by_function_exported": "Attention", "lower_strict": "Helpers",
    "lower_dynamic_shapes": "Helpers", "portable_dynamic_shapes": "Helpers", "lower_per_op": "Branches", "lower_fp32_only": "Attention",
    "lower_dim_order_skipped": "Layout", "lower_inline": "SharedWeights", "portable_stacktraces": "Helpers", "int8_static": "Attention ConvBnRelu Branches",
    "int8_static_manual": "Conv2d", "int8_static_portable": "SharedWeights", "int8_dynamic": "Attention",
    "int8_dynamic_partitioner": "Attention", "int8_dynamic_per_op": "Helpers", "int4_torchao": "Attention",
    "int4_torchao_manual": "Attention", "renamed": "Elementwise", "reordered": "Branches", "replaced": "ConvBnRelu",
    "folded": "ConvBnRelu", "reordered_lowered": "Branches", "passes_to_executorch": "Branches", "demo_backend": "Matmul",
    "demo_executor": "Helpers",
}
OURS_TOO = {"lower", "demo_backend", "demo_executor"}


def write_tsv(truth, target):
    rows = [(b["method"], e["instruction"], e["name"], e["nth"], " ".join(e["lines"]), " ".join(e["also"]))
            for b in truth["blocks"] for e in b["events"] if e["state"] == "line"]
    target.write_text("".join("\t".join(map(str, r)) + "\n" for r in dict.fromkeys(rows)))


def without_paths(program, record):
    """Both say where torch is installed on this machine; that is nobody's business. In a flatbuffer lengths must stay."""
    site = str(Path(torch.__file__).parent.parent).encode()
    program.write_bytes(program.read_bytes().replace(site, b"/venv".ljust(len(site), b"/")))
    with zipfile.ZipFile(record) as archive:
        members = [(info, archive.read(info)) for info in archive.infolist()]
    with zipfile.ZipFile(record, "w") as archive:
        for info, data in members:
            archive.writestr(info, data.replace(site, b"/venv/lib/python3/site-packages"), compresslevel=9)


def keep(source, target, runtimes, slim):
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    shutil.copy(source / "program.pte", target)
    subprocess.run([sys.executable, slim, source / "etrecord.bin", target / "etrecord.bin"], check=True)
    without_paths(target / "program.pte", target / "etrecord.bin")
    for runtime in runtimes:
        if (source / f"{runtime}.etdp").exists():
            shutil.copy(source / f"{runtime}.etdp", target)
            write_tsv(json.loads((source / f"{runtime}.truth.json").read_text()), target / f"{runtime}.tsv")


def truths(name, flow, folder):
    """The tables of a case that is there."""
    write_truths(MODELS[name], FLOWS[flow], folder, noted(MODELS[name]))
    for found in folder.glob("*.truth.json"):
        write_tsv(json.loads(found.read_text()), folder / found.name.replace(".truth.json", ".tsv"))
        found.unlink()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True)
    parser.add_argument("--et-run", required=True)
    parser.add_argument("--slim", required=True, help="scripts/slim_etrecord.py")
    parser.add_argument("--again", action="store_true", help="only work out the truth of the cases that are there anew")
    parser.add_argument("--only", nargs="*", help="flows")
    args = parser.parse_args()
    if Path(__file__).resolve().parent != HOME and not args.again:
        parser.error(f"expected to run from {HOME}: copy this folder there")
    torch.set_num_threads(1)
    for flow, names in CASES.items():
        for name in names.split() if not args.only or flow in args.only else ():
            target = Path(args.out) / f"{name}.{flow}"
            if args.again:
                if target.exists():
                    truths(name, flow, target)
                continue
            with tempfile.TemporaryDirectory(dir=HOME.parent) as folder:
                print(f"{name}.{flow}: {make_noted(MODELS[name], FLOWS[flow], Path(folder), args.et_run, ITERATIONS)}", flush=True)
                if (Path(folder) / "etrecord.bin").exists():
                    runtimes = (UPSTREAM, OURS) if flow in OURS_TOO else (UPSTREAM,)
                    keep(Path(folder), target, runtimes, args.slim)
    return 0


if __name__ == "__main__":
    sys.exit(main())
