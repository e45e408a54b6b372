#!/usr/bin/env python3
"""Exports networks for this project and upstream (.pte through XNNPACK), for ONNX Runtime (.onnx) and LiteRT (.tflite).

usage: make_networks.py FOLDER [NAME...]

In a Python that has executorch, and of onnx + onnxscript + onnxruntime, litert-torch + ai-edge-quantizer what there is; a
format whose package is missing is left out, and may be added by another Python: weights and inputs are the same. Writes NAME.inputs (the bytes of the input), NAME.pte, NAME.onnx, NAME.tflite.

mobilenet, resnet18, efficientnet: int8 is static, activations and weights of all layers (per channel).
bert, vit: int8 are the weights of linear layers, with activations that are quantised while the network runs.
"""
import sys
import traceback
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "delegates"))
from make_delegated import Bert, MobileNetV2, quantised  # noqa: E402
from networks import networks  # noqa: E402


STATIC = ("mobilenet", "resnet18", "efficientnet")


def models():
    known = networks()
    image = (torch.randn(1, 3, 224, 224),)
    return {"mobilenet": lambda: (MobileNetV2().eval(), image), "resnet18": known["resnet18"],
            "efficientnet": known["efficientnet"], "bert": lambda: (Bert().eval(), (torch.randn(1, 128, 384),)),
            "vit": known["vit"]}


def write_pte(path, name, int8, module, inputs):
    from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackDynamicallyQuantizedPartitioner
    from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
    from executorch.exir import EdgeCompileConfig, ExecutorchBackendConfig, to_edge_transform_and_lower
    from executorch.exir.passes import MemoryPlanningPass

    partitioners = [XnnpackPartitioner()]
    if int8:
        module = quantised(module, inputs, is_dynamic=name not in STATIC)
        if name not in STATIC:
            partitioners.insert(0, XnnpackDynamicallyQuantizedPartitioner())
    exported = torch.export.export(module, inputs, strict=False)
    edge = to_edge_transform_and_lower(exported, partitioner=partitioners,
                                       compile_config=EdgeCompileConfig(_check_ir_validity=False))
    program = edge.to_executorch(ExecutorchBackendConfig(memory_planning_pass=MemoryPlanningPass(alloc_graph_input=False)))
    path.with_suffix(".pte").write_bytes(bytes(program.buffer))


def write_onnx(path, name, int8, module, inputs):
    import onnx
    from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quant_pre_process, quantize_dynamic
    from onnxruntime.quantization import quantize_static

    plain = path.with_suffix(".plain.onnx")
    torch.onnx.export(module, inputs, plain, input_names=["x"], output_names=["y"], dynamo=True, external_data=False)
    target = path.with_suffix(".onnx")
    if not int8:
        plain.rename(target)
        return
    prepared = path.with_suffix(".prepared.onnx")
    quant_pre_process(plain, prepared)
    if name in STATIC:
        class Reader(CalibrationDataReader):
            data = iter([{"x": inputs[0].numpy()}])

            def get_next(self):
                return next(self.data, None)

        quantize_static(prepared, target, Reader(), quant_format=QuantFormat.QDQ, per_channel=True,
                        activation_type=QuantType.QUInt8, weight_type=QuantType.QInt8)
    else:
        quantize_dynamic(prepared, target, per_channel=True, weight_type=QuantType.QInt8,
                         op_types_to_quantize=["MatMul", "Gemm"])
    onnx.checker.check_model(str(target))
    plain.unlink()
    prepared.unlink()


def write_tflite(path, name, int8, module, inputs):
    import litert_torch

    target = path.with_suffix(".tflite")
    if not int8:
        litert_torch.convert(module, inputs).export(str(target))
        return
    from ai_edge_quantizer import quantizer, recipe

    plain = path.with_suffix(".plain.tflite")
    litert_torch.convert(module, inputs).export(str(plain))
    static = name in STATIC
    made = quantizer.Quantizer(str(plain), recipe.static_wi8_ai8() if static else recipe.dynamic_wi8_afp32())
    if static:
        from ai_edge_litert.interpreter import Interpreter

        runner = Interpreter(model_path=str(plain)).get_signature_list()
        (signature, about), = runner.items()
        samples = {signature: [dict(zip(about["inputs"], (i.numpy() for i in inputs)))]}
        result = made.quantize(made.calibrate(samples))
    else:
        result = made.quantize()
    target.unlink(missing_ok=True)
    result.export_model(str(target))
    plain.unlink()


WRITERS = (write_pte, write_onnx, write_tflite)


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    folder, wanted = Path(sys.argv[1]), sys.argv[2:]
    folder.mkdir(parents=True, exist_ok=True)
    failed = []
    for name, make in models().items():
        for int8 in (False, True):
            full = f"{name}_int8" if int8 else name
            if wanted and full not in wanted:
                continue
            for write in WRITERS:
                torch.manual_seed(7)
                module, inputs = make()
                (folder / f"{full}.inputs").write_bytes(b"".join(i.contiguous().numpy().tobytes() for i in inputs))
                try:
                    with torch.no_grad():
                        write(folder / full, name, int8, module, inputs)
                    print(full, write.__name__, flush=True)
                except ModuleNotFoundError as missing:
                    print(f"{full}: {write.__name__} left out, {missing}", flush=True)
                except Exception:  # one converter's failure is no reason not to have the others
                    traceback.print_exc()
                    failed.append(f"{full} {write.__name__}")
    if failed:
        sys.exit("failed: " + ", ".join(failed))


if __name__ == "__main__":
    main()
