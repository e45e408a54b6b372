#!/usr/bin/env python3
"""Bundled programs between et-check and upstream's tools, in both directions.

usage: bundles.py --et-check PROGRAM FOLDER... [--sample N]
       in a Python that has executorch; without it the exit code is 77 (skipped)

Every .bpte under a FOLDER was written by upstream. For each:

  rewrite    et-check bundle writes it anew: the same bytes
  extract    et-check extract takes it apart, et-check bundle --from puts it together: the same bytes
  sidecar    likewise through a side-car, whose arrays are for numpy.load what upstream bundled (every N-th file)

And for each program whose cases upstream's runtime passes:

  serialize  upstream's own writer, given the cases that its reader finds in our file, writes the same bytes
  record     et-check records the expectations of the same inputs anew; upstream's runtime loads and verifies our bundle

Exit code 1: something differs.
"""
import argparse
import collections
import contextlib
import io
import os
import re
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

try:
    with contextlib.redirect_stderr(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import numpy as np
        import torch
        from executorch.devtools.bundled_program.config import MethodTestCase, MethodTestSuite
        from executorch.devtools.bundled_program.core import BundledProgram
        from executorch.devtools.bundled_program.schema import Bool, Double, Int
        from executorch.devtools.bundled_program.serialize import (
            deserialize_from_flatbuffer_to_bundled_program,
            serialize_from_bundled_program_to_flatbuffer,
        )
        from executorch.exir.tensor import get_scalar_type
        from executorch.extension.pybindings import portable_lib
        import executorch.kernels.quantized  # noqa: F401  its library registers the quantised kernels
except ImportError as missing:
    print(f"bundles: skipped, {missing}")
    sys.exit(77)



def plain(value):
    """A bundled value as what upstream's writer takes."""
    v = value.val
    if isinstance(v, Int):
        return v.int_val
    if isinstance(v, Bool):
        return v.bool_val
    if isinstance(v, Double):
        return v.double_val
    data = bytearray(bytes(v.data))
    dtype = get_scalar_type(v.scalar_type)
    if not data:
        return torch.empty(list(v.sizes), dtype=dtype)
    return torch.frombuffer(data, dtype=dtype).reshape(list(v.sizes))


def suites_of(file_bytes):
    bundle = deserialize_from_flatbuffer_to_bundled_program(file_bytes)
    suites = []
    for s in bundle.method_test_suites:
        cases = [MethodTestCase([plain(v) for v in c.inputs], [plain(v) for v in c.expected_outputs])
                 for c in s.test_cases]
        suites.append(MethodTestSuite(method_name=s.method_name, test_cases=cases))
    return bytes(bundle.program), suites


def same_array(array, value):
    """An array of numpy.load beside a value of upstream, bit by bit."""
    if not isinstance(value, torch.Tensor):
        return array.shape == () and array.tobytes() == np.asarray(value).tobytes()
    data = value.contiguous().reshape(-1).view(torch.uint8).numpy()
    return list(array.shape) == list(value.shape) and array.tobytes() == data.tobytes()


class Run:
    def __init__(self, et_check, work):
        self.et_check, self.work = et_check, Path(work)
        self.counts, self.problems = collections.Counter(), []

    def call(self, *words):
        r = subprocess.run([self.et_check, *map(str, words)], capture_output=True, text=True)
        return r.returncode, r.stderr.strip()

    def check(self, what, path, good, why=""):
        self.counts[what, bool(good)] += 1
        if not good:
            self.problems.append(f"{what}: {path}: {why}")

    def written(self, what, path, want, *words):
        """Calls et-check, which writes out.bpte: the bytes of `want`."""
        out = self.work / "out.bpte"
        code, err = self.call(*words, "-o", out)
        same = code == 0 and out.read_bytes() == want
        self.check(what, path, same, err or "other bytes")
        out.unlink(missing_ok=True)

    def files(self, path):
        want = path.read_bytes()
        self.written("rewrite", path, want, "bundle", path, "--from", path, "--replace", "--no-check")
        parts = self.work / "parts"
        code, err = self.call("extract", path, "-o", parts)
        if code:
            self.check("extract", path, False, err)
        else:
            self.written("extract", path, want, "bundle", parts / "program.pte", "--from", parts, "--no-check")
        subprocess.run(["rm", "-rf", parts])

    def sidecar(self, path):
        parts = self.work / "parts"
        code, err = self.call("extract", path, "-o", parts, "--sidecar")
        if code:
            self.check("sidecar", path, False, err)
            return
        with np.load(parts / "program.cases.npz") as arrays:
            names = {re.sub(r"\.(int|bool|double)$", "", n): n for n in arrays.files}
            bad = []
            for suite in suites_of(path.read_bytes())[1]:
                for c, case in enumerate(suite.test_cases):
                    for kind, values in (("input", case.inputs), ("expected", case.expected_outputs)):
                        for i, value in enumerate(values):
                            key = f"{suite.method_name}/{c}/{kind}_{i}"
                            if key not in names or not same_array(arrays[names[key]], value):
                                bad.append(key)
        self.check("sidecar", path, not bad, ", ".join(bad[:3]))
        self.written("sidecar", path, path.read_bytes(), "bundle", parts / "program.pte", "--from",
                     parts / "program.cases.npz", "--no-check")
        subprocess.run(["rm", "-rf", parts])

    def upstream(self, path):
        original = path.read_bytes()
        program, suites = suites_of(original)
        weights = next(iter(sorted(path.parent.glob("*.ptd"))), None)
        if not verified(original, suites):
            self.counts["left out: upstream itself does not pass", True] += 1
            return
        pte = self.work / "p.pte"
        pte.write_bytes(program)
        ours = self.work / "ours.bpte"
        # Fresh expectations, from our runtime.
        data = ["--data", weights] if weights else []
        code, err = self.call("bundle", pte, "--from", path, "--record", *data, "-o", ours)
        if code:
            missing = "is not registered" in err or "no kernel" in err or "NotFound" in err or "OperatorMissing" in err
            if missing:
                self.counts["left out: not runnable here", True] += 1
            else:
                self.check("record", path, False, err)
            return
        made = ours.read_bytes()
        self.check("record", path, verified(made, suites, rtol=1e-3, atol=1e-5), "upstream does not verify it")
        bundled = BundledProgram(executorch_program=None, method_test_suites=suites_of(made)[1], pte_file_path=str(pte))
        again = serialize_from_bundled_program_to_flatbuffer(bundled)
        self.check("serialize", path, again == made, "upstream writes other bytes")


def verified(file_bytes, suites, rtol=1e-5, atol=1e-8):
    """Upstream's runtime loads the bundle and verifies all of its cases. In a process of its own: where the dim order of
    an output is not row-major, upstream ends the process."""
    child = os.fork()
    if child == 0:
        silent = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silent, 2)
        code = 1
        with contextlib.suppress(BaseException):
            bundle = portable_lib._load_bundled_program_from_buffer(file_bytes)
            for suite in suites:
                for i in range(len(suite.test_cases)):
                    bundle.verify_result_with_bundled_expected_output(suite.method_name, i, rtol, atol)
            code = 0
        os._exit(code)
    return os.waitpid(child, 0)[1] == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--et-check", required=True)
    parser.add_argument("--sample", type=int, default=20, help="every N-th file goes through upstream's tools")
    args = parser.parse_args()
    files = sorted({f for folder in args.folders for f in folder.rglob("*.bpte")})
    with tempfile.TemporaryDirectory() as work:
        run = Run(args.et_check, work)
        for i, path in enumerate(files):
            run.files(path)
            if i % args.sample != 0:
                continue
            try:
                suites_of(path.read_bytes())
            except KeyError:  # a dtype that upstream's writer takes and its reader does not know, such as complex128
                run.counts["left out: upstream's reader fails", True] += 1
                continue
            run.sidecar(path)
            run.upstream(path)
    for (what, good), count in sorted(run.counts.items()):
        print(f"{what}: {count}{'' if good else ' DIFFER'}")
    for line in run.problems[:50]:
        print(line)
    print(f"{len(files)} bundles, {len(run.problems)} differences")
    return 1 if run.problems or not files else 0


if __name__ == "__main__":
    sys.exit(main())
