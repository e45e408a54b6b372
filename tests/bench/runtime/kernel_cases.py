"""The operators whose speed is compared with upstream's, in shapes of real networks: float32 where not said otherwise.

Fixed before any kernel was tuned, and not changed since: a case is added at the end, never altered or removed. Each is
a name, the operator that the program must contain, and how to make module and inputs. `make_cases.py` exports them.
"""
import torch
from torch import nn
from torch.nn import functional as F


class Call(nn.Module):
    """A function of the inputs as a module."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *inputs):
        return self.function(*inputs)


def real(*shape):
    return torch.randn(*shape)


def case(name, operator, function, *inputs):
    module = function if isinstance(function, nn.Module) else Call(function)
    return name, operator, module.eval(), inputs


def trained_batch_norm(channels):
    norm = nn.BatchNorm2d(channels)
    norm.running_mean.normal_()
    norm.running_var.uniform_(0.5, 2)
    return norm


def cases():
    torch.manual_seed(20240601)
    q = torch.ops.quantized_decomposed
    return [
        # elementwise: residual, squeeze-and-excitation, activations of CNNs and transformers
        case("add", "aten::add.out", torch.add, real(1, 64, 56, 56), real(1, 64, 56, 56)),
        case("mul", "aten::mul.out", torch.mul, real(1, 64, 56, 56), real(1, 64, 1, 1)),
        case("div", "aten::div.out", torch.div, real(1, 12, 128, 128), real(1, 12, 128, 1).abs() + 1),
        case("pow", "aten::pow.Tensor_Scalar_out", lambda x: torch.pow(x, 2), real(1, 128, 768)),
        case("relu", "aten::relu.out", torch.relu, real(1, 64, 112, 112)),
        case("gelu", "aten::gelu.out", F.gelu, real(1, 128, 3072)),
        case("sigmoid", "aten::sigmoid.out", torch.sigmoid, real(1, 128, 768)),
        case("where", "aten::where.self_out", torch.where, torch.rand(1, 1, 128, 128) > 0.5, real(1, 12, 128, 128), real(1)),
        # normalisation and reductions
        case("softmax", "aten::_softmax.out", lambda x: torch.softmax(x, -1), real(1, 12, 128, 128)),
        case("layer_norm", "aten::native_layer_norm.out", nn.LayerNorm(768), real(1, 128, 768)),
        case("batch_norm", "aten::_native_batch_norm_legit_no_training.out", trained_batch_norm(64), real(1, 64, 56, 56)),
        case("mean", "aten::mean.out", lambda x: torch.mean(x, (2, 3), keepdim=True), real(1, 576, 7, 7)),
        case("sum", "aten::sum.IntList_out", lambda x: torch.sum(x, -1), real(1, 128, 768)),
        case("argmax", "aten::argmax.out", lambda x: torch.argmax(x, -1), real(128, 1000)),
        case("any", "aten::any.out", lambda x: torch.any(x, -1), torch.rand(1, 12, 128, 128) > 0.99),
        case("cumsum", "aten::cumsum.out", lambda x: torch.cumsum(x, 1), real(1, 128, 768)),
        case("topk", "aten::topk.values", lambda x: tuple(torch.topk(x, 40)), real(1, 32000)),
        case("sort", "aten::sort.values", lambda x: tuple(torch.sort(x)), real(1, 1000)),
        # pooling, resampling, padding
        case("max_pool2d", "aten::max_pool2d_with_indices.out", nn.MaxPool2d(3, 2, 1), real(1, 64, 112, 112)),
        case("avg_pool2d", "aten::avg_pool2d.out", nn.AvgPool2d(2, 2), real(1, 64, 56, 56)),
        case(
            "upsample",
            "aten::upsample_bilinear2d.vec_out",
            lambda x: F.interpolate(x, scale_factor=2.0, mode="bilinear", align_corners=False),
            real(1, 32, 28, 28),
        ),
        case("pad", "aten::constant_pad_nd.out", lambda x: F.pad(x, (1, 1, 1, 1)), real(1, 64, 56, 56)),
        # matrices
        case("convolution_1x1", "aten::convolution.out", nn.Conv2d(64, 128, 1), real(1, 64, 28, 28)),
        case("convolution_3x3", "aten::convolution.out", nn.Conv2d(32, 32, 3, padding=1), real(1, 32, 56, 56)),
        case("convolution_depthwise", "aten::convolution.out", nn.Conv2d(96, 96, 3, padding=1, groups=96), real(1, 96, 56, 56)),
        case("convolution_transposed", "aten::convolution.out", nn.ConvTranspose2d(32, 16, 4, 2, 1), real(1, 32, 28, 28)),
        case("mm", "aten::mm.out", torch.mm, real(128, 768), real(768, 768)),
        case("bmm", "aten::bmm.out", torch.bmm, real(12, 128, 64), real(12, 64, 128)),
        case("addmm", "aten::addmm.out", torch.addmm, real(512), real(64, 512), real(512, 512)),
        case("linear", "aten::linear.out", nn.Linear(768, 3072), real(1, 128, 768)),
        # movement and indexing
        case("embedding", "aten::embedding.out", nn.Embedding(8192, 768), torch.randint(0, 8192, (1, 128))),
        case("cat", "aten::cat.out", lambda a, b: torch.cat((a, b), 1), real(1, 128, 28, 28), real(1, 128, 28, 28)),
        case("slice", "aten::slice_copy.Tensor_out", lambda x: x[:, :, 256:512], real(1, 128, 768)),
        case("permute", "aten::permute_copy.out", lambda x: x.permute(0, 2, 1, 3), real(1, 128, 12, 64)),
        case("expand", "aten::expand_copy.out", lambda x: x.expand(1, 64, 56, 56), real(1, 64, 1, 1)),
        case("gather", "aten::gather.out", lambda x, i: torch.gather(x, 1, i), real(128, 1000), torch.randint(0, 1000, (128, 64))),
        case("index", "aten::index.Tensor_out", lambda x, i: x[i], real(512, 768), torch.randint(0, 512, (128,))),
        case("clone", "dim_order_ops::_clone_dim_order.out", torch.clone, real(1, 64, 56, 56)),
        case(
            "to_dim_order_copy",
            "dim_order_ops::_to_dim_order_copy.out",
            lambda x: x.to(memory_format=torch.channels_last),
            real(1, 64, 56, 56),
        ),
        # quantisation, int8 per tensor
        case(
            "quantize",
            "quantized_decomposed::quantize_per_tensor.out",
            lambda x: q.quantize_per_tensor.default(x, 0.02, 3, -128, 127, torch.int8),
            real(1, 64, 56, 56),
        ),
        case(
            "dequantize",
            "quantized_decomposed::dequantize_per_tensor.out",
            lambda x: q.dequantize_per_tensor.default(x, 0.02, 3, -128, 127, torch.int8),
            torch.randint(-128, 128, (1, 64, 56, 56), dtype=torch.int8),
        ),
    ]
