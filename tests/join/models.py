"""Models whose right lines are known: each layer stands on a line of its own and has a shape of its own.

One family of operators a model. Where shapes repeat, the order of execution tells the lines apart.
"""
import torch
import torch.nn.functional as F
from torch import nn

from model import methods, model

IMAGE = (1, 3, 24, 20)


@model((1, 4, 64), kinds=("conv",))
class Conv1d(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Conv1d(4, 12, 5)
        self.b = nn.Conv1d(12, 10, 3, stride=2)
        self.c = nn.Conv1d(10, 14, 1, bias=False)

    def forward(self, x):
        x = self.a(x)
        x = torch.relu(self.b(x))
        return self.c(x)


@model(IMAGE, kinds=("conv", "small"))
class Conv2d(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Conv2d(3, 8, 3)
        self.b = nn.Conv2d(8, 12, 1)
        self.c = nn.Conv2d(12, 16, 3, stride=2, padding=1)
        self.d = nn.Conv2d(16, 20, 3, groups=2)
        self.e = nn.Conv2d(20, 9, 3, dilation=2, bias=False)

    def forward(self, x):
        x = self.a(x)
        x = self.b(x)
        x = self.c(x)
        x = self.d(x)
        return self.e(x)


@model(IMAGE, kinds=("conv", "small"))
class ConvBnRelu(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 8, 3, bias=False)
        self.bn1 = nn.BatchNorm2d(8)
        self.conv2 = nn.Conv2d(8, 12, 3, stride=2)
        self.bn2 = nn.BatchNorm2d(12)
        self.conv3 = nn.Conv2d(12, 18, 1, bias=False)
        self.bn3 = nn.BatchNorm2d(18)

    def forward(self, x):
        x = self.conv1(x)
        x = self.bn1(x)
        x = torch.relu(x)
        x = self.conv2(x)
        x = self.bn2(x)
        x = F.relu6(x)
        x = self.conv3(x)
        x = self.bn3(x)
        return F.hardtanh(x, -0.5, 0.5)


@model(IMAGE, kinds=("conv",))
class Depthwise(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 3)
        self.deep1 = nn.Conv2d(8, 8, 3, groups=8)
        self.point1 = nn.Conv2d(8, 14, 1)
        self.deep2 = nn.Conv2d(14, 28, 3, stride=2, groups=14)
        self.point2 = nn.Conv2d(28, 11, 1)

    def forward(self, x):
        x = self.stem(x)
        x = self.deep1(x)
        x = self.point1(x)
        x = F.relu6(self.deep2(x))
        return self.point2(x)


@model((1, 6, 7, 9), kinds=("conv",))
class Transposed(nn.Module):
    def __init__(self):
        super().__init__()
        self.up1 = nn.ConvTranspose2d(6, 8, 2, 2)
        self.up2 = nn.ConvTranspose2d(8, 5, 3, 2, 1)
        self.up3 = nn.ConvTranspose2d(5, 4, 3, groups=1, bias=False)

    def forward(self, x):
        x = torch.relu(self.up1(x))
        x = self.up2(x)
        return self.up3(x)


@model((1, 6, 14, 10), kinds=("norm", "small"))
class BatchNormAlone(nn.Module):
    """Batch norms behind nothing that they could be folded into."""

    def __init__(self):
        super().__init__()
        self.first = nn.BatchNorm2d(6)
        self.second = nn.BatchNorm2d(6)
        self.third = nn.BatchNorm1d(42)
        for bn in (self.first, self.second, self.third):
            nn.init.uniform_(bn.weight, 0.5, 1.5)
            nn.init.uniform_(bn.running_mean)

    def forward(self, x):
        x = self.first(x)
        x = F.max_pool2d(torch.relu(x), 2)
        x = self.second(x)
        x = x.reshape(5, 42)
        return self.third(x)


@model((3, 32), kinds=("linear", "small", "dynamic"), dynamic=({0: torch.export.Dim("rows", min=1, max=3)},))
class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(32, 64)
        self.b = nn.Linear(64, 96, bias=False)
        self.c = nn.Linear(96, 32)
        self.d = nn.Linear(32, 10)

    def forward(self, x):
        x = torch.relu(self.a(x))
        x = self.b(x)
        x = F.gelu(x)
        x = self.c(x)
        x = torch.tanh(x)
        return self.d(x)


@model((2, 5, 16), kinds=("linear",))
class Linear3d(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(16, 24, bias=False)
        self.b = nn.Linear(24, 20)
        self.weight = nn.Parameter(torch.randn(20, 12))
        self.bias = nn.Parameter(torch.randn(7))
        self.other = nn.Parameter(torch.randn(7, 12))

    def forward(self, x):
        x = self.a(x)
        x = self.b(x)
        x = x @ self.weight
        return F.linear(x, self.other, self.bias)


@model((5, 12), (4, 5, 7), kinds=("matmul", "small"))
class Matmul(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.randn(12, 5))

    def forward(self, x, y):
        x = torch.mm(x, self.w)
        x = torch.addmm(x, x, x)
        y = torch.matmul(x, y)
        z = torch.bmm(y.transpose(1, 2), y)
        return torch.einsum("bij,bkj->bik", z, z[:, :3])


@model((1, 6, 32), kinds=("attention", "linear", "small"))
class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.q = nn.Linear(32, 48)
        self.k = nn.Linear(32, 48)
        self.v = nn.Linear(32, 40)
        self.out = nn.Linear(40, 28)

    def forward(self, x):
        q = self.q(x)
        k = self.k(x)
        v = self.v(x)
        scores = q @ k.transpose(1, 2)
        scores = scores * 0.25
        weights = torch.softmax(scores, -1)
        x = weights @ v
        return self.out(x)


@model((2, 6, 32), kinds=("attention", "linear"))
class FusedAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(32, 96)
        self.out = nn.Linear(32, 20)

    def forward(self, x):
        q, k, v = self.qkv(x).split(32, 2)
        q = q.view(2, 6, 4, 8).transpose(1, 2)
        k = k.view(2, 6, 4, 8).transpose(1, 2)
        v = v.view(2, 6, 4, 8).transpose(1, 2)
        x = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x.transpose(1, 2).reshape(2, 6, 32)
        return self.out(x)


class RmsNorm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(width) + 0.5)

    def forward(self, x):
        scale = torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5)
        x = x * scale
        return x * self.weight


@model((4, 24), kinds=("norm", "linear"))
class Norms(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.LayerNorm(24)
        self.a = nn.Linear(24, 36)
        self.rms = RmsNorm(36)
        self.b = nn.Linear(36, 40)
        self.torch_rms = nn.RMSNorm(40)
        self.c = nn.Linear(40, 30)
        self.group = nn.GroupNorm(3, 30)

    def forward(self, x):
        x = self.layer(x)
        x = self.a(x)
        x = self.rms(x)
        x = self.b(x)
        x = self.torch_rms(x)
        x = self.c(x)
        return self.group(x)


@model((1, 4, 32, 28), kinds=("pool", "small"))
class Pooling(nn.Module):
    def forward(self, x):
        x = F.max_pool2d(x, 2)
        x = F.avg_pool2d(x, 3, 1)
        x = F.max_pool2d(x, 3, 1, 1, 1)[:, :, 1:]
        y = F.adaptive_avg_pool2d(x, (1, 1))
        z = x.mean((2, 3))
        w = torch.amax(x, (1, 2))
        return y, z, w


@model((6, 11), kinds=("elementwise", "small"))
class Elementwise(nn.Module):
    """Chains in which activations may go into what is before them; shapes shrink by slicing."""

    def forward(self, x):
        x = torch.relu(x + x * 2)
        x = x[:, :10]
        x = torch.sigmoid(x)
        x = x[:, :9]
        x = F.relu6(x * x)
        x = x[:, :8]
        x = torch.exp(x)
        x = torch.sqrt(x[:, :7])
        x = x.clamp(1.1, 3.0)
        x = torch.log(x[:, :6])
        x = torch.abs(x - 1)
        x = torch.maximum(x[:, :5], x[:, 1:])
        return torch.neg(x) / (x + 1)


@model((3, 8, 6), kinds=("elementwise",))
class Activations(nn.Module):
    def forward(self, x):
        x = F.gelu(x)
        x = F.elu(x[:, :7])
        x = F.leaky_relu(x[:, :6])
        x = F.hardswish(x[:, :5])
        x = F.silu(x[:, :4])
        x = F.softplus(x[:, :3])
        x = F.hardsigmoid(x[:, :2])
        return F.log_softmax(x, -1)


@model((4, 24), kinds=("linear",))
class SharedWeights(nn.Module):
    """Two lines use one weight; the shapes of their inputs tell them apart."""

    def __init__(self):
        super().__init__()
        self.shared = nn.Linear(24, 24)
        self.narrow = nn.Linear(24, 16)

    def forward(self, x):
        x = self.shared(x)
        y = F.linear(x[:3], self.shared.weight)
        z = self.narrow(y[:2])
        return z, F.linear(z, self.narrow.weight.t())


class TwoLayers(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(4, 4, 3)
        self.mix = nn.Conv2d(4, 4, 1)

    def forward(self, x):
        x = self.conv(x)
        return torch.relu(self.mix(x))


@model((1, 4, 20, 16), kinds=("conv",))
class CalledTwice(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = TwoLayers()
        self.head = nn.Conv2d(4, 7, 1)

    def forward(self, x):
        x = self.block(x)
        x = self.head(x)[:, :4]
        return self.block(x)


class LstmCell(nn.Module):
    def __init__(self, inputs, hidden):
        super().__init__()
        self.x = nn.Linear(inputs, 4 * hidden)
        self.h = nn.Linear(hidden, 4 * hidden, bias=False)

    def forward(self, x, h, c):
        gates = self.x(x)
        gates = gates + self.h(h)
        i, f, g, o = gates.chunk(4, 1)
        forget = torch.sigmoid(f)
        keep = forget * c
        new = torch.sigmoid(i) * torch.tanh(g)
        c = keep + new
        return torch.sigmoid(o) * torch.tanh(c), c


@model((3, 1, 12), kinds=("lstm", "linear"))
class UnrolledLstm(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = LstmCell(12, 16)
        self.out = nn.Linear(16, 5)

    def forward(self, x):
        h = torch.zeros(1, 16)
        c = torch.zeros(1, 16)
        for t in range(3):
            h, c = self.cell(x[t], h, c)
        return self.out(h)


@model((4, 1, 10), kinds=("lstm",))
class LibraryLstm(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(10, 14)
        self.out = nn.Linear(14, 6)

    def forward(self, x):
        y, _ = self.lstm(x)
        return self.out(y)


@model((4, 1, 10), kinds=("lstm",))
class LibraryGru(nn.Module):
    def __init__(self):
        super().__init__()
        self.gru = nn.GRU(10, 14)
        self.out = nn.Linear(14, 6)

    def forward(self, x):
        y, _ = self.gru(x)
        return self.out(y)


@model((4, 9), kinds=("control", "small"))
class Cond(nn.Module):
    def forward(self, x):
        def grow(v):
            v = torch.sin(v)
            return v + v

        def shrink(v):
            v = torch.cos(v)
            return torch.neg(v)

        x = torch.cond(x.sum() > 0, grow, shrink, (x,))
        return torch.tanh(x[:, :7])


@model((5, 6), (6,), kinds=("control",))
class Map(nn.Module):
    def forward(self, xs, y):
        from functorch.experimental import control_flow

        def step(x, y):
            x = x + y
            return torch.tanh(x) * y

        z = control_flow.map(step, xs, y)
        return torch.exp(z[:, :4])


@model((7,), (5, 7), kinds=("control",))
class Scan(nn.Module):
    def forward(self, carry, xs):
        from torch._higher_order_ops import scan

        def step(carry, x):
            new = torch.tanh(carry) + x
            return new, new * x

        last, all_rows = scan(step, carry, xs, dim=0)
        return last, torch.exp(all_rows[:, :4])


@model((1, 8), kinds=("control",))
class While(nn.Module):
    def forward(self, x):
        from torch._higher_order_ops import while_loop

        def more(i, x):
            return i < 3

        def body(i, x):
            x = torch.sin(x)
            return i + 1, x * 0.5

        i, y = while_loop(more, body, (torch.tensor(0), x))
        return torch.exp(y[:, :6])


class Encode(nn.Module):
    def __init__(self, linear):
        super().__init__()
        self.linear = linear

    def forward(self, x):
        x = self.linear(x)
        return torch.tanh(x)


class Decode(nn.Module):
    def __init__(self, linear):
        super().__init__()
        self.linear = linear

    def forward(self, x):
        x = torch.sigmoid(x)
        return self.linear(x)


@methods(kinds=("methods", "linear", "small"))
def SeveralMethods():
    encode, decode = nn.Linear(24, 8), nn.Linear(8, 30)
    return {
        "encode": (Encode(encode), (torch.randn(2, 24),)),
        "decode": (Decode(decode), (torch.randn(2, 8),)),
    }
