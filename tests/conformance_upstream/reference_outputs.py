#!/usr/bin/env python3
"""Runs programs with et-run and compares their outputs with reference/outputs.npz, within reference/tolerance.json.

    reference_outputs.py --et-run build/release/bin/et-run ARTIFACTS [CASE ...]

ARTIFACTS has a folder a case: program.pte, *.ptd, reference/. Where the file gives a tolerance against upstream's outputs
(quantised programs, which eager mode rounds otherwise), those are what is compared; where it says that one activation
lies on a rounding tie, the rows in front of it keep the tolerance, those behind get its effect. Needs numpy.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np


def within(got, want, rule):
    return np.abs(got.astype(np.float64) - want) <= rule["atol"] + rule.get("rtol", 0.0) * np.abs(want)


def judge(got, expected, upstream, rule):
    """True when it passes, and the largest difference."""
    against = rule.get("against_upstream")
    want, rule = (upstream, against) if against else (expected, rule)
    if got.shape != want.shape:
        return False, float("inf")
    ok = within(got, want, rule)
    if "atol_after_a_flip" in rule:
        rows = ok.reshape(-1, ok.shape[-1]).all(axis=1)
        first = rule["leading_rows_within_atol"]
        behind = within(got, want, {"atol": rule["atol_after_a_flip"]})
        passed = rows[:first].all() and behind.all()
    else:
        passed = ok.all()
    worst = np.abs(got.astype(np.float64) - want).max() if got.size else 0.0
    return bool(passed), float(worst)


def run_case(et_run, case):
    arrays = np.load(case / "reference/outputs.npz")
    rules = json.loads((case / "reference/tolerance.json").read_text())["tolerance"]
    failed = 0
    for method, test in sorted({tuple(k.split("__")[:2]) for k in arrays.files}):
        with tempfile.TemporaryDirectory() as folder:
            command = [et_run, str(case / "program.pte"), "-m", method, "-q", "-o", f"{folder}/out.npy"]
            for i in range(sum(k.startswith(f"{method}__{test}__in__") for k in arrays.files)):
                np.save(f"{folder}/in{i}.npy", arrays[f"{method}__{test}__in__{i}"])
                command += ["-i", f"{folder}/in{i}.npy"]
            for weights in case.glob("*.ptd"):
                command += ["-d", str(weights)]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode:
                print(f"{case.name}\t{method}\t{test}\tfailed: {done.stderr.strip()[-300:]}")
                failed += 1
                continue
            for o in range(sum(k.startswith(f"{method}__{test}__expected__") for k in arrays.files)):
                got = np.load(f"{folder}/out.npy" if o == 0 else f"{folder}/out.{o}.npy")
                key = f"{method}__{test}"
                ok, worst = judge(got, arrays[f"{key}__expected__{o}"], arrays[f"{key}__upstream__{o}"],
                                  rules[method][test][str(o)])
                failed += not ok
                print(f"{case.name}\t{method}\t{test}\t{o}\t{'ok' if ok else 'DIFFERS'}\t{worst:.3g}")
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--et-run", required=True)
    parser.add_argument("artifacts", type=pathlib.Path)
    parser.add_argument("cases", nargs="*")
    args = parser.parse_args()
    names = args.cases or sorted(p.name for p in args.artifacts.iterdir()
                                 if "xnnpack" in p.name or p.name in ("partial_delegation", "multi_method", "multi_method_no_forward"))
    failed = sum(run_case(args.et_run, args.artifacts / n) for n in names)
    print(f"{failed} failed" if failed else "all within tolerance")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
