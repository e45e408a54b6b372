#!/usr/bin/env python3
"""Says what to write today where a script follows an older manual of ExecuTorch.

    older_manuals.py FILE.py...

For each line that today's releases (ExecuTorch 1.5, PyTorch 2.13) do not run: place, what it says, what to write instead.
Exit code 1 when there was any, 3 when a file cannot be read. Standard library only; nothing is executed.
"""
import re
import sys

# What the old line matches, what to write, why.
RULES = [
    (r"\bexport_for_training\b", "torch.export.export(model, inputs).module()", "export_for_training is gone"),
    (r"\bcapture_pre_autograd_graph\b", "torch.export.export(model, inputs).module()", "capture_pre_autograd_graph is gone"),
    (r"\btorch\.ao\.quantization\.quantize_pt2e\b", "torchao.quantization.pt2e.quantize_pt2e", "moved to the package torchao"),
    (r"\btorch\.ao\.quantization\.quantizer\.xnnpack_quantizer\b", "executorch.backends.xnnpack.quantizer.xnnpack_quantizer",
     "moved to the backend's package"),
    (r"\btorch\.ao\.quantization\.quantizer(?!\.xnnpack)\b", "torchao.quantization.pt2e.quantizer", "moved to the package torchao"),
    (r"\bexecutorch\.sdk\b", "executorch.devtools", "renamed"),
    (r"\bcreate_bundled_program\b", "executorch.devtools.BundledProgram(program, suites)", "a class in place of the function"),
    (r"\bexecutorch\.bundled_program\b", "executorch.devtools.bundled_program", "moved"),
    (r"\bexecutorch\.extension\.pybindings\.core\b", "executorch.extension.pybindings.portable_lib", "renamed"),
    (r"\bexecutorch\.backends\.arm\.arm_partitioner\b|\bArmPartitioner\b",
     "executorch.backends.arm.ethosu.EthosUPartitioner, or executorch.backends.arm.tosa.partitioner.TOSAPartitioner",
     "a partitioner for each target"),
    (r"\bArmCompileSpecBuilder\b|\bexecutorch\.backends\.arm\.arm_backend\b",
     "executorch.backends.arm.ethosu.EthosUCompileSpec, or executorch.backends.arm.tosa.compile_spec.TosaCompileSpec",
     "a compile spec for each target"),
    (r"\bexecutorch\.examples\.portable\b", "executorch.exir.to_edge_transform_and_lower(torch.export.export(model, inputs))",
     "examples are not in the package"),
]
# Quantised operators that stay outside of a delegate need the out variants of this module.
QUANTISES, OUT_VARIANTS = re.compile(r"\bconvert_pt2e\b"), "executorch.kernels.quantized"


def faults(text):
    """(line, what it says, what to write, why), in the order of the lines."""
    found = []
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        code = line.split("#", 1)[0]
        for pattern, new, why in RULES:
            match = re.search(pattern, code)
            if match:
                found.append((number, match[0], new, why))
    first = next((n for n, line in enumerate(lines, 1) if QUANTISES.search(line.split("#", 1)[0])), None)
    if first and OUT_VARIANTS not in text:
        found.append((first, "convert_pt2e", f"import {OUT_VARIANTS}  # before to_executorch()",
                      "without it, what stays outside of a delegate ends in \"Missing out variants\""))
    return sorted(found)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    total = 0
    for path in sys.argv[1:]:
        try:
            text = open(path, encoding="utf-8").read()
        except (OSError, UnicodeDecodeError) as error:
            print(f"{path}: cannot be read: {error}", file=sys.stderr)
            sys.exit(3)
        for number, old, new, why in faults(text):
            total += 1
            print(f"{path}:{number}: {old}: {why}; write: {new}")
    print(f"{total} lines to change" if total != 1 else "1 line to change")
    sys.exit(1 if total else 0)


if __name__ == "__main__":
    main()
