"""Names of one operator: in PyTorch, as a kernel, as a node of an XNNPACK payload and as its event."""
import re

# Node of a payload → operators of PyTorch that it computes.
NODE_OPERATORS = {
    "AvgPooling2d": "avg_pool2d _adaptive_avg_pool2d adaptive_avg_pool2d",
    "BatchMatrixMultiply": "bmm matmul einsum",
    "Clamp": "clamp hardtanh relu relu6 clamp_min clamp_max",
    "Concatenate2": "cat stack", "Concatenate3": "cat stack", "Concatenate4": "cat stack", "Concatenate5": "cat stack",
    "Conv2d": "convolution",
    "ConvTranspose2d": "convolution",
    "DepthwiseConv2d": "convolution native_batch_norm _native_batch_norm_legit_no_training batch_norm",
    "ELU": "elu",
    "FullyConnected": "addmm mm linear matmul",
    "GlobalAvgPooling2d": "mean _adaptive_avg_pool2d adaptive_avg_pool2d",
    "LeakyReLU": "leaky_relu",
    "MaxPooling2d": "max_pool2d_with_indices max_pool2d",
    "ArgMaxPooling2d": "max max_pool2d_with_indices",
    "Multiply": "mul",
    "Negate": "neg",
    "PReLU": "prelu _prelu_kernel",
    "ReciprocalSquareRoot": "rsqrt",
    "Softmax": "_softmax softmax",
    "Square": "pow square mul",
    "SquareRoot": "sqrt",
    "StaticConstantPad": "constant_pad_nd pad",
    "StaticReshape": "view reshape _unsafe_view unsqueeze squeeze flatten",
    "StaticResizeBilinear2D": "upsample_bilinear2d interpolate",
    "StaticSlice": "slice select split split_with_sizes chunk narrow getitem",
    "StaticTranspose": "permute transpose t",
    "Subtract": "sub rsub",
    "Copy": "clone expand contiguous",
    "Ceiling": "ceil",
    "Convert": "_to_copy to",
}

# Nodes that move or convert data; without a line that does just that, lowering inserted them.
MOVEMENTS = {"StaticTranspose", "StaticReshape", "Copy", "Convert", "StaticConstantPad"}

# Start of an event's name → nodes that it can be.
EVENT_NODES = {
    "Convolution": "Conv2d DepthwiseConv2d",
    "Fully Connected": "FullyConnected Conv2d",
    "Deconvolution": "ConvTranspose2d",
    "Batch Matrix Multiply": "BatchMatrixMultiply",
    "Transpose": "StaticTranspose",
    "Static Reshape": "StaticReshape",
    "Reshape": "StaticReshape",
    "Slice": "StaticSlice",
    "Static Slice": "StaticSlice",
    "Constant Pad": "StaticConstantPad",
    "Resize Bilinear": "StaticResizeBilinear2D",
    "Copy": "Concatenate2 Concatenate3 Concatenate4 Concatenate5 Copy StaticReshape",
    "Max Pooling": "MaxPooling2d",
    "ArgMax Pooling": "ArgMaxPooling2d",
    "Average Pooling": "AvgPooling2d",
    "Mean": "GlobalAvgPooling2d",
    "Multiply": "Multiply",
    "Square": "Square Multiply",
    "Divide": "Div",
    "Negate": "Negate",
    "Square Root": "SquareRoot",
    "Reciprocal Square Root": "ReciprocalSquareRoot",
    "Ceiling": "Ceiling",
    "Sine": "Sin",
    "Cosine": "Cos",
    "TanH": "Tanh",
    "GELU": "Gelu",
    "HardSwish": "Hardswish",
    "Leaky ReLU": "LeakyReLU",
    "Invalid Unary Op": "Gelu Tanh Sigmoid Exp Log Sin Cos SquareRoot ReciprocalSquareRoot Negate Abs Floor Ceiling Hardswish ELU",
}

# Events of our runtime's delegates that are work of its own.
RUNTIME_EVENTS = ("Plan shapes", "Prepare", "Initialise", "Pack")

# Kernel → operators of PyTorch, where the names differ by more than `_copy`.
KERNEL_OPERATORS = {
    "linear": "addmm mm linear matmul",
    "mm": "mm matmul linear addmm",
    "view": "view reshape _unsafe_view unsqueeze squeeze flatten",
    "et_view": "view reshape _unsafe_view unsqueeze squeeze flatten",
    "permute": "permute transpose t",
    "transpose": "permute transpose t",
    "t": "permute transpose t",
    "_to_dim_order": "_to_copy to",
    "_clone_dim_order": "clone contiguous",
    "_native_batch_norm_legit_no_training": "native_batch_norm _native_batch_norm_legit_no_training batch_norm",
    "clamp": "clamp hardtanh relu relu6 clamp_min clamp_max",
    "hardtanh": "clamp hardtanh relu6",
    "slice": "slice getitem split split_with_sizes chunk",
    "split_with_sizes": "split_with_sizes split chunk",
    "select": "select getitem unbind",
    "max_pool2d_with_indices": "max_pool2d_with_indices max_pool2d",
    "relu": "relu",
    "cat": "cat stack",
    "mul": "mul neg",
    "any": "any _safe_softmax",
}

# Kernels that lowering inserts of itself.
INSERTED_KERNELS = {
    "_clone_dim_order", "_to_dim_order", "_empty_dim_order", "clone", "empty", "quantize_per_tensor", "dequantize_per_tensor",
    "quantize_per_channel", "dequantize_per_channel", "choose_qparams", "view", "et_view", "expand", "copy_", "copy", "et_copy_index", "full",
    "scalar_tensor", "quantize_affine", "dequantize_affine", "choose_qparams_affine", "quantize_per_token",
    "dequantize_per_token", "choose_qparams_per_token_asymmetric", "permute",
}


def node_operators(kind):
    return set(NODE_OPERATORS.get(kind, kind.lower()).split())


def event_nodes(name):
    stem = name.split("(")[0].split("#")[0].split(" + ")[0].strip()
    return set(EVENT_NODES.get(stem, stem).split())


def named_nodes(name):
    """Our runtime's events name the payload's parts that they ran: … node 5+6, instruction 2, op 0."""
    found = re.search(r" (?:node|instruction|op) (\d+(?:\+\d+)*)$", name)
    return [int(n) for n in found.group(1).split("+")] if found else []


def kernel_name(operator):
    """aten::view_copy → view"""
    name = operator.split("::")[-1].split(".")[0]
    return name[: -len("_copy")] if name.endswith("_copy") else name


def kernel_operators(operator):
    name = kernel_name(operator)
    return set(KERNEL_OPERATORS.get(name, name).split())
