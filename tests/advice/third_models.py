"""Models that were written after the mends of the second set, and read once."""
import torch
import torch.nn.functional as F
from torch import nn


class Made(nn.Module):
    """Masked linear layers: weight * mask in each forward."""

    def __init__(self, n=64):
        super().__init__()
        self.w1, self.w2 = nn.Parameter(torch.randn(256, n) * 0.1), nn.Parameter(torch.randn(n, 256) * 0.1)
        self.register_buffer("m1", torch.tril(torch.ones(256, n)))
        self.register_buffer("m2", torch.tril(torch.ones(n, 256)))

    def forward(self, x):
        return F.linear(F.relu(F.linear(x, self.w1 * self.m1)), self.w2 * self.m2)


class Mel(nn.Module):
    def __init__(self):
        super().__init__()
        t = torch.arange(256.0)
        f = torch.arange(65.0)
        self.register_buffer("cos", torch.cos(2 * torch.pi * f[:, None] * t / 256)[:, None])
        self.register_buffer("sin", torch.sin(2 * torch.pi * f[:, None] * t / 256)[:, None])
        self.register_buffer("mel", torch.rand(65, 32))

    def forward(self, audio):
        x = F.pad(audio[:, None], (128, 128), mode="reflect")
        p = F.conv1d(x, self.cos, stride=128) ** 2 + F.conv1d(x, self.sin, stride=128) ** 2
        return torch.log(p.transpose(1, 2) @ self.mel + 1e-6)


class Perceiver(nn.Module):
    def __init__(self, d=64, n=16):
        super().__init__()
        self.q = nn.Parameter(torch.randn(1, n, d))
        self.wq, self.wk, self.wv = nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, d)
        self.m = nn.Sequential(nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, d))

    def forward(self, x):
        a = torch.softmax(torch.bmm(self.wq(self.q), self.wk(x).transpose(1, 2)) / 8, -1)
        z = torch.bmm(a, self.wv(x))
        return z + self.m(z)


class Rotary(nn.Module):
    def __init__(self, d=64, heads=4, length=48):
        super().__init__()
        self.heads = heads
        self.g = nn.Parameter(torch.ones(d))
        self.qkv, self.o = nn.Linear(d, 3 * d, bias=False), nn.Linear(d, d, bias=False)
        a = torch.outer(torch.arange(float(length)), 10000 ** (-torch.arange(0.0, 8) / 8))
        self.register_buffer("cos", torch.cat([a, a], 1).cos())
        self.register_buffer("sin", torch.cat([a, a], 1).sin())
        self.register_buffer("mask", torch.full((length, length), float("-inf")).triu(1))

    def rotate(self, x):
        a, b = x.chunk(2, -1)
        return x * self.cos + torch.cat([-b, a], -1) * self.sin

    def forward(self, x):
        y = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * self.g
        q, k, v = self.qkv(y).view(1, -1, 3, self.heads, 16).permute(2, 0, 3, 1, 4)
        s = self.rotate(q) @ self.rotate(k).transpose(-1, -2) * 0.25 + self.mask
        return x + self.o((torch.softmax(s, -1) @ v).transpose(1, 2).reshape(x.shape))


class Anomaly(nn.Module):
    def __init__(self):
        super().__init__()
        self.e = nn.Sequential(nn.Conv2d(1, 16, 3, 2, 1), nn.LeakyReLU(0.1), nn.Conv2d(16, 32, 3, 2, 1), nn.LeakyReLU(0.1))
        self.d = nn.Sequential(nn.ConvTranspose2d(32, 16, 4, 2, 1), nn.LeakyReLU(0.1), nn.ConvTranspose2d(16, 1, 4, 2, 1))

    def forward(self, x):
        y = self.d(self.e(x))
        error = (x - y).abs()
        return F.avg_pool2d(error, 8), error.amax((1, 2, 3)), (error > 0.5).sum()


def T(*s):
    return torch.randn(*s)


MODELS = {
    "made": (Made, (T(1, 64),), None),
    "mel": (Mel, (T(1, 8000),), None),
    "perceiver": (Perceiver, (T(1, 200, 64),), None),
    "rotary": (Rotary, (T(1, 48, 64),), None),
    "anomaly": (Anomaly, (T(1, 1, 64, 64),), None),
}
INT8 = ["anomaly"]
