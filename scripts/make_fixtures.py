#!/usr/bin/env python3
"""Copies the small cases of a folder of ExecuTorch artefacts into tests/fixtures/artifacts.

    make_fixtures.py ARTIFACTS [--out tests/fixtures/artifacts]

ARTIFACTS has one folder a case, as the exporter scripts beside it (tests/fixtures/artifacts/README.md) write them.
A case is copied whole (dumps, record, program, tensor files and the reference answers of the upstream tools) or, when
it is big, slim: record without weights (slim_etrecord.py), no debug dump, program only when it is small.
"""
import argparse
import hashlib
import json
import pathlib
import shutil
import sys

import slim_etrecord

# Case -> names that are left out because of their size.
WHOLE = {
    "add_mul": (),
    "control_flow_cond": (),
    "control_flow_constants": (),
    "control_flow_map": (),
    "control_flow_scan": (),
    "demo_backend": (),
    "demo_delegate_mapping": (),
    "demo_executor_backend": (),
    "demo_nested": (),
    "dtypes": (),
    "dynamic_shapes_bounded": (),
    "dynamic_shapes_data_dependent": (),
    "dynamic_shapes_unbounded": (),
    "ethosu55_int8": (),
    "external_weights": (),
    "external_weights_xnnpack": (),
    "lstm": ("reference/inspector_debug.json",),
    "lstm_xnnpack": (),
    "many_outputs": (),
    "memory_pools": (),
    "multi_method": (),
    "multi_method_no_forward": (),
    "multi_method_shared_state": (),
    "mutable_buffer": (),
    "partial_delegation": (),
    "quantised_portable": (),
    "scalar_inputs": (),
    "tosa_int8": (),
}
SLIM = ("mobilenet_v2_035_xnnpack_int8", "nanogpt_xnnpack_qd4")
SLIM_PROGRAM_LIMIT = 300_000  # bytes
TOTAL_LIMIT = 8 << 20  # bytes of all fixtures together

INPUTS = ("etdump.etdp", "debug.etdp", "debug.bin", "etrecord.bin", "program.pte")
REFERENCES = (
    "inspector.json",
    "inspector_debug.json",
    "inspector_no_etrecord.json",
    "delegation.json",
    "inspector.tsv",
    "plan.json",
)
SLIM_FILES = ("etdump.etdp", "reference/inspector.json", "reference/inspector_no_etrecord.json",
              "reference/delegation.json", "reference/inspector.tsv")


def copy(source, target):
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    target.chmod(0o644)


def copy_whole(case, out, left_out):
    names = [*INPUTS, *sorted(p.name for p in case.glob("*.ptd")), *(f"reference/{r}" for r in REFERENCES)]
    for name in names:
        if name not in left_out and (case / name).is_file():
            copy(case / name, out / name)


def copy_slim(case, out):
    for name in SLIM_FILES:
        if (case / name).is_file():
            copy(case / name, out / name)
    slim_etrecord.slim(case / "etrecord.bin", out / "etrecord.bin", limit=slim_etrecord.DEFAULT_LIMIT)
    if (case / "program.pte").stat().st_size < SLIM_PROGRAM_LIMIT:
        copy(case / "program.pte", out / "program.pte")
        copy(case / "reference/plan.json", out / "reference/plan.json")


def write_sums(out):
    """SHA256SUMS in the form that `sha256sum -c` reads; returns the bytes of all files."""
    total = 0
    lines = []
    for path in sorted(p for p in out.rglob("*") if p.is_file()):
        name = path.relative_to(out).as_posix()
        if name in ("SHA256SUMS", "README.md"):
            continue
        data = path.read_bytes()
        total += len(data)
        lines.append(f"{hashlib.sha256(data).hexdigest()}  {name}\n")
    (out / "SHA256SUMS").write_text("".join(lines))
    return total


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("artifacts", type=pathlib.Path)
    default = pathlib.Path(__file__).resolve().parent.parent / "tests/fixtures/artifacts"
    parser.add_argument("--out", type=pathlib.Path, default=default)
    args = parser.parse_args()
    missing = [c for c in (*WHOLE, *SLIM, "sources") if not (args.artifacts / c).is_dir()]
    if missing:
        sys.exit(f"make_fixtures: {args.artifacts} lacks the cases {', '.join(missing)}")
    for name in (*WHOLE, *SLIM, "sources"):
        shutil.rmtree(args.out / name, ignore_errors=True)
    for name, left_out in WHOLE.items():
        copy_whole(args.artifacts / name, args.out / name, left_out)
    for name in SLIM:
        copy_slim(args.artifacts / name, args.out / name)
    covers = {}
    for name in (*WHOLE, *SLIM):
        manifest = args.artifacts / name / "MANIFEST.json"
        if manifest.is_file():
            covers[name] = json.loads(manifest.read_text())["covers"]
    table = "".join(f"{name}\t{'slim' if name in SLIM else 'whole'}\t{text}\n" for name, text in sorted(covers.items()))
    (args.out / "CASES.tsv").write_text("case\tform\tcovers\n" + table)
    total = write_sums(args.out)
    print(f"{total} bytes in {args.out}")
    if total > TOTAL_LIMIT:
        sys.exit(f"make_fixtures: the fixtures are over {TOTAL_LIMIT} bytes together")


if __name__ == "__main__":
    main()
