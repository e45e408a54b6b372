#!/usr/bin/env python3
"""Another side of bench_decoding.py, in a process of its own: the same as decode_main.cpp does, the same output.

usage: decode_side.py upstream|llama.cpp|onnxruntime MODEL --prompt FILE [--tokens N] [--threads N] [--logits FILE]

Only the calls that compute are timed, not what Python does between them.
"""
import ctypes
import json
import time

import llama_weights as sizes
import numpy as np
import side_options


class Upstream:
    def __init__(self, path, threads):
        import torch
        from executorch.extension.pybindings import portable_lib
        from executorch.extension.llm.custom_ops import custom_ops  # noqa: F401  registers their kernels

        portable_lib._unsafe_reset_threadpool(threads)
        self.torch, self.module = torch, portable_lib._load_for_executorch(path)

    def prepare(self, tokens, position):
        return [self.torch.from_numpy(tokens.reshape(1, -1)), self.torch.tensor([position])]

    def run(self, inputs):
        return self.module.forward(inputs, clone_outputs=False)

    def logits(self, outputs):
        return outputs[0].numpy()


class LlamaCpp:
    def __init__(self, path, threads):
        import llama_cpp as lib

        self.lib = lib
        lib.llama_log_set(ctypes.cast(None, lib.llama_log_callback), ctypes.c_void_p())
        lib.llama_backend_init()
        self.model = lib.llama_model_load_from_file(path.encode(), lib.llama_model_default_params())
        options = lib.llama_context_default_params()
        options.n_ctx, options.n_batch, options.n_ubatch = sizes.CONTEXT, sizes.CONTEXT, sizes.CONTEXT
        options.n_threads = options.n_threads_batch = threads
        options.flash_attn_type = lib.LLAMA_FLASH_ATTN_TYPE_DISABLED  # a fifth faster in decoding; its default is for prompts
        self.context = lib.llama_init_from_model(self.model, options)
        if not self.context:
            raise SystemExit(f"{path}: llama.cpp cannot load it")

    def prepare(self, tokens, position):
        if position == 0:
            self.lib.llama_memory_clear(self.lib.llama_get_memory(self.context), True)
        self.tokens = (self.lib.llama_token * len(tokens))(*tokens.tolist())  # the batch only points to it
        return self.lib.llama_batch_get_one(self.tokens, len(tokens))

    def run(self, batch):
        if self.lib.llama_decode(self.context, batch) != 0:
            raise SystemExit("llama_decode failed")

    def logits(self, _):
        return np.ctypeslib.as_array(self.lib.llama_get_logits_ith(self.context, -1), (sizes.WORDS,))


class OnnxRuntime:
    def __init__(self, path, threads):
        import onnxruntime as ort

        options = ort.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
        self.session, self.ort = ort.InferenceSession(path, options, ["CPUExecutionProvider"]), ort
        self.binding = self.session.io_binding()
        shape = (1, sizes.KEY_HEADS, sizes.CONTEXT, sizes.HEAD)
        self.out = ort.OrtValue.ortvalue_from_numpy(np.zeros((1, 1, sizes.WORDS), np.float32))
        self.binding.bind_ortvalue_output("logits", self.out)
        for i in range(sizes.LAYERS):
            for part in ("key", "value"):  # the same memory before and after
                cache = ort.OrtValue.ortvalue_from_numpy(np.zeros(shape, np.float32))
                self.binding.bind_ortvalue_input(f"past.{i}.{part}", cache)
                self.binding.bind_ortvalue_output(f"present.{i}.{part}", cache)

    def prepare(self, tokens, position):
        length = position + len(tokens)
        self.kept = {"tokens": tokens.reshape(1, -1), "last_position": np.array([length - 1], np.int32),
                     "length": np.array(length, np.int32)}
        for name, value in self.kept.items():
            self.binding.bind_ortvalue_input(name, self.ort.OrtValue.ortvalue_from_numpy(value))

    def run(self, _):
        self.session.run_with_iobinding(self.binding)

    def logits(self, _):
        return self.out.numpy()


SIDES = {"upstream": Upstream, "llama.cpp": LlamaCpp, "onnxruntime": OnnxRuntime}


def main():
    parser = side_options.parser(__doc__, SIDES)
    parser.add_argument("--prompt", required=True)
    parser.add_argument("--tokens", type=int, default=128)
    parser.add_argument("--logits")
    options = parser.parse_args()
    side = SIDES[options.side](options.model, options.threads)

    def step(tokens, position):
        prepared = side.prepare(tokens, position)
        wall, cpu = time.perf_counter(), time.process_time()
        outputs = side.run(prepared)
        took = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}
        return took, side.logits(outputs).reshape(-1)

    prompt = np.fromfile(options.prompt, np.int64)
    step(prompt, 0)  # warms up
    first, logits = step(prompt, 0)
    if options.logits:
        logits.astype(np.float32).tofile(options.logits)
    made, steps = [], []
    for i in range(options.tokens):
        made.append(int(logits.argmax()))
        took, logits = step(np.array(made[-1:], np.int64), len(prompt) + i)
        steps.append(took)
    print(json.dumps({"prompt": first, "wall": [s["wall"] for s in steps], "cpu": [s["cpu"] for s in steps],
                      "tokens": made}))


if __name__ == "__main__":
    main()
