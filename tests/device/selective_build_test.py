#!/usr/bin/env python3
"""The selective build: a program with the kernels of one model runs it as the program with all kernels does, lacks other
kernels, is much smaller, and refuses what it has no kernel or dtype for without ending abnormally."""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

parser = argparse.ArgumentParser()
for name in ("all", "selected", "int64", "tool", "fixtures"):
    parser.add_argument("--" + name, required=True)
given = parser.parse_args()


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def program(name):
    return os.path.join(given.fixtures, name, "program.pte")


def kernels(path):
    """Boxed kernels that a program holds."""
    symbols = run("nm", "-C", path).stdout
    return {line.split("boxed_")[1].split("(")[0] for line in symbols.splitlines() if "boxed_" in line}


class SelectiveBuild(unittest.TestCase):
    def test_runs_its_model_as_all_kernels_do(self):
        few, all_ = run(given.selected, program("add_mul")), run(given.all, program("add_mul"))
        self.assertEqual(few.returncode, 0, few.stderr)
        self.assertIn("output 0: float32", few.stdout)
        self.assertEqual(few.stdout, all_.stdout)

    def test_holds_its_kernels_and_no_others(self):
        self.assertEqual(kernels(given.selected), {"add_out", "mul_out"})
        self.assertGreater(len(kernels(given.all)), 100)

    def test_is_much_smaller(self):
        def loaded(path):
            sizes = run("size", path).stdout.splitlines()[1].split()
            return int(sizes[0]) + int(sizes[1])
        self.assertLess(loaded(given.selected), loaded(given.all) / 4)

    def test_missing_operator_is_an_error_that_names_it(self):
        done = run(given.selected, program("lstm"))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("aten::sigmoid.out has no kernel", done.stderr)

    def test_excluded_dtype_is_an_error(self):
        done = run(given.int64, program("add_mul"))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr, r"aten::(add|mul)\.out.*failed")


class Tool(unittest.TestCase):
    def test_lists_operators_with_dtypes(self):
        done = run(given.tool, program("add_mul"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, "aten::add.out float32\naten::mul.out float32\n")

    def select(self, rows, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            table = pathlib.Path(folder, "rows.def")
            table.write_text(rows)
            done = run(given.tool, "--select", folder, "--rows", str(table), *arguments)
            files = {p.name: p.read_text() for p in pathlib.Path(folder).iterdir()}
        return done, files

    ADD = 'ET_OPERATOR("aten::add.out", add_out)\n'
    MUL = 'ET_OPERATOR("aten::mul.out", mul_out)\n'

    def test_selects_rows_and_dtypes(self):
        done, files = self.select(self.ADD + 'ET_OPERATOR("aten::sub.out", sub_out)\n' + self.MUL, program("add_mul"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(files["selected_operators.inc"].endswith(self.ADD + self.MUL))
        self.assertNotIn("sub", files["selected_operators.inc"])
        self.assertIn("#define ET_SELECTED_DTYPES 0x40u", files["selected_dtypes.h"])

    def test_operator_without_kernel_is_named(self):
        done, files = self.select(self.ADD, program("add_mul"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("operator aten::mul.out of", done.stderr)
        self.assertNotIn("selected_operators.inc", files)

    def test_provided_operator_needs_no_kernel(self):
        done, _ = self.select(self.ADD, "--provided", "aten::mul.out", program("add_mul"))
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_no_program(self):
        done = run(given.tool, __file__)
        self.assertEqual(done.returncode, 1)
        self.assertIn(os.path.basename(__file__), done.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
