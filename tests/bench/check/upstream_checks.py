"""The checks of a folder of bundled programs by upstream's Python runtime, to compare et-check's speed with.

upstream_checks.py FOLDER: verifies the first case of every bundle with the tolerances of index.json; prints counts and
seconds, with and without the import of the package. Upstream ends the process on some programs: the work is done in a
fork, and another one goes on behind the program. Needs executorch 1.5 (pip).
"""

import json
import os
import pathlib
import sys
import time

begin = time.perf_counter()
from executorch.extension.pybindings import portable_lib as lib  # noqa: E402

imported = time.perf_counter()


def read_tolerances(folder):
    found = {}
    for place in [folder, *[p for p in folder.iterdir() if p.is_dir()]]:
        index = place / "index.json"
        if not index.is_file():
            continue
        for section in json.loads(index.read_text()).values():
            for entry in section if isinstance(section, list) else []:
                if isinstance(entry, dict) and "rtol" in entry:
                    found[entry["file"]] = (entry["rtol"], entry["atol"])
    return found


def check(path, tolerance):
    try:
        bundle = lib._load_bundled_program_from_buffer(path.read_bytes())
        bundle.verify_result_with_bundled_expected_output("forward", 0, *tolerance)
        return b"p"
    except Exception:  # whatever fails is a failed check
        return b"f"


def main():
    folder = pathlib.Path(sys.argv[1])
    tolerances = read_tolerances(folder)
    files = sorted(folder.rglob("*.bpte"))
    passed = failed = ended = 0
    while passed + failed < len(files):
        readable, writable = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(readable)
            for path in files[passed + failed :]:
                os.write(writable, check(path, tolerances.get(path.name, (1e-5, 1e-8))))
            os._exit(0)
        os.close(writable)
        while words := os.read(readable, 65536):
            passed += words.count(b"p")
            failed += words.count(b"f")
        os.close(readable)
        if os.waitpid(child, 0)[1] != 0:
            failed += 1
            ended += 1
    end = time.perf_counter()
    print(f"{passed} passed, {failed} failed ({ended} ended the process); {end - imported:.2f} s and {imported - begin:.2f} s for the import")


main()
