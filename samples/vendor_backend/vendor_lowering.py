"""What a vendor's package has in Python: the quantiser's annotations, the partitioner, and `preprocess`.

The backend knows convolution (stride 1, one group), linear, relu, and values that are quantised to int8 and back. Its payload:
"VENDOR1", a line for each value and operator, an empty line, and float32 weights. Operators name values by number:

    in 0 3 16 16                          an input of the delegate and its shape without the batch
    conv 7 0 1 8 3 3 3 1 0 216 -> 8 16 16     debug handle, from, to, arguments, offsets of weight and bias
    out 4
"""
import torch
from executorch.exir.backend.backend_details import BackendDetails, PreprocessResult
from executorch.exir.backend.canonical_partitioners.pattern_op_partitioner import generate_pattern_op_partitions
from executorch.exir.backend.partitioner import DelegationSpec, Partitioner, PartitionResult
from executorch.exir.backend.utils import tag_constant_data
from executorch.exir.dialects._ops import ops
from torch._export.utils import get_buffer, get_param, is_buffer, is_param
from torch.fx.passes.operator_support import OperatorSupportBase
from torchao.quantization.pt2e import HistogramObserver, MinMaxObserver
from torchao.quantization.pt2e.quantizer import QuantizationAnnotation, QuantizationSpec, Quantizer

ATEN = ops.edge.aten
CONV, LINEAR, RELU = ATEN.convolution.default, ATEN.linear.default, ATEN.relu.default
QUANTIZE = ops.edge.quantized_decomposed.quantize_per_tensor.default
DEQUANTIZE = ops.edge.quantized_decomposed.dequantize_per_tensor.default


# ---- the quantiser: int8 weights and activations for the linear layers
class VendorQuantizer(Quantizer):
    ACTIVATION = QuantizationSpec(
        dtype=torch.int8, quant_min=-128, quant_max=127, qscheme=torch.per_tensor_affine,
        observer_or_fake_quant_ctr=HistogramObserver.with_args(eps=2**-12))
    WEIGHT = QuantizationSpec(
        dtype=torch.int8, quant_min=-127, quant_max=127, qscheme=torch.per_tensor_symmetric,
        observer_or_fake_quant_ctr=MinMaxObserver.with_args(eps=2**-12))

    def annotate(self, model):
        for node in model.graph.nodes:
            if node.op == "call_function" and node.target == torch.ops.aten.linear.default:
                node.meta["quantization_annotation"] = QuantizationAnnotation(
                    input_qspec_map={node.args[0]: self.ACTIVATION, node.args[1]: self.WEIGHT}, _annotated=True)
        return model

    def validate(self, model):
        pass


# ---- the partitioner: which nodes the backend takes
class Supported(OperatorSupportBase):
    def is_node_supported(self, submodules, node):
        if node.op != "call_function":
            return False
        if node.target == CONV:
            stride, _, dilation, transposed, _, groups = node.args[3:]
            return list(stride) == [1, 1] and list(dilation) == [1, 1] and not transposed and groups == 1
        return node.target in (LINEAR, RELU, QUANTIZE, DEQUANTIZE)


class VendorPartitioner(Partitioner):
    def partition(self, exported_program):
        tags = {}
        for part in generate_pattern_op_partitions(exported_program.graph_module, op_support=Supported()):
            for node in part.nodes:
                node.meta["delegation_tag"] = tag = f"vendor{part.id}"
                tags[tag] = DelegationSpec(VendorBackend.__name__, [])
        tag_constant_data(exported_program)
        return PartitionResult(tagged_exported_program=exported_program, partition_tags=tags)

    def ops_to_not_decompose(self, exported_program):
        return [torch.ops.aten.linear.default], None


# ---- preprocess: from a part of the graph to the payload
class VendorBackend(BackendDetails):
    @staticmethod
    def preprocess(edge_program, compile_specs):
        return Compiler(edge_program).compile()


class Compiler:
    def __init__(self, program):
        self.program, self.lines, self.data, self.values, self.floats = program, [], b"", {}, {}
        self.handles = {}  # row of the payload -> debug handles of the graph

    def compile(self):
        for node in self.program.graph.nodes:
            if node.op == "placeholder":
                self.placeholder(node)
            elif node.op == "call_function":
                self.call(node)
            elif node.op == "output":
                for out in node.args[0]:
                    self.lines.append(f"out {self.values[out]}")
        text = "VENDOR1\n" + "".join(line + "\n" for line in self.lines) + "\n"
        return PreprocessResult(processed_bytes=text.encode() + self.data, debug_handle_map=self.handles)

    def placeholder(self, node):
        if is_param(self.program, node):
            self.floats[node] = get_param(self.program, node).detach()
        elif is_buffer(self.program, node):
            self.floats[node] = get_buffer(self.program, node)
        else:
            self.lines.append(f"in {self.value(node)} {self.shape(node)}")

    def call(self, node):
        if node.target == DEQUANTIZE and node.args[0] in self.floats:  # a weight
            scale, zero = node.args[1], node.args[2]
            self.floats[node] = (self.floats[node.args[0]].float() - zero) * scale
            return
        handle = node.meta.get("debug_handle", 0)
        source = self.values[node.args[0]]
        if node.target == QUANTIZE:  # rounded to the grid of int8, kept as float
            words = ["round", handle, source, self.value(node), repr(node.args[1]), node.args[2]]
        elif node.target == DEQUANTIZE:
            self.values[node] = source
            return
        elif node.target == RELU:
            words = ["relu", handle, source, self.value(node)]
        elif node.target == LINEAR:
            words = ["linear", handle, source, self.value(node), *self.weights(node, node.args[1], node.args[2:])]
        else:
            weight = self.floats[node.args[1]]
            words = ["conv", handle, source, self.value(node), *weight.shape, node.args[4][0],
                     *self.weights(node, node.args[1], node.args[2:3])]
        self.handles[len(self.handles)] = (handle,)
        self.lines.append(" ".join(map(str, words)) + " -> " + self.shape(node))

    def weights(self, node, weight, bias):
        """Appends them to the data: offsets in floats."""
        value = self.floats[weight]
        rest = self.floats[bias[0]] if bias and bias[0] is not None else torch.zeros(value.shape[0])
        offsets = []
        for tensor in (value, rest):
            offsets.append(len(self.data) // 4)
            self.data += tensor.float().contiguous().numpy().tobytes()
        return offsets

    def value(self, node):
        return self.values.setdefault(node, max(self.values.values(), default=-1) + 1)

    @staticmethod
    def shape(node):
        return " ".join(str(n) for n in node.meta["val"].shape[1:])
