#!/usr/bin/env python3
"""After adding a kernel: makes its rows of the schema table and its conformance cases.

    add_operator.py aten::hypot.out [--cases 2] [--seed 1] [--replace] [--ops FOLDER]

Run it with a Python that has torch and executorch, once the kernel has its row in runtime/kernels/*/operators.def.
It writes

    bundled_program/reference/schemas.def   the operator's rows (make_operator_schemas.py says what they mean)
    tests/fixtures/ops/NAME__K.bpte         programs that call the operator, with inputs and eager PyTorch's answers
    tests/fixtures/ops/index.json           the manifest: what each file calls, and the tolerance

and leaves everything about other operators as it is. Cases that exist are kept unless --replace is given.
`add_operator.py --check` only compares the manifest with the files and with the kernels' tables; it needs no torch.
"""
import argparse
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))


def read_manifest(folder):
    path = folder / "index.json"
    return json.loads(path.read_text())["files"] if path.exists() else []


def write_manifest(folder, entries):
    entries = sorted(entries, key=lambda e: (e["target"], int(re.search(r"__(\d+)\.", e["file"])[1])))
    lines = ",\n".join(json.dumps(entry) for entry in entries)
    (folder / "index.json").write_text('{"files": [\n' + lines + "\n]}\n")


def check(folder):
    """Problems of the manifest, one a line."""
    entries = read_manifest(folder)
    listed = [entry["file"] for entry in entries]
    there = {path.name for path in folder.glob("*.bpte")}
    tables = "\n".join(path.read_text() for path in ROOT.glob("runtime/kernels/*/operators.def"))
    kernels = set(re.findall(r'^ET_(?:PRIM_)?OPERATOR\("([^"]+)"', tables, re.MULTILINE))
    for name in sorted(set(listed) - there):
        yield f"index.json: {name}: no such file"
    for name in sorted(there - set(listed)):
        yield f"{name}: not in index.json"
    for name in sorted({name for name in listed if listed.count(name) > 1}):
        yield f"index.json: {name}: listed twice"
    for entry in entries:
        if set(entry) != {"file", "target", "args", "rtol", "atol"}:
            yield f"index.json: {entry['file']}: expected file, target, args, rtol and atol, got {', '.join(entry)}"
        elif entry["target"] not in kernels:
            yield f"index.json: {entry['file']}: no kernel {entry['target']}"
        elif not entry["file"].startswith(entry["target"].replace("::", ".") + "__"):
            yield f"index.json: {entry['file']}: expected a name after its operator {entry['target']}"


def add(kernel, count, seed, replace, folder):
    import make_operator_schemas as schemas
    import operator_cases

    if kernel not in schemas.kernels():
        raise SystemExit(f"{kernel}: no kernel of that name: add its row to runtime/kernels/<family>/operators.def first")
    rows, functionals = schemas.schema_rows({kernel})
    if kernel not in functionals:
        raise SystemExit(f"{kernel}: no functional operator that ExecuTorch's export turns into it")
    schemas.write_table(schemas.TABLE, {r for r in schemas.read_table(schemas.TABLE) if r[1] != kernel} | rows)
    for row in sorted(rows):
        print(f"{schemas.TABLE.relative_to(ROOT)}: {row[0]}")

    entries = read_manifest(folder)
    own = [entry for entry in entries if entry["target"] == kernel]
    if own and not replace:
        print(f"{kernel}: {len(own)} cases kept; --replace makes new ones")
        return
    made = list(operator_cases.make_cases(kernel, functionals[kernel], count, seed))
    for entry in own:
        (folder / entry["file"]).unlink()
    entries = [entry for entry in entries if entry["target"] != kernel]
    for number, (entry, data, met) in enumerate(made):
        file = f"{kernel.replace('::', '.')}__{number}.bpte"
        (folder / file).write_bytes(data)
        entries.append({"file": file, **entry})
        upstream = {True: "upstream agrees", False: "upstream differs", None: "upstream cannot run it"}[met]
        print(f"{file}: {entry['args']} (rtol {entry['rtol']:g}, {upstream})")
    write_manifest(folder, entries)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("operator", nargs="?", help="the kernel's name, for example aten::hypot.out")
    parser.add_argument("--cases", type=int, default=2, help="cases to make (default: 2)")
    parser.add_argument("--seed", type=int, default=1, help="the samples follow from it (default: 1)")
    parser.add_argument("--replace", action="store_true", help="replace the operator's cases")
    parser.add_argument("--ops", type=pathlib.Path, default=ROOT / "tests/fixtures/ops", help="folder of the cases")
    parser.add_argument("--check", action="store_true", help="only check the manifest")
    arguments = parser.parse_args()
    if arguments.check:
        problems = list(check(arguments.ops))
        print("\n".join(problems) if problems else f"{len(read_manifest(arguments.ops))} cases, all as index.json says")
        return 1 if problems else 0
    if arguments.operator is None:
        parser.error("expected the name of an operator, or --check")
    add(arguments.operator, arguments.cases, arguments.seed, arguments.replace, arguments.ops)
    return 0


if __name__ == "__main__":
    sys.exit(main())
