"""Reads a dump with upstream's Inspector, and prints what that took as JSON: seconds (wall, CPU; without the import of
the package) and the largest resident size of the process in KB.

usage: upstream_inspector.py DUMP [RECORD]     in a Python that has executorch; --probe only says its version
"""
import contextlib
import json
import resource
import sys
import time


def main():
    with contextlib.redirect_stdout(sys.stderr):
        from importlib.metadata import version

        from executorch.devtools import Inspector

    if sys.argv[1] == "--probe":
        print(version("executorch"))
        return
    imported_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    wall, cpu = time.perf_counter(), time.process_time()
    with contextlib.redirect_stdout(sys.stderr):
        inspector = Inspector(etdump_path=sys.argv[1], etrecord=sys.argv[2] if len(sys.argv) > 2 else None)
        samples = sum(len(e.perf_data.raw) for b in inspector.event_blocks for e in b.events if e.perf_data)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    rss_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps({"wall": wall, "cpu": cpu, "rss_kb": rss_kb, "imported_kb": imported_kb, "samples": samples}))


if __name__ == "__main__":
    main()
