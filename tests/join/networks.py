"""Models of several families of operators, as users write them. As in models.py, a layer stands on a line of its own."""
import torch
import torch.nn.functional as F
from torch import nn

from model import model


class GptBlock(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1 = nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.proj = nn.Linear(width, width)
        self.norm2 = nn.LayerNorm(width)
        self.up = nn.Linear(width, 4 * width)
        self.down = nn.Linear(4 * width, width)

    def forward(self, x):
        b, t, c = x.shape
        y = self.norm1(x)
        q, k, v = self.qkv(y).split(c, dim=2)
        q = q.view(b, t, self.heads, c // self.heads).transpose(1, 2)
        k = k.view(b, t, self.heads, c // self.heads).transpose(1, 2)
        v = v.view(b, t, self.heads, c // self.heads).transpose(1, 2)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        y = y.transpose(1, 2).reshape(b, t, c)
        x = x + self.proj(y)
        y = self.norm2(x)
        y = F.gelu(self.up(y))
        return x + self.down(y)


@model(torch.arange(7)[None], kinds=("network", "attention", "linear", "small", "dynamic"),
       dynamic=({1: torch.export.Dim("length", min=2, max=7)},))
class NanoGpt(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens = nn.Embedding(40, 32)
        self.places = nn.Embedding(16, 32)
        self.blocks = nn.ModuleList(GptBlock(32, 2) for _ in range(2))
        self.norm = nn.LayerNorm(32)
        self.head = nn.Linear(32, 40, bias=False)
        self.register_buffer("positions", torch.arange(16))

    def forward(self, ids):
        x = self.tokens(ids)
        x = x + self.places(self.positions[: ids.shape[1]])
        for block in self.blocks:
            x = block(x)
        x = self.norm(x)
        return self.head(x)


class ConvNorm(nn.Module):
    def __init__(self, i, o, kernel, stride=1, groups=1):
        super().__init__()
        self.conv = nn.Conv2d(i, o, kernel, stride, kernel // 2, groups=groups, bias=False)
        self.norm = nn.BatchNorm2d(o)

    def forward(self, x):
        x = self.conv(x)
        x = self.norm(x)
        return F.relu6(x)


@model((1, 3, 32, 28), kinds=("network", "conv", "small"))
class MobileNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = ConvNorm(3, 8, 3, 2)
        self.expand = ConvNorm(8, 24, 1)
        self.deep = ConvNorm(24, 24, 3, 1, 24)
        self.project = nn.Conv2d(24, 8, 1)
        self.last = ConvNorm(8, 20, 1)
        self.classifier = nn.Linear(20, 11)

    def forward(self, x):
        x = self.stem(x)
        y = self.expand(x)
        y = self.deep(y)
        y = self.project(y)
        x = x + y
        x = self.last(x)
        x = x.mean([2, 3])
        return self.classifier(x)


@model((1, 3, 16, 24), kinds=("network", "conv"))
class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.down1 = nn.Conv2d(3, 6, 3, padding=1)
        self.down2 = nn.Conv2d(6, 10, 3, padding=1)
        self.middle = nn.Conv2d(10, 14, 3, padding=1)
        self.up = nn.ConvTranspose2d(14, 10, 2, 2)
        self.join = nn.Conv2d(20, 9, 3, padding=1)
        self.out = nn.Conv2d(9, 2, 1)

    def forward(self, x):
        x = torch.relu(self.down1(x))
        x = F.max_pool2d(x, 2)
        skip = torch.relu(self.down2(x))
        x = F.avg_pool2d(skip, 2)
        x = torch.relu(self.middle(x))
        x = self.up(x)
        x = torch.cat([x, skip], 1)
        x = self.join(x)
        x = F.interpolate(x, scale_factor=2.0, mode="bilinear")
        return self.out(x)


@model((1, 4, 16, 18), kinds=("network", "conv"))
class SqueezeExcite(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(4, 12, 3)
        self.reduce = nn.Conv2d(12, 5, 1)
        self.expand = nn.Conv2d(5, 12, 1)
        self.out = nn.Linear(12, 7)

    def forward(self, x):
        x = self.stem(x)
        x = F.hardswish(x)
        s = x.mean((2, 3), keepdim=True)
        s = torch.relu(self.reduce(s))
        s = torch.sigmoid(self.expand(s))
        x = x * s
        x = x.amax((2, 3))
        return self.out(x)


@model((1, 4, 12, 10), kinds=("network", "conv", "small"))
class Branches(nn.Module):
    """Parallel branches: data flow leaves their order open."""

    def __init__(self):
        super().__init__()
        self.one = nn.Conv2d(4, 6, 1)
        self.three = nn.Conv2d(4, 8, 3, padding=1)
        self.five = nn.Conv2d(4, 10, 5, padding=2)
        self.pooled = nn.Conv2d(4, 7, 1)
        self.out = nn.Conv2d(31, 13, 1)

    def forward(self, x):
        d = self.pooled(F.max_pool2d(x, 3, 1, 1))
        c = torch.relu(self.five(x))
        b = self.three(x)
        a = torch.sigmoid(self.one(x))
        x = torch.cat([a, b, c, d], 1)
        return self.out(x)


@model((6, 24), kinds=("linear", "small"))
class EqualShapes(nn.Module):
    """Layers that only their order tells apart."""

    def __init__(self):
        super().__init__()
        self.a = nn.Linear(24, 24)
        self.b = nn.Linear(24, 24)
        self.c = nn.Linear(24, 24, bias=False)
        self.d = nn.Linear(24, 24)

    def forward(self, x):
        x = self.a(x)
        x = torch.tanh(x)
        x = self.b(x)
        x = torch.sigmoid(x)
        x = self.c(x)
        x = torch.tanh(x)
        x = self.d(x)
        return torch.sigmoid(x)


@model((2, 3, 8, 10), kinds=("layout", "small"))
class Layout(nn.Module):
    """Movements of data that lines cause, beside those that lowering inserts."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 5, 3)
        self.last = nn.Conv2d(4, 9, 1)

    def forward(self, x):
        x = self.conv(x)
        x = x.permute(0, 2, 3, 1)
        x = x.reshape(2, 12, 20)
        x = F.pad(x, (1, 2))
        x = torch.cat([x, x[:, :7]], 1)
        x = x.transpose(1, 2)
        x = x[:, 2:22, :16].reshape(2, 4, 5, 16)
        return self.last(x)


@model((5, 8), torch.tensor([3, 0, 2]), kinds=("portable", "small"))
class Indexing(nn.Module):
    def forward(self, x, index):
        y = torch.index_select(x, 0, index)
        z = torch.cumsum(y, 1)
        s, i = torch.topk(z[:, :6], 6)
        t, _ = torch.topk(s[:, :5], 4)
        u = torch.where(t > 0, t, t * 0.1)
        v = torch.gather(x, 1, i[:, :3])
        w = torch.stack([v, u[:, 1:]])
        return w.sum((0, 1)), torch.argmax(x, 1), x.var(0)


@model((3, 7, 6), kinds=("portable",))
class Reductions(nn.Module):
    def forward(self, x):
        a = x.sum(0)
        b = x.mean(1)
        c = x.amax(2)
        d = torch.linalg.vector_norm(x[:, :5], dim=1)
        e = x[:, :4].std(1)
        f = x.prod(2)
        return a, b, c, d, e, f


@model((3, 8), kinds=("state",))
class Buffers(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("seen", torch.zeros(3, 8))
        self.lin = nn.Linear(8, 6)

    def forward(self, x):
        self.seen.add_(x)
        y = self.lin(self.seen)
        return torch.tanh(y)


def gate(x, scale):
    x = torch.sigmoid(x)
    return x * scale


@model((4, 16), kinds=("linear", "small", "dynamic"), dynamic=({0: torch.export.Dim("rows", min=1, max=4)},))
class Helpers(nn.Module):
    """A function of the user's called from two lines, and outputs that nothing computes."""

    def __init__(self):
        super().__init__()
        self.a = nn.Linear(16, 20)
        self.b = nn.Linear(20, 12)

    def forward(self, x):
        x = self.a(x)
        x = gate(x, 2.0)
        x = self.b(x)
        return gate(x, 3.0), None


@model((1, 3, 14, 12), kinds=("conv",))
class OneLine(nn.Module):
    """All layers behind one line of the user's."""

    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Conv2d(3, 6, 3), nn.ReLU(), nn.Conv2d(6, 8, 3), nn.Sigmoid())

    def forward(self, x):
        return self.net(x)


@model((1, 5, 16), kinds=("attention",))
class LibraryEncoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(16, 2, 24, batch_first=True)
        self.out = nn.Linear(16, 9)

    def forward(self, x):
        x = self.layer(x)
        return self.out(x)


@model((1, 6, 8, 8), kinds=("conv",))
class Prelu(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(6, 5, 3)
        self.act = nn.PReLU(5)
        self.next = nn.Conv2d(5, 4, 3)

    def forward(self, x):
        x = self.conv(x)
        x = self.act(x)
        x = self.next(x)
        return F.interpolate(x, scale_factor=2.0, mode="nearest")
