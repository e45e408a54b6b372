"""Models that the rules were read against first, each with its inputs: what was said wrong of them is mended."""
import torch
import torch.nn.functional as F
from torch import nn
from torch.export import Dim


class UNet(nn.Module):
    def __init__(self, c=16):
        super().__init__()
        self.d1 = nn.Sequential(nn.Conv2d(3, c, 3, padding=1), nn.BatchNorm2d(c), nn.SiLU())
        self.d2 = nn.Sequential(nn.Conv2d(c, 2 * c, 3, stride=2, padding=1), nn.BatchNorm2d(2 * c), nn.SiLU())
        self.d3 = nn.Sequential(nn.Conv2d(2 * c, 4 * c, 3, stride=2, padding=1), nn.GroupNorm(8, 4 * c), nn.SiLU())
        self.u2 = nn.ConvTranspose2d(4 * c, 2 * c, 2, stride=2)
        self.u1 = nn.ConvTranspose2d(4 * c, c, 2, stride=2)
        self.out = nn.Conv2d(2 * c, 4, 1)

    def forward(self, x):
        a = self.d1(x)
        b = self.d2(a)
        c = self.d3(b)
        u = torch.cat([self.u2(c), b], 1)
        u = torch.cat([self.u1(u), a], 1)
        return self.out(u).argmax(1)


class TasNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Conv1d(1, 64, 16, stride=8, bias=False)
        blocks = []
        for i in range(4):
            blocks.append(nn.Sequential(nn.Conv1d(64, 96, 1), nn.PReLU(), nn.GroupNorm(1, 96),
                                        nn.Conv1d(96, 96, 3, padding=2 ** i, dilation=2 ** i, groups=96), nn.PReLU(),
                                        nn.Conv1d(96, 64, 1)))
        self.blocks = nn.ModuleList(blocks)
        self.mask = nn.Conv1d(64, 128, 1)
        self.dec = nn.ConvTranspose1d(64, 1, 16, stride=8, bias=False)

    def forward(self, x):
        e = self.enc(x).relu()
        y = e
        for b in self.blocks:
            y = y + b(y)
        m = self.mask(y).view(1, 2, 64, -1).sigmoid()
        s = e.unsqueeze(1) * m
        return self.dec(s.view(2, 64, -1))


class GruTagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(500, 48)
        self.gru = nn.GRU(48, 64, batch_first=True, bidirectional=True)
        self.out = nn.Linear(128, 12)

    def forward(self, tokens):
        y, _ = self.gru(self.emb(tokens))
        return F.log_softmax(self.out(y), -1)


class Mixer(nn.Module):
    class Block(nn.Module):
        def __init__(self, n, d):
            super().__init__()
            self.n1, self.n2 = nn.LayerNorm(d), nn.LayerNorm(d)
            self.t1, self.t2 = nn.Linear(n, 2 * n), nn.Linear(2 * n, n)
            self.c1, self.c2 = nn.Linear(d, 4 * d), nn.Linear(4 * d, d)

        def forward(self, x):
            y = self.n1(x).transpose(1, 2)
            y = self.t2(F.gelu(self.t1(y))).transpose(1, 2)
            x = x + y
            return x + self.c2(F.gelu(self.c1(self.n2(x))))

    def __init__(self):
        super().__init__()
        self.patch = nn.Conv2d(3, 64, 8, stride=8)
        self.blocks = nn.Sequential(*[self.Block(64, 64) for _ in range(3)])
        self.head = nn.Linear(64, 10)

    def forward(self, x):
        y = self.patch(x).flatten(2).transpose(1, 2)
        return self.head(self.blocks(y).mean(1))


class PointNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b, self.c = nn.Linear(3, 64), nn.Linear(64, 128), nn.Linear(128, 256)
        self.h = nn.Linear(256, 40)

    def forward(self, pts):
        centre = pts.mean(1, keepdim=True)
        far = (pts - centre).norm(dim=-1, keepdim=True).amax(1, keepdim=True)
        x = (pts - centre) / far
        x = F.relu(self.a(x))
        x = F.relu(self.b(x))
        x = self.c(x).max(1).values
        return self.h(x)


class Decoder(nn.Module):
    """One layer with a cache, one token a call."""

    def __init__(self, d=64, heads=4, length=128):
        super().__init__()
        self.emb = nn.Embedding(300, d)
        self.q, self.k, self.v, self.o = (nn.Linear(d, d, bias=False) for _ in range(4))
        self.up, self.gate, self.down = nn.Linear(d, 3 * d), nn.Linear(d, 3 * d), nn.Linear(3 * d, d)
        self.norm = nn.LayerNorm(d)
        self.head = nn.Linear(d, 300, bias=False)
        self.heads = heads
        self.register_buffer("k_cache", torch.zeros(1, length, heads, d // heads))
        self.register_buffer("v_cache", torch.zeros(1, length, heads, d // heads))
        self.register_buffer("mask", torch.tril(torch.ones(length, length, dtype=torch.bool)))

    def forward(self, token, pos):
        x = self.emb(token)
        y = self.norm(x)
        h = (1, 1, self.heads, -1)
        self.k_cache.index_copy_(1, pos, self.k(y).view(h))
        self.v_cache.index_copy_(1, pos, self.v(y).view(h))
        q = self.q(y).view(h).transpose(1, 2)
        a = F.scaled_dot_product_attention(q, self.k_cache.transpose(1, 2), self.v_cache.transpose(1, 2),
                                           attn_mask=self.mask[pos])
        x = x + self.o(a.transpose(1, 2).reshape(1, 1, -1))
        x = x + self.down(F.silu(self.gate(x)) * self.up(x))
        return self.head(x)


class Recommender(nn.Module):
    def __init__(self):
        super().__init__()
        self.tables = nn.ModuleList([nn.Embedding(1000, 16) for _ in range(6)])
        self.bottom = nn.Sequential(nn.Linear(13, 64), nn.ReLU(), nn.Linear(64, 16), nn.ReLU())
        self.top = nn.Sequential(nn.Linear(16 + 21, 64), nn.ReLU(), nn.Linear(64, 1))
        i = torch.tril_indices(7, 7, -1)
        self.register_buffer("li", i[0])
        self.register_buffer("lj", i[1])

    def forward(self, dense, sparse):
        d = self.bottom(dense)
        e = [d] + [t(sparse[:, i]) for i, t in enumerate(self.tables)]
        z = torch.stack(e, 1)
        dots = torch.bmm(z, z.transpose(1, 2))[:, self.li, self.lj]
        return torch.sigmoid(self.top(torch.cat([d, dots], 1)))


class Graph(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(32, 64), nn.Linear(64, 64)
        self.h = nn.Linear(64, 5)

    def gather(self, x, src, dst):
        return torch.zeros_like(x).index_add(0, dst, x[src])

    def forward(self, x, src, dst):
        x = F.relu(self.a(x))
        x = F.relu(self.b(self.gather(x, src, dst)) + x)
        return self.h(self.gather(x, src, dst))


class SuperResolution(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Conv2d(3, 24, 5, padding=2), nn.Conv2d(24, 24, 3, padding=1)
        self.c = nn.Conv2d(24, 27, 3, padding=1)

    def forward(self, x):
        y = torch.tanh(self.a(x))
        y = torch.tanh(self.b(y))
        y = F.pixel_shuffle(self.c(y), 3)
        up = F.interpolate(x, scale_factor=3, mode="bilinear", align_corners=False)
        return (up + y).clamp(0, 1)


class TextCnn(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(1000, 32)
        self.convs = nn.ModuleList([nn.Conv1d(32, 48, k) for k in (3, 4, 5)])
        self.h = nn.Linear(144, 6)

    def forward(self, tokens):
        x = self.emb(tokens).transpose(1, 2)
        x = torch.cat([F.relu(c(x)).amax(-1) for c in self.convs], 1)
        return self.h(x)


class SqueezeNet(nn.Module):
    class Fire(nn.Module):
        def __init__(self, i, s, e):
            super().__init__()
            self.s, self.e1, self.e3 = nn.Conv2d(i, s, 1), nn.Conv2d(s, e, 1), nn.Conv2d(s, e, 3, padding=1)

        def forward(self, x):
            x = F.relu(self.s(x))
            return torch.cat([F.relu(self.e1(x)), F.relu(self.e3(x))], 1)

    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Conv2d(3, 32, 3, stride=2), nn.ReLU(), nn.MaxPool2d(3, 2), self.Fire(32, 8, 32),
                                 self.Fire(64, 8, 32), nn.MaxPool2d(3, 2), self.Fire(64, 16, 64), nn.Conv2d(128, 10, 1))

    def forward(self, x):
        return self.net(x).mean((2, 3))


class Detector(nn.Module):
    """Ends with work that no delegate takes: sorting of boxes."""

    def __init__(self):
        super().__init__()
        self.back = nn.Sequential(nn.Conv2d(3, 16, 3, 2, 1), nn.Hardswish(), nn.Conv2d(16, 32, 3, 2, 1), nn.Hardswish(),
                                  nn.Conv2d(32, 32, 3, 2, 1, groups=32), nn.Conv2d(32, 64, 1), nn.Hardswish())
        self.box, self.cls = nn.Conv2d(64, 12, 1), nn.Conv2d(64, 3, 1)

    def forward(self, x):
        f = self.back(x)
        b = self.box(f).view(1, 3, 4, -1).permute(0, 1, 3, 2).reshape(1, -1, 4)
        s = self.cls(f).reshape(1, -1).sigmoid()
        top = torch.topk(s, 50)
        i = top.indices.unsqueeze(-1).expand(-1, -1, 4)
        return torch.gather(b, 1, i), top.values


class Vae(nn.Module):
    def __init__(self):
        super().__init__()
        self.e = nn.Sequential(nn.Linear(784, 256), nn.ELU(), nn.Linear(256, 32))
        self.d = nn.Sequential(nn.Linear(16, 256), nn.ELU(), nn.Linear(256, 784))

    def forward(self, x, noise):
        mu, log = self.e(x.flatten(1)).chunk(2, 1)
        z = mu + noise * torch.exp(0.5 * log)
        kl = -0.5 * (1 + log - mu.pow(2) - log.exp()).sum(1)
        return torch.sigmoid(self.d(z)).view(-1, 28, 28), kl


class Wavelet(nn.Module):
    """Signal features without any weights: cumsum, sort, where, std."""

    def forward(self, x):
        y = x - x.mean(-1, keepdim=True)
        c = y.cumsum(-1)
        s = torch.sort(y, -1).values
        med = s[..., s.shape[-1] // 2]
        peaks = torch.where(y.abs() > 2 * y.std(-1, keepdim=True), y, torch.zeros_like(y))
        return c[..., ::64], med, peaks.pow(2).mean(-1)


class DynamicEncoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.proj = nn.Linear(24, 64)
        self.layer = nn.TransformerEncoderLayer(64, 4, 128, batch_first=True, dropout=0.0)
        self.h = nn.Linear(64, 8)

    def forward(self, x):
        return self.h(self.layer(self.proj(x))).mean(1)


def T(*s):
    return torch.randn(*s)


def I(n, *s):
    return torch.randint(0, n, s)


MODELS = {
    "unet": (UNet, (T(1, 3, 96, 96),), None),
    "tasnet": (TasNet, (T(1, 1, 4000),), None),
    "gru_tagger": (GruTagger, (I(500, 1, 20),), None),
    "mixer": (Mixer, (T(1, 3, 64, 64),), None),
    "pointnet": (PointNet, (T(1, 512, 3),), None),
    "decoder": (Decoder, (I(300, 1, 1), torch.tensor([5])), None),
    "recommender": (Recommender, (T(8, 13), I(1000, 8, 6)), None),
    "graph": (Graph, (T(200, 32), I(200, 800), I(200, 800)), None),
    "super_resolution": (SuperResolution, (torch.rand(1, 3, 48, 48),), None),
    "text_cnn": (TextCnn, (I(1000, 1, 40),), {"tokens": {1: Dim("n", min=8, max=2048)}}),
    "squeeze": (SqueezeNet, (T(1, 3, 112, 112),), None),
    "detector": (Detector, (T(1, 3, 128, 128),), None),
    "vae": (Vae, (T(4, 1, 28, 28), T(4, 16)), None),
    "wavelet": (Wavelet, (T(8, 1024),), None),
    "dynamic_encoder": (DynamicEncoder, (T(1, 30, 24),), {"x": {1: Dim("t", min=2, max=1024)}}),
}
INT8 = ["unet", "squeeze", "detector", "mixer", "vae", "text_cnn", "super_resolution"]
