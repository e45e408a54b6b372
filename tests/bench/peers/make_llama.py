#!/usr/bin/env python3
"""Exports the network of llama_weights.py through ExecuTorch's XNNPACK partitioner, as its llama example does: custom
attention and cache operators, linears with 8-bit dynamic activations.

usage: make_llama.py FOLDER [llama_q4] [llama_q8]      in a Python that has executorch

llama_q4  4-bit weights with a scale for each 32
llama_q8  8-bit weights with a scale for each row
The method takes tokens [1, 1..511] and the position of the first one, and gives the last token's logits.
"""
import sys
from pathlib import Path

import llama_weights as sizes
import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackDynamicallyQuantizedPartitioner
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.examples.models.llama.llama_transformer import construct_transformer
from executorch.examples.models.llama.model_args import ModelArgs
from executorch.examples.models.llama.source_transformation.custom_kv_cache import replace_kv_cache_with_custom_kv_cache
from executorch.examples.models.llama.source_transformation.sdpa import replace_sdpa_with_custom_op
from executorch.exir import EdgeCompileConfig, ExecutorchBackendConfig, to_edge_transform_and_lower
from executorch.exir.passes import MemoryPlanningPass
from executorch.exir.passes.sym_shape_eval_pass import ConstraintBasedSymShapeEvalPass
from torchao.quantization import Int8DynamicActivationIntxWeightConfig, quantize_
from torchao.quantization.granularity import PerAxis, PerGroup
from torchao.utils import unwrap_tensor_subclass

KINDS = {"llama_q4": (torch.int4, PerGroup(sizes.GROUP)), "llama_q8": (torch.int8, PerAxis(0))}


def network():
    arguments = ModelArgs(dim=sizes.WIDTH, n_layers=sizes.LAYERS, n_heads=sizes.HEADS, n_kv_heads=sizes.KEY_HEADS,
                          vocab_size=sizes.WORDS, hidden_dim=sizes.HIDDEN, norm_eps=sizes.EPSILON,
                          max_seq_len=sizes.CONTEXT, max_context_len=sizes.CONTEXT, use_kv_cache=True,
                          use_sdpa_with_kv_cache_op=True, enable_dynamic_shape=True)
    model = construct_transformer(arguments).eval()
    with torch.no_grad():
        model.tok_embeddings.weight.copy_(torch.from_numpy(sizes.weight("embedding", sizes.WORDS, sizes.WIDTH)))
        model.output.weight.copy_(torch.from_numpy(sizes.weight("output", sizes.WORDS, sizes.WIDTH)))
        for i, layer in enumerate(model.layers):
            for of in sizes.LAYER:
                layer.get_submodule(of[0]).weight.copy_(torch.from_numpy(sizes.layer_weight(i, of)))
    replace_kv_cache_with_custom_kv_cache(model)
    return replace_sdpa_with_custom_op(model)


def export(name, folder):
    dtype, granularity = KINDS[name]
    model = network()
    quantize_(model, Int8DynamicActivationIntxWeightConfig(weight_dtype=dtype, weight_granularity=granularity))
    model = unwrap_tensor_subclass(model)
    inputs = (torch.zeros(1, 3, dtype=torch.long), {"input_pos": torch.tensor([0], dtype=torch.long)})
    dynamic = ({1: torch.export.Dim("tokens", max=sizes.CONTEXT - 1)}, {"input_pos": {0: 1}})
    with torch.no_grad():
        exported = torch.export.export(model, inputs, dynamic_shapes=dynamic, strict=False)
        edge = to_edge_transform_and_lower(
            exported, partitioner=[XnnpackDynamicallyQuantizedPartitioner(), XnnpackPartitioner()],
            compile_config=EdgeCompileConfig(_check_ir_validity=False))
        program = edge.to_executorch(ExecutorchBackendConfig(
            memory_planning_pass=MemoryPlanningPass(alloc_graph_input=False),
            sym_shape_eval_pass=ConstraintBasedSymShapeEvalPass()))
    (folder / f"{name}.pte").write_bytes(bytes(program.buffer))
    print(name, (folder / f"{name}.pte").stat().st_size, "bytes", flush=True)


def main():
    if len(sys.argv) < 2 or any(name not in KINDS for name in sys.argv[2:]):
        sys.exit(__doc__)
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[2:] or KINDS:
        export(name, folder)


if __name__ == "__main__":
    main()
