#!/usr/bin/env python3
"""The Debian packages of this build: what is in them, what they need, and what Debian's own checkers say of them.

They are packed, not installed: scripts/try_packages.sh does that, in a bare root."""
import argparse
import gzip
import pathlib
import shutil
import subprocess
import sys
import tempfile

GUI_FILES = [
    "usr/bin/et-inspect-gui",
    "usr/share/applications/org.et_inspect.et_inspect.desktop",
    "usr/share/icons/hicolor/scalable/apps/org.et_inspect.et_inspect.svg",
    "usr/share/metainfo/org.et_inspect.et_inspect.metainfo.xml",
    "usr/share/mime/packages/org.et_inspect.et_inspect.xml",
    "usr/share/man/man1/et-inspect-gui.1.gz",
]
COMMAND_FILES = [
    *(f"usr/bin/{name}" for name in ("et-inspect", "et-run", "et-check")),
    *(f"usr/share/man/man1/{name}.1.gz" for name in ("et-inspect", "et-inspect-sql", "et-run", "et-check")),
    *(f"usr/share/bash-completion/completions/{name}" for name in ("et-inspect", "et-run", "et-check")),
    "usr/share/doc/et-inspect/copyright",
    "usr/share/doc/et-inspect/changelog.Debian.gz",
]
problems = []


def check(holds, text):
    if not holds:
        problems.append(text)


def output(*command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    if done.returncode != 0:
        problems.append(f"{' '.join(map(str, command))}: exit code {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout


def field(package, name):
    return output("dpkg-deb", "-f", package, name).strip()


def unpack(package, root):
    output("dpkg-deb", "-x", package, root)
    return {str(p.relative_to(root)): p for p in root.rglob("*") if p.is_file() or p.is_symlink()}


def check_commands(package, root):
    files = unpack(package, root)
    window = "usr/bin/et-inspect-gui" in files
    for name in COMMAND_FILES + (GUI_FILES if window else []):
        check(name in files, f"et-inspect: {name} is missing")
    depends = field(package, "Depends")
    for library in ("libc6", "libstdc++6", "libsqlite3-0", "libzip4") + (("libglfw3", "libegl1") if window else ()):
        check(library in depends, f"et-inspect: expected {library} in Depends, got {depends}")
    check("et-inspect" not in depends, f"et-inspect needs itself: {depends}")
    for name, path in files.items():
        check(not name.startswith("usr/local") and "/include/" not in name and not name.endswith(".a"),
              f"et-inspect: {name} does not belong there")
        if name.endswith(".gz"):
            check(gzip.decompress(path.read_bytes()) != b"", f"{name} is empty")
    version = output(root / "usr/bin/et-inspect", "--version")
    check(field(package, "Version").startswith(version.split()[1]), f"versions differ: {version}")
    for tool, path in (("desktop-file-validate", GUI_FILES[1]), ("appstreamcli", GUI_FILES[3])):
        if window and shutil.which(tool):
            output(tool, *(("validate", "--no-net") if tool == "appstreamcli" else ()), files[path])


def check_libraries(runtime, development, root):
    shared = unpack(runtime, root / "runtime")
    check(any(name.endswith(".so.1") for name in shared), f"libet-runtime1: no library: {sorted(shared)}")
    files = unpack(development, root / "development")
    for end in ("/libet_runtime.so", "/libet_inspector.a", "/et_inspectConfig.cmake", "/pkgconfig/et-inspect.pc",
                "include/et_inspect/capi/et_runtime.h"):
        check(any(name.endswith(end) for name in files), f"libet-inspect-dev: nothing ends with {end}")
    check("libet-runtime1 (= " in field(development, "Depends"), "libet-inspect-dev goes with any libet-runtime1")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, type=pathlib.Path)
    parser.add_argument("--cpack", required=True)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        # gzip: what is in a package is the same, and packing takes seconds instead of a minute.
        output(args.cpack, "-G", "DEB", "--config", args.build / "CPackConfig.cmake", "-B", root / "packages",
               "-D", "CPACK_DEBIAN_COMPRESSION_TYPE=gzip")
        found = {field(p, "Package"): p for p in (root / "packages").glob("*.deb")}
        if set(found) != {"et-inspect", "libet-runtime1", "libet-inspect-dev"}:
            sys.exit("\n".join(problems + [f"expected three packages, got {sorted(found)}"]))
        check_commands(found["et-inspect"], root / "commands")
        check_libraries(found["libet-runtime1"], found["libet-inspect-dev"], root)
        if shutil.which("lintian"):
            errors = [line for line in output("lintian", "--fail-on", "error", "--tag-display-limit", "0",
                                              *found.values()).splitlines()
                      if line.startswith("E:")]
            check(not errors, "\n".join(errors))
    print("\n".join(problems) or "three packages, all as expected")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
