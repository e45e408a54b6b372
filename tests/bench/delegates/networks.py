"""Networks of the kinds that users bring, with random weights: what make_delegated.py exports beside its own models."""
import torch
from torch import nn
from torch.nn import functional as F


class Basic(nn.Module):
    """ResNet's block of two 3x3 convolutions."""

    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.first = nn.Sequential(nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), nn.BatchNorm2d(outputs))
        self.second = nn.Sequential(nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False), nn.BatchNorm2d(outputs))
        self.skip = nn.Identity()
        if stride != 1 or inputs != outputs:
            self.skip = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x):
        return F.relu(self.skip(x) + self.second(F.relu(self.first(x))))


class ResNet18(nn.Module):
    """arXiv:1512.03385, table 1, 18 layers; `width` channels in the first stage."""

    def __init__(self, width=64):
        super().__init__()
        layers = [nn.Conv2d(3, width, 7, 2, 3, bias=False), nn.BatchNorm2d(width), nn.ReLU(), nn.MaxPool2d(3, 2, 1)]
        inputs = width
        for stage in range(4):
            for i in range(2):
                layers.append(Basic(inputs, width << stage, 2 if stage > 0 and i == 0 else 1))
                inputs = width << stage
        self.features, self.classes = nn.Sequential(*layers), nn.Linear(inputs, 1000)

    def forward(self, x):
        return self.classes(self.features(x).mean((2, 3)))


class SqueezeExcite(nn.Module):
    def __init__(self, channels, reduced):
        super().__init__()
        self.reduce, self.expand = nn.Conv2d(channels, reduced, 1), nn.Conv2d(reduced, channels, 1)

    def forward(self, x):
        return x * torch.sigmoid(self.expand(F.silu(self.reduce(x.mean((2, 3), keepdim=True)))))


class MBConv(nn.Module):
    def __init__(self, inputs, outputs, kernel, stride, expansion):
        super().__init__()
        middle = inputs * expansion
        layers = []
        if expansion != 1:
            layers += [nn.Conv2d(inputs, middle, 1, bias=False), nn.BatchNorm2d(middle), nn.SiLU()]
        layers += [nn.Conv2d(middle, middle, kernel, stride, kernel // 2, groups=middle, bias=False),
                   nn.BatchNorm2d(middle), nn.SiLU(), SqueezeExcite(middle, max(1, inputs // 4)),
                   nn.Conv2d(middle, outputs, 1, bias=False), nn.BatchNorm2d(outputs)]
        self.layers, self.residual = nn.Sequential(*layers), stride == 1 and inputs == outputs

    def forward(self, x):
        return x + self.layers(x) if self.residual else self.layers(x)


class EfficientNetB0(nn.Module):
    """Expansion, channels, repeats, stride, kernel of each stage: arXiv:1905.11946, table 1."""

    STAGES = [(1, 16, 1, 1, 3), (6, 24, 2, 2, 3), (6, 40, 2, 2, 5), (6, 80, 3, 2, 3), (6, 112, 3, 1, 5), (6, 192, 4, 2, 5),
              (6, 320, 1, 1, 3)]

    def __init__(self):
        super().__init__()
        layers, inputs = [nn.Conv2d(3, 32, 3, 2, 1, bias=False), nn.BatchNorm2d(32), nn.SiLU()], 32
        for expansion, outputs, repeats, stride, kernel in self.STAGES:
            for i in range(repeats):
                layers.append(MBConv(inputs, outputs, kernel, stride if i == 0 else 1, expansion))
                inputs = outputs
        layers += [nn.Conv2d(inputs, 1280, 1, bias=False), nn.BatchNorm2d(1280), nn.SiLU()]
        self.features, self.classes = nn.Sequential(*layers), nn.Linear(1280, 1000)

    def forward(self, x):
        return self.classes(self.features(x).mean((2, 3)))


def twice(inputs, outputs):
    return nn.Sequential(nn.Conv2d(inputs, outputs, 3, padding=1), nn.ReLU(), nn.Conv2d(outputs, outputs, 3, padding=1),
                         nn.ReLU())


class UNet(nn.Module):
    """Three levels, transposed convolutions on the way up; grey image to two classes."""

    def __init__(self, width=16):
        super().__init__()
        self.down = nn.ModuleList([twice(1, width), twice(width, 2 * width), twice(2 * width, 4 * width)])
        self.up = nn.ModuleList([nn.ConvTranspose2d(4 * width, 2 * width, 2, 2), nn.ConvTranspose2d(2 * width, width, 2, 2)])
        self.join = nn.ModuleList([twice(4 * width, 2 * width), twice(2 * width, width)])
        self.classes = nn.Conv2d(width, 2, 1)

    def forward(self, x):
        a = self.down[0](x)
        b = self.down[1](F.max_pool2d(a, 2))
        c = self.down[2](F.max_pool2d(b, 2))
        b = self.join[0](torch.cat((self.up[0](c), b), 1))
        return self.classes(self.join[1](torch.cat((self.up[1](b), a), 1)))


class DetectionHead(nn.Module):
    """Three pyramid levels, separable convolutions, boxes and classes."""

    def __init__(self, channels=64, classes=20):
        super().__init__()
        self.body = nn.Sequential(*[layer for _ in range(3) for layer in (
            nn.Conv2d(channels, channels, 3, padding=1, groups=channels), nn.Conv2d(channels, channels, 1), nn.Hardswish())])
        self.box, self.label = nn.Conv2d(channels, 4, 3, padding=1), nn.Conv2d(channels, classes, 3, padding=1)

    def forward(self, a, b, c):
        out = []
        for x in (a, b, c):
            x = self.body(x)
            out += [self.box(x), torch.sigmoid(self.label(x))]
        return tuple(out)


class WaveEncoder(nn.Module):
    """Strided 1-D convolutions from samples to frames, as speech models begin; dilated blocks behind."""

    def __init__(self, width=48):
        super().__init__()
        layers, inputs = [], 1
        for i, (kernel, stride) in enumerate(((10, 5), (8, 4), (4, 2), (4, 2))):
            layers += [nn.Conv1d(inputs, width << min(i, 1), kernel, stride, kernel // 2), nn.GELU()]
            inputs = width << min(i, 1)
        for dilation in (1, 2, 4, 8):
            layers += [nn.Conv1d(inputs, inputs, 3, padding=dilation, dilation=dilation), nn.ReLU()]
        self.layers = nn.Sequential(*layers)

    def forward(self, x):
        return self.layers(x)


class PitchNet(nn.Module):
    """Six convolutions over a frame of 1,024 samples, kernels of 512 and 64: the shapes of CREPE's smallest model."""

    def __init__(self):
        super().__init__()
        widths = (1, 128, 16, 16, 16, 32, 64)
        self.layers = nn.ModuleList(
            nn.Sequential(nn.Conv2d(widths[i], widths[i + 1], (512 if i == 0 else 64, 1), (4 if i == 0 else 1, 1)), nn.ReLU(),
                          nn.BatchNorm2d(widths[i + 1]), nn.MaxPool2d((2, 1), (2, 1))) for i in range(6))
        self.pitch = nn.Linear(256, 360)

    def forward(self, x):
        x = x[:, None, :, None]
        for i, layer in enumerate(self.layers):
            x = layer(F.pad(x, (0, 0, 254, 254) if i == 0 else (0, 0, 31, 32)))
        return torch.sigmoid(self.pitch(x.permute(0, 2, 1, 3).reshape(x.shape[0], -1)))


class VisionTransformer(nn.Module):
    def __init__(self, width=192, heads=3, layers=4):
        super().__init__()
        self.patches = nn.Conv2d(3, width, 16, 16)
        self.blocks = nn.ModuleList(nn.TransformerEncoderLayer(width, heads, 4 * width, 0.0, "gelu", batch_first=True,
                                                               norm_first=True) for _ in range(layers))
        self.classes = nn.Linear(width, 1000)

    def forward(self, x):
        x = self.patches(x).flatten(2).transpose(1, 2)
        for block in self.blocks:
            x = block(x)
        return self.classes(x.mean(1))


def networks():
    """Name: how to make module and inputs."""
    image = (torch.randn(1, 3, 224, 224),)
    levels = tuple(torch.randn(1, 64, s, s) for s in (40, 20, 10))
    return {
        "resnet18": lambda: (ResNet18().eval(), image),
        "resnet18_narrow": lambda: (ResNet18(12).eval(), (torch.randn(1, 3, 112, 112),)),
        "efficientnet": lambda: (EfficientNetB0().eval(), image),
        "unet": lambda: (UNet().eval(), (torch.randn(1, 1, 96, 96),)),
        "detection_head": lambda: (DetectionHead().eval(), levels),
        "wave_encoder": lambda: (WaveEncoder().eval(), (torch.randn(1, 1, 16000),)),
        "pitch": lambda: (PitchNet().eval(), (torch.randn(4, 1024),)),
        "vit": lambda: (VisionTransformer().eval(), image),
    }
