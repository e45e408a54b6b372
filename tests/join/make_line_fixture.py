#!/usr/bin/env python3
"""Writes tests/fixtures/lines: a small real model with lines of a user's, of a library's and of torch's.

    make_line_fixture.py DIR

A network of facenet-pytorch inside of a wrapper that pads and scales by itself, lowered to XNNPACK, run five times by
upstream's runtime. Paths of this machine become /src and /opt/venv/lib/python3.11/site-packages; the ETRecord keeps the
edge program only, which is what et-inspect reads.
"""
import json
import pathlib
import sys
import sysconfig
import zipfile

import torch

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import library_models  # noqa: E402
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner  # noqa: E402
from executorch.exir import to_edge_transform_and_lower  # noqa: E402

library_models.torchvision_operators()
from facenet_pytorch.models.mtcnn import PNet  # noqa: E402


class Faces(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.net = PNet(pretrained=False)
        self.scale = torch.nn.Linear(4, 4)

    def forward(self, image):
        image = torch.nn.functional.pad(image, (1, 1, 1, 1), value=0.5)
        boxes, faces = self.net(image)
        boxes = self.scale(boxes.flatten(2).transpose(1, 2))
        return boxes, torch.cumsum(faces, 1)


def neutral(text):
    import facenet_pytorch

    here = str(pathlib.Path(__file__).resolve().parent)
    packages = {sysconfig.get_paths()["purelib"]}
    for package in (torch, facenet_pytorch):
        packages.add(str(pathlib.Path(package.__file__).resolve().parents[1]))
    for prefix in packages:
        text = text.replace(prefix, "/opt/venv/lib/python3.11/site-packages")
    return text.replace(here, "/src")


def main():
    out = pathlib.Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(0)
    model, inputs = Faces().eval(), (torch.randn(1, 3, 96, 96),)
    exported = torch.export.export(model, inputs)
    program = to_edge_transform_and_lower(exported, partitioner=[XnnpackPartitioner()], generate_etrecord=True)
    program = program.to_executorch()
    (out / "program.pte").write_bytes(program.buffer)
    whole = out / "whole.bin"
    program.get_etrecord().save(str(whole))
    with zipfile.ZipFile(whole) as source, zipfile.ZipFile(out / "etrecord.bin", "w", zipfile.ZIP_STORED) as target:
        for name in source.namelist():
            weights = name.endswith(("_state_dict", "_constants", "_example_inputs"))
            if weights or name == "exported_program" or name in ("reference_outputs", "representative_inputs"):
                continue
            data = source.read(name)
            if name.startswith("edge_dialect_exported_program"):
                data = json.dumps(json.loads(neutral(data.decode())), separators=(",", ":")).encode()
            target.writestr(zipfile.ZipInfo(name), data)
    whole.unlink()
    from executorch.extension.pybindings.portable_lib import _load_for_executorch_from_buffer

    module = _load_for_executorch_from_buffer(program.buffer, enable_etdump=True)
    for _ in range(5):
        module.run_method("forward", inputs)
    module.write_etdump_result_to_file(str(out / "etdump.etdp"))


if __name__ == "__main__":
    main()
