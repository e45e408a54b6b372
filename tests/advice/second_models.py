"""Models that were written after the rules were mended, and are not tuned for."""
import torch
import torch.nn.functional as F
from torch import nn


class EffBlock(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        m = 4 * i
        self.a = nn.Sequential(nn.Conv2d(i, m, 1), nn.BatchNorm2d(m), nn.SiLU())
        self.b = nn.Sequential(nn.Conv2d(m, m, 5, padding=2, groups=m), nn.BatchNorm2d(m), nn.SiLU())
        self.s = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(m, i, 1), nn.ReLU(), nn.Conv2d(i, m, 1), nn.Sigmoid())
        self.c = nn.Conv2d(m, o, 1)

    def forward(self, x):
        y = self.b(self.a(x))
        return self.c(y * self.s(y))


class Efficient(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 16, 3, 2, 1)
        self.net = nn.Sequential(EffBlock(16, 24), nn.MaxPool2d(2), EffBlock(24, 40))
        self.head = nn.Linear(40, 20)

    def forward(self, x):
        return self.head(F.adaptive_avg_pool2d(self.net(self.stem(x)), 1).flatten(1))


class Window(nn.Module):
    """Shifted windows."""

    def __init__(self, d=48, w=4, heads=3):
        super().__init__()
        self.w, self.heads = w, heads
        self.qkv, self.o, self.n = nn.Linear(d, 3 * d), nn.Linear(d, d), nn.LayerNorm(d)
        self.bias = nn.Parameter(torch.zeros(heads, w * w, w * w))

    def forward(self, x):
        b, h, w, d = x.shape
        y = torch.roll(self.n(x), (-2, -2), (1, 2))
        y = y.view(b, h // self.w, self.w, w // self.w, self.w, d).permute(0, 1, 3, 2, 4, 5).reshape(-1, self.w ** 2, d)
        q, k, v = self.qkv(y).reshape(y.shape[0], self.w ** 2, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        a = torch.softmax(q @ k.transpose(-2, -1) * 0.25 + self.bias, -1) @ v
        y = self.o(a.transpose(1, 2).reshape(-1, self.w ** 2, d))
        y = y.view(b, h // self.w, w // self.w, self.w, self.w, d).permute(0, 1, 3, 2, 4, 5).reshape(b, h, w, d)
        return x + torch.roll(y, (2, 2), (1, 2))


class Keyword(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Conv1d(40, 64, 5, 2), nn.ReLU(), nn.MaxPool1d(2), nn.Conv1d(64, 64, 3), nn.ReLU(),
                                 nn.Conv1d(64, 96, 3), nn.ReLU(), nn.AdaptiveAvgPool1d(1), nn.Flatten(), nn.Linear(96, 12))

    def forward(self, x):
        return self.net(x).softmax(-1)


class Retrieval(nn.Module):
    def __init__(self):
        super().__init__()
        self.q = nn.Sequential(nn.Linear(128, 256), nn.Tanh(), nn.Linear(256, 64))
        self.register_buffer("corpus", F.normalize(torch.randn(5000, 64), dim=-1))

    def forward(self, x):
        e = F.normalize(self.q(x), dim=-1)
        s, i = torch.topk(e @ self.corpus.t(), 10)
        return s, i


class ConvLstm(nn.Module):
    def __init__(self):
        super().__init__()
        self.g = nn.Conv2d(3 + 16, 64, 3, padding=1)
        self.out = nn.Conv2d(16, 1, 1)

    def forward(self, frames):
        h = torch.zeros(1, 16, 24, 24)
        c = torch.zeros(1, 16, 24, 24)
        for t in range(4):
            i, f, o, g = self.g(torch.cat([frames[:, t], h], 1)).chunk(4, 1)
            c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
            h = torch.sigmoid(o) * torch.tanh(c)
        return self.out(h)


class Style(nn.Module):
    def __init__(self):
        super().__init__()
        self.e = nn.Sequential(nn.ReflectionPad2d(1), nn.Conv2d(3, 32, 3), nn.InstanceNorm2d(32), nn.ReLU(),
                               nn.ReflectionPad2d(1), nn.Conv2d(32, 32, 3), nn.InstanceNorm2d(32), nn.ReLU())
        self.d = nn.Sequential(nn.Upsample(scale_factor=2), nn.Conv2d(32, 3, 3, padding=1))

    def forward(self, x):
        return torch.sigmoid(self.d(self.e(x))) * 255


def T(*s):
    return torch.randn(*s)


MODELS = {
    "efficient": (Efficient, (T(1, 3, 96, 96),), None),
    "window": (Window, (T(1, 16, 16, 48),), None),
    "keyword": (Keyword, (T(1, 40, 100),), None),
    "retrieval": (Retrieval, (T(1, 128),), None),
    "conv_lstm": (ConvLstm, (T(1, 4, 3, 24, 24),), None),
    "style": (Style, (T(1, 3, 64, 64),), None),
}
INT8 = ["efficient", "keyword"]
