"""Trains a classifier of hand-written digits in seconds and exports it for XNNPACK; writes pictures to try it on.

    pip install torch==2.13.0 executorch==1.5.1 scikit-learn==1.9.1
    python export.py out        writes model.pte, etrecord.bin, digit-0.png ... digit-9.png

Data: scikit-learn's digits (UCI, Alpaydin and Kaynak, CC BY 4.0), 8 x 8 grey pictures. The program takes float32 [1, 1, 8, 8]
with 0 for paper and 1 for ink, and gives ten scores.
"""
import pathlib
import struct
import sys
import zlib

import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import to_edge_transform_and_lower
from sklearn.datasets import load_digits
from torch import nn


def write_png(path, rows, scale=8):
    """Black ink on white paper, enlarged: a picture as a camera gives it, in grey."""
    lines = [bytes(255 - int(v * 255) for v in row for _ in range(scale)) for row in rows for _ in range(scale)]

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", len(lines[0]), len(lines), 8, 0, 0, 0, 0)
    pixels = zlib.compress(b"".join(b"\0" + line for line in lines), 9)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b""))


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(0)
    torch.set_num_threads(1)
    digits = load_digits()
    images = torch.tensor(digits.images, dtype=torch.float32)[:, None] / 16
    labels = torch.tensor(digits.target)
    train, test = slice(0, 1500), slice(1500, None)
    model = nn.Sequential(
        nn.Conv2d(1, 12, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(192, 10))
    optimizer = torch.optim.Adam(model.parameters(), 1e-2)
    for _ in range(150):
        loss = nn.functional.cross_entropy(model(images[train]), labels[train])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        guesses = model(images[test]).argmax(1)
    print(f"{float((guesses == labels[test]).float().mean()):.1%} of {len(guesses)} pictures right")
    program = to_edge_transform_and_lower(
        torch.export.export(model, (images[:1],)), partitioner=[XnnpackPartitioner()], generate_etrecord=True
    ).to_executorch()
    program.get_etrecord().save(str(folder / "etrecord.bin"))
    (folder / "model.pte").write_bytes(program.buffer)
    for digit in range(10):  # the first of each that was not trained on
        first = 1500 + int((labels[test] == digit).nonzero()[0])
        write_png(folder / f"digit-{digit}.png", images[first, 0].tolist())


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "out"))
