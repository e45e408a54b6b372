#!/usr/bin/env python3
"""MobileNetV2 in int8, lowered to TOSA: its outputs here beside upstream's quantised graph and Arm's reference model.

    pip install --no-deps tosa-tools==2026.8.0 ml_dtypes==0.6.0        # in a Python that has executorch 1.5
    tests/conformance_upstream/tosa_network.py --et-run build/release/bin/et-run [--keep FOLDER] [--no-reference]

The reference model gets the quantised input and must agree in every bit. Upstream's graph computes with floats between
its roundings, so an activation on a tie may fall one step to the other side, and the rest of the network carries that on:
its outputs are compared in steps of the output's scale (at most --steps, 2), and by the order of the best classes.
Exit code 77 (skipped) without the packages.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/bench/delegates"))
try:
    import numpy as np
    import tosa_reference_model  # only to find where the package lies
    import torch
    import executorch.kernels.quantized  # noqa: F401
    from executorch.backends.arm.quantizer.arm_quantizer import TOSAQuantizer, get_symmetric_quantization_config
    from executorch.backends.arm.tosa.compile_spec import TosaCompileSpec
    from executorch.backends.arm.tosa.partitioner import TOSAPartitioner
    from executorch.backends.arm.tosa.specification import TosaSpecification
    from executorch.exir import EdgeCompileConfig, to_edge_transform_and_lower
    from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e
    from make_delegated import MobileNetV2
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)


def lowered(folder):
    """Writes the program, its record and its input; gives the outputs of upstream's quantised graph."""
    torch.manual_seed(3)
    model = MobileNetV2().train()
    images = [torch.randn(1, 3, 224, 224) for _ in range(4)]
    with torch.no_grad():
        for image in images:  # batch norms with statistics
            model(torch.cat([image, image.flip(3)]))
    model.eval()
    spec = TosaCompileSpec(TosaSpecification.create_from_string("TOSA-1.0+INT"))
    quantizer = TOSAQuantizer(spec)
    quantizer.set_global(get_symmetric_quantization_config())
    prepared = prepare_pt2e(torch.export.export(model, (images[0],)).module(check_guards=False), quantizer)
    with torch.no_grad():
        for image in images:
            prepared(image)
        converted = convert_pt2e(prepared)
        outputs = converted(images[0])
    program = to_edge_transform_and_lower(
        torch.export.export(converted, (images[0],)), partitioner=[TOSAPartitioner(spec)], generate_etrecord=True,
        compile_config=EdgeCompileConfig(_check_ir_validity=False))
    # What stays outside: the quantisation of the input and of the output, with their scales.
    outside = [n for n in program.exported_program().graph.nodes if "quantize_per_tensor" in str(n.target)]
    program = program.to_executorch()
    program.get_etrecord().save(str(folder / "mobilenet_tosa.etrecord"))
    (folder / "mobilenet_tosa.pte").write_bytes(program.buffer)
    np.save(folder / "input.npy", images[0].numpy())
    return outputs.numpy(), outside[0].args[1:3], outside[-1].args[1:3]


def reference_model(folder, scale, zero):
    """int8 outputs of Arm's reference model."""
    tools = pathlib.Path(tosa_reference_model.__file__).parent.parent / "bin"
    program = (folder / "mobilenet_tosa.pte").read_bytes()
    (folder / "p.tosa").write_bytes(program[program.rindex(b"TOSA") - 4:])
    image = np.load(folder / "input.npy")
    np.save(folder / "x.npy", np.clip(np.rint(image * np.float32(1 / scale)) + zero, -128, 127).astype(np.int8))
    subprocess.run(["flatc", "--json", "--strict-json", "-o", folder, tools / "tosa.fbs", "--", folder / "p.tosa"], check=True)
    block = json.loads((folder / "p.json").read_text())["regions"][0]["blocks"][0]
    done = subprocess.run([tools / "tosa_reference_model", f"--operator_fbs={tools / 'tosa.fbs'}", f"--flatbuffer_dir={folder}",
                           f"--output_dir={folder}", "--tosa_file=p.tosa", f"--ifm_name={block['inputs'][0]}",
                           "--ifm_file=x.npy", f"--ofm_name={block['outputs'][0]}", "--ofm_file=y.npy",
                           "--tosa_level=NONE", "-p", "0"], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"the reference model: {(done.stdout + done.stderr)[-400:]}")
    return np.load(folder / "y.npy")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--et-run", required=True)
    parser.add_argument("--keep", help="folder for the program, its record, input and outputs")
    parser.add_argument("--no-reference", action="store_true", help="without Arm's reference model, which takes minutes")
    parser.add_argument("--steps", type=int, default=2)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(options.keep or scratch)
        folder.mkdir(parents=True, exist_ok=True)
        upstream, (in_scale, in_zero), (scale, zero) = lowered(folder)
        done = subprocess.run([options.et_run, folder / "mobilenet_tosa.pte", "-i", folder / "input.npy", "-o",
                               folder / "output.npy", "-n", "5", "-w", "1"], capture_output=True, text=True)
        print(done.stdout.strip())
        if done.returncode != 0:
            sys.exit(done.stderr)
        ours = np.load(folder / "output.npy")
        failed = False
        steps = np.rint(np.abs(ours - upstream) / scale).astype(int)
        best = [list(np.argsort(-a.reshape(-1), kind="stable")[:5]) for a in (ours, upstream)]
        print(f"upstream's quantised graph: {(steps == 0).mean():.1%} equal, at most {steps.max()} steps of {scale:.4g}; "
              f"best classes {best[0]} and {best[1]}")
        failed |= steps.max() > options.steps
        if not options.no_reference:
            start = time.monotonic()
            want = reference_model(folder, in_scale, in_zero)
            got = np.rint(ours / np.float32(scale)).astype(np.int64) + zero
            different = int((got != want).sum())
            print(f"Arm's reference model ({time.monotonic() - start:.0f} s): {different} of {want.size} values differ")
            failed |= different != 0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
