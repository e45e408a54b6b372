#!/usr/bin/env python3
"""scripts/older_manuals.py names every line of an older manual that today's releases do not run, and nothing else; with
--torch PYTHON: the old names are really gone there, and the new ones there.

    older_manuals_test.py [--torch PYTHON]
"""
import importlib.util
import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).parents[2]
SPEC = importlib.util.spec_from_file_location("older_manuals", ROOT / "scripts/older_manuals.py")
MANUALS = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(MANUALS)

OLD = """\
from torch.export import export, export_for_training
from torch.ao.quantization.quantize_pt2e import convert_pt2e, prepare_pt2e
from torch.ao.quantization.quantizer.xnnpack_quantizer import XNNPACKQuantizer
from executorch.sdk import Inspector  # executorch.bundled_program in a comment is none of its business
"""
PYTHON = sys.argv[sys.argv.index("--torch") + 1] if "--torch" in sys.argv else None


class OlderManuals(unittest.TestCase):
    def test_each_old_line_is_named(self):
        self.assertEqual([line for line, *_ in MANUALS.faults(OLD)], [1, 2, 2, 3, 4])

    def test_samples_follow_no_older_manual(self):
        for path in sorted(ROOT.glob("samples/**/*.py")):
            old = [fault for fault in MANUALS.faults(path.read_text(encoding="utf-8")) if fault[1] != "convert_pt2e"]
            self.assertEqual(old, [], path)

    def test_import_of_the_out_variants_silences_it(self):
        text = "import executorch.kernels.quantized\nconvert_pt2e(prepared)\n"
        self.assertEqual(MANUALS.faults(text), [])
        self.assertEqual(len(MANUALS.faults("convert_pt2e(prepared)\n")), 1)

    @unittest.skipUnless(PYTHON, "needs torch and executorch (--torch PYTHON)")
    def test_new_names_are_there_and_old_ones_gone(self):
        new = "import torchao.quantization.pt2e.quantize_pt2e, torchao.quantization.pt2e.quantizer, executorch.devtools, " \
              "executorch.backends.xnnpack.quantizer.xnnpack_quantizer, executorch.extension.pybindings.portable_lib"
        subprocess.run([PYTHON, "-W", "ignore", "-c", new], check=True, capture_output=True)
        for old in ("torch.ao.quantization.quantize_pt2e", "torch.ao.quantization.quantizer.xnnpack_quantizer", "executorch.sdk",
                    "executorch.bundled_program", "executorch.extension.pybindings.core"):
            run = subprocess.run([PYTHON, "-W", "ignore", "-c", f"import {old}"], capture_output=True)
            self.assertNotEqual(run.returncode, 0, old)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
