"""Runs a program with upstream's runtime and with ours, and keeps the ETDump of each."""
import os
import signal
import subprocess
import tempfile
import warnings
from pathlib import Path

import numpy as np
import torch


SECONDS = 60  # that a run may take


def flat(inputs):
    return [v for v in torch.utils._pytree.tree_leaves(tuple(inputs))]


def run_upstream(program: Path, etdump: Path, methods, iterations):
    """In a child: upstream's runtime ends the process when a check fails. Returns an error, or None."""
    log = tempfile.TemporaryFile()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.dup2(log.fileno(), 1)
            os.dup2(log.fileno(), 2)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                from executorch.extension.pybindings.portable_lib import _load_for_executorch_from_buffer
            signal.alarm(SECONDS)
            data = program.read_bytes()  # the module does not copy it
            module = _load_for_executorch_from_buffer(data, enable_etdump=True)
            for _ in range(iterations):
                for name, (_, inputs) in methods.items():
                    module.run_method(name, tuple(flat(inputs)))
            module.write_etdump_result_to_file(str(etdump))
            code = 0
        except BaseException as error:
            os.write(2, f"{type(error).__name__}: {error}".encode())
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    if status == 0:
        return None
    log.seek(0)
    lines = [s for s in log.read().decode(errors="replace").splitlines() if "cpuinfo" not in s]
    return " | ".join(lines[-2:]) or f"status {status}"


def run_ours(et_run, program: Path, etdump: Path, methods, iterations):
    """One method is run: et-run writes one ETDump for each. Returns an error, or None."""
    name = next(iter(methods))
    with tempfile.TemporaryDirectory() as folder:
        words = [et_run, str(program), "--method", name, "-n", str(iterations), "--etdump", str(etdump), "-q"]
        for i, value in enumerate(flat(methods[name][1])):
            path = os.path.join(folder, f"{i}.npy")
            np.save(path, value.detach().contiguous().numpy())
            words += ["--input", path]
        done = subprocess.run(words, capture_output=True, text=True, timeout=SECONDS)
    return None if done.returncode == 0 else done.stderr.strip() or f"code {done.returncode}"
