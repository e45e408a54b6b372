#!/usr/bin/env python3
"""ONNX Runtime or LiteRT on one network, in a process of its own: the median time of an execution, as the programs of
tests/bench/runtime measure it: CPU time with one thread, the wall with more.

usage: network_side.py onnxruntime|litert MODEL --inputs FILE [--threads N] [--seconds S] [--output FILE]
"""
import json
import statistics
import time

import numpy as np
import side_options


class OnnxRuntime:
    def __init__(self, path, threads, data):
        import onnxruntime as ort

        options = ort.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
        session = ort.InferenceSession(path, options, ["CPUExecutionProvider"])
        x, y = session.get_inputs()[0], session.get_outputs()[0]
        self.session, self.binding = session, session.io_binding()
        self.binding.bind_ortvalue_input(x.name, ort.OrtValue.ortvalue_from_numpy(data.reshape(x.shape)))
        self.out = ort.OrtValue.ortvalue_from_numpy(np.zeros(y.shape, np.float32))
        self.binding.bind_ortvalue_output(y.name, self.out)

    def run(self):
        self.session.run_with_iobinding(self.binding)

    def output(self):
        return self.out.numpy()


class LiteRt:
    def __init__(self, path, threads, data):
        from ai_edge_litert.interpreter import Interpreter

        self.interpreter = Interpreter(model_path=path, num_threads=threads)
        self.interpreter.allocate_tensors()
        x = self.interpreter.get_input_details()[0]
        scale, zero = x["quantization"]
        if x["dtype"] != np.float32:
            data = np.clip(np.rint(data / scale) + zero, -128, 127)
        self.interpreter.set_tensor(x["index"], data.reshape(x["shape"]).astype(x["dtype"]))

    def run(self):
        self.interpreter.invoke()

    def output(self):
        y = self.interpreter.get_output_details()[0]
        out = self.interpreter.get_tensor(y["index"])
        scale, zero = y["quantization"]
        return out if out.dtype == np.float32 else (out.astype(np.float32) - zero) * np.float32(scale)


SIDES = {"onnxruntime": OnnxRuntime, "litert": LiteRt}


def main():
    parser = side_options.parser(__doc__, SIDES)
    parser.add_argument("--inputs", required=True)
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--output")
    options = parser.parse_args()
    side = SIDES[options.side](options.model, options.threads, np.fromfile(options.inputs, np.float32))
    clock = time.process_time_ns if options.threads == 1 else time.perf_counter_ns
    side.run()
    if options.output:
        side.output().astype(np.float32).tofile(options.output)
    samples, end = [], clock() + int(options.seconds * 1e9)
    while len(samples) < 5 or clock() < end:
        started = clock()
        side.run()
        samples.append(clock() - started)
    print(json.dumps({"median": statistics.median(samples), "min": min(samples), "samples": len(samples)}))


if __name__ == "__main__":
    main()
