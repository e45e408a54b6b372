#!/usr/bin/env python3
"""Runs bundled programs with tests/device/bundle_runner under an emulator and counts.

    cross_conformance.py --cases FOLDER [--limit N] [--every N] [--expect-fail FILE] -- COMMAND...

FOLDER holds *.bpte and index.json with the tolerances. The command starts the runner, with cases.txt in the working
folder. A runner that stops in the middle fails the case that it was at; the rest goes on with a fresh one.
The last line is `N passed, N failed`.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile


def tolerances(folder):
    index = folder / "index.json"
    if not index.exists():
        return {}
    return {f["file"]: (f["rtol"], f["atol"]) for f in json.loads(index.read_text()).get("files", [])
            if f.get("rtol") is not None and f.get("atol") is not None}


def run(command, cases, timeout):
    """{case: None or the reason}; every case gets a result."""
    results = {}
    left = list(cases)
    with tempfile.TemporaryDirectory() as scratch:
        while left:
            lines = [" ".join((str(path), *(f"{t!r}" for t in tolerance))) for path, tolerance in left]
            pathlib.Path(scratch, "cases.txt").write_text("\n".join(lines) + "\n")
            try:
                done = subprocess.run(command, cwd=scratch, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                      stderr=subprocess.STDOUT, timeout=timeout)
                output, how = done.stdout, f"exit code {done.returncode}"
            except subprocess.TimeoutExpired as e:
                output, how = e.stdout or b"", f"no end after {timeout} s"
            current, ended, tail = None, False, ""
            for line in output.decode(errors="replace").splitlines():
                word, _, rest = line.partition(" ")
                if word == "BEGIN":
                    current = rest
                elif word in ("PASS", "FAIL") and current is not None:
                    results[current] = None if word == "PASS" else rest[len(current) + 2:]
                    current = None
                elif word == "END":
                    ended = True
                else:
                    tail = line
            if current is not None:
                results[current] = f"the runner broke off ({how}) {tail}"
            before = len(left)
            left = [(p, t) for p, t in left if str(p) not in results]
            if ended or len(left) == before:
                for path, _ in left:
                    results[str(path)] = f"was not run ({how}) {tail}"
                break
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", required=True, type=pathlib.Path)
    parser.add_argument("--every", type=int, default=1, help="take each Nth file of the sorted list")
    parser.add_argument("--timeout", type=float, default=900, help="seconds for one run of the emulator")
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    folder = options.cases.resolve()
    known = tolerances(folder)
    files = sorted(folder.glob("*.bpte"))[::options.every]
    if not files:
        sys.exit(f"cross_conformance: no bundled programs in {folder}")
    results = run(options.command, [(f, known.get(f.name, ())) for f in files], options.timeout)
    failed = {path: why for path, why in results.items() if why is not None}
    for path, why in sorted(failed.items()):
        print(f"FAILED {os.path.basename(path)}: {why}")
    print(f"{len(results) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
