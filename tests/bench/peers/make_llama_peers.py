#!/usr/bin/env python3
"""Writes the network of llama_weights.py, with the same weights, for llama.cpp and ONNX Runtime.

usage: make_llama_peers.py FOLDER     in a Python that has gguf, onnx and onnxruntime (those missing are left out)

llama_q4.gguf, llama_q8.gguf   every matrix as Q4_0, as Q8_0
llama_q4.onnx                  MatMulNBits, 4 bits, a scale for each 32, activations as int8
llama_q8.onnx                  dynamic 8-bit activations by onnxruntime's quantize_dynamic, a scale for each row
llama_q8_nbits.onnx            MatMulNBits, 8 bits, a scale for each 32
"""
import sys
from pathlib import Path

import llama_weights as sizes
import numpy as np


def write_gguf(folder):
    import gguf

    for name, kind in (("llama_q4", "Q4_0"), ("llama_q8", "Q8_0")):
        kind = gguf.GGMLQuantizationType[kind]
        writer = gguf.GGUFWriter(str(folder / f"{name}.gguf"), "llama")
        writer.add_context_length(sizes.CONTEXT)
        writer.add_embedding_length(sizes.WIDTH)
        writer.add_block_count(sizes.LAYERS)
        writer.add_feed_forward_length(sizes.HIDDEN)
        writer.add_head_count(sizes.HEADS)
        writer.add_head_count_kv(sizes.KEY_HEADS)
        writer.add_layer_norm_rms_eps(sizes.EPSILON)
        writer.add_rope_dimension_count(sizes.HEAD)
        writer.add_rope_freq_base(10000.0)
        writer.add_vocab_size(sizes.WORDS)
        writer.add_tokenizer_model("no_vocab")

        def add(tensor, weights):
            writer.add_tensor(tensor, gguf.quants.quantize(weights, kind), raw_dtype=kind)

        add("token_embd.weight", sizes.weight("embedding", sizes.WORDS, sizes.WIDTH))
        add("output.weight", sizes.weight("output", sizes.WORDS, sizes.WIDTH))
        ones = np.ones(sizes.WIDTH, np.float32)
        writer.add_tensor("output_norm.weight", ones)
        for i in range(sizes.LAYERS):
            writer.add_tensor(f"blk.{i}.attn_norm.weight", ones)
            writer.add_tensor(f"blk.{i}.ffn_norm.weight", ones)
            for of in sizes.LAYER:
                add(f"blk.{i}.{of[1]}.weight", sizes.layer_weight(i, of))
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()
        print(f"{name}.gguf", (folder / f"{name}.gguf").stat().st_size, "bytes", flush=True)


class Onnx:
    """The graph; `bits` of MatMulNBits, or 32 for plain MatMul."""

    def __init__(self, bits):
        self.bits, self.nodes, self.constants = bits, [], []

    def constant(self, name, values):
        from onnx import numpy_helper

        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def node(self, kind, inputs, outputs, domain="", **attributes):
        from onnx import helper

        self.nodes.append(helper.make_node(kind, inputs, outputs, domain=domain, name=outputs[0], **attributes))
        return outputs[0]

    def linear(self, name, x, weights):
        rows, columns = weights.shape
        if self.bits == 32:
            return self.node("MatMul", [x, self.constant(f"{name}.w", weights.T)], [name])
        half = 1 << (self.bits - 1)
        groups = weights.reshape(rows, columns // sizes.GROUP, sizes.GROUP)
        scales = np.abs(groups).max(2, keepdims=True) / (half - 1)
        values = (np.clip(np.rint(groups / scales), -half, half - 1) + half).astype(np.uint8)
        if self.bits == 4:
            values = values[..., 0::2] | values[..., 1::2] << 4
        return self.node("MatMulNBits", [x, self.constant(f"{name}.w", values),
                                         self.constant(f"{name}.s", scales.reshape(-1).astype(np.float32))], [name],
                         "com.microsoft", K=columns, N=rows, bits=self.bits, block_size=sizes.GROUP, accuracy_level=4)

    def layer(self, i, x, skip):
        """The sum so far lies in two: what the last layer gave, and what it was to be added to."""
        def norm(name, a, b):
            if b is None:
                return self.node("SimplifiedLayerNormalization", [a, "ones"], [name], axis=-1, epsilon=sizes.EPSILON), a
            self.node("SkipSimplifiedLayerNormalization", [a, b, "ones"], [name, "", "", f"{name}.sum"],
                      "com.microsoft", epsilon=sizes.EPSILON)
            return name, f"{name}.sum"

        def linear(of, a):
            return self.linear(f"{i}.{of[1]}", a, sizes.layer_weight(i, of))

        q, k, v, o, gate, up, down = sizes.LAYER
        normed, total = norm(f"{i}.attn_norm", x, skip)
        self.node("GroupQueryAttention",
                  [linear(q, normed), linear(k, normed), linear(v, normed), f"past.{i}.key", f"past.{i}.value",
                   "last_position", "length", "cos", "sin"], [f"{i}.attention", f"present.{i}.key", f"present.{i}.value"],
                  "com.microsoft", num_heads=sizes.HEADS, kv_num_heads=sizes.KEY_HEADS, do_rotary=1, rotary_interleaved=1)
        normed, total = norm(f"{i}.ffn_norm", total, linear(o, f"{i}.attention"))
        gated = linear(gate, normed)
        silu = self.node("Mul", [gated, self.node("Sigmoid", [gated], [f"{i}.sigmoid"])], [f"{i}.silu"])
        return total, linear(down, self.node("Mul", [silu, linear(up, normed)], [f"{i}.gated"]))

    def model(self):
        from onnx import TensorProto, helper

        self.constant("ones", np.ones(sizes.WIDTH, np.float32))
        angles = np.outer(np.arange(sizes.CONTEXT), 10000.0 ** (-np.arange(0, sizes.HEAD, 2) / sizes.HEAD))
        self.constant("cos", np.cos(angles).astype(np.float32))
        self.constant("sin", np.sin(angles).astype(np.float32))
        self.constant("embedding", sizes.weight("embedding", sizes.WORDS, sizes.WIDTH))
        x, skip = self.node("Gather", ["embedding", "tokens"], ["embedded"]), None
        for i in range(sizes.LAYERS):
            x, skip = self.layer(i, x, skip)
        self.node("SkipSimplifiedLayerNormalization", [x, skip, "ones"], ["normed"], "com.microsoft", epsilon=sizes.EPSILON)
        last = self.node("Gather", ["normed", self.constant("end", np.array([-1]))], ["last"], axis=1)
        self.linear("logits", last, sizes.weight("output", sizes.WORDS, sizes.WIDTH))
        cache = [(f"{i}.{part}", TensorProto.FLOAT, [1, sizes.KEY_HEADS, sizes.CONTEXT, sizes.HEAD])
                 for i in range(sizes.LAYERS) for part in ("key", "value")]
        info = helper.make_tensor_value_info
        graph = helper.make_graph(
            self.nodes, "llama",
            [info("tokens", TensorProto.INT64, [1, "count"]), info("last_position", TensorProto.INT32, [1]),
             info("length", TensorProto.INT32, [])] + [info(f"past.{n}", t, s) for n, t, s in cache],
            [info("logits", TensorProto.FLOAT, [1, 1, sizes.WORDS])] + [info(f"present.{n}", t, s) for n, t, s in cache],
            self.constants)
        return helper.make_model(graph, ir_version=10, opset_imports=[helper.make_opsetid("", 20),
                                                                      helper.make_opsetid("com.microsoft", 1)])


def write_onnx(folder):
    import onnx
    from onnxruntime.quantization import QuantType, quantize_dynamic

    for name, bits in (("llama_q4", 4), ("llama_q8_nbits", 8)):
        onnx.save(Onnx(bits).model(), folder / f"{name}.onnx")
    plain = folder / "llama_f32.onnx"
    onnx.save(Onnx(32).model(), plain)
    quantize_dynamic(plain, folder / "llama_q8.onnx", op_types_to_quantize=["MatMul"], per_channel=True,
                     weight_type=QuantType.QInt8, extra_options={"DefaultTensorType": onnx.TensorProto.FLOAT})
    plain.unlink()
    for name in ("llama_q4", "llama_q8", "llama_q8_nbits"):
        print(f"{name}.onnx", (folder / f"{name}.onnx").stat().st_size, "bytes", flush=True)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for write in (write_gguf, write_onnx):
        try:
            write(folder)
        except ModuleNotFoundError as missing:
            print(f"{write.__name__}: left out, {missing}", flush=True)


if __name__ == "__main__":
    main()
