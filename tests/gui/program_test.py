#!/usr/bin/env python3
"""et-inspect-gui as a process: screenshots, exit codes, idle cost, settings. Usage: program_test.py GUI FIXTURES

Pictures are made without a display; the rest needs Xvfb. Each check prints a line; exit code 1 when one fails.
"""
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time

GUI, FIXTURES = sys.argv[1], pathlib.Path(sys.argv[2])
SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "scripts"
WITH_DISPLAY = str(SCRIPTS / "with_display.sh")
CASE = FIXTURES / "artifacts" / "partial_delegation"
FILES = [str(CASE / "etdump.etdp"), "-e", str(CASE / "etrecord.bin"), "-p", str(CASE / "program.pte")]
failures = []


def check(what, good, detail=""):
    print(("ok      " if good else "FAILED  ") + what + (f": {detail}" if not good else ""))
    if not good:
        failures.append(what)


def run(*arguments, program=(GUI,)):
    env = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    return subprocess.run([*program, *arguments], capture_output=True, text=True, timeout=120, env=env)


def png_size(path):
    data = path.read_bytes()
    return struct.unpack(">II", data[16:24]) if data[:8] == b"\x89PNG\r\n\x1a\n" else None


def screenshots(folder):
    done = run(*FILES, "--screenshot", str(folder / "all"), "--size", "900x600")
    written = [pathlib.Path(line) for line in done.stdout.split()]
    check("screenshots of all panels", done.returncode == 0 and len(written) >= 10, done.stderr)
    check("their size", all(png_size(p) == (900, 600) for p in written), str(written))
    check("the window is among them", any(p.name == "window.png" for p in written))
    one = run(*FILES, "--screenshot", str(folder / "one"), "--panel", "timeline", "--theme", "light")
    check("one panel", one.returncode == 0 and [p.name for p in (folder / "one").iterdir()] == ["timeline.png"], one.stderr)
    titled = run(*FILES, "--screenshot", str(folder / "titled"), "--panel", "Flame Graph")
    check("a panel by its title", titled.returncode == 0 and [p.name for p in (folder / "titled").iterdir()] == ["flame.png"],
          titled.stderr)
    again = run(*FILES, "--screenshot", str(folder / "two"), "--panel", "timeline", "--theme", "light")
    same = (folder / "one/timeline.png").read_bytes() == (folder / "two/timeline.png").read_bytes()
    check("the same picture twice", again.returncode == 0 and same)
    file = folder / "three/graph.png"
    done = run(*FILES, "--screenshot", str(file), "--panel", "graph", "--size", "640x480", "--scale", "1.5", "--svg")
    check("one file", done.returncode == 0 and png_size(file) == (640, 480), done.stderr)
    check("its drawing beside it", "<svg" in file.with_suffix(".svg").read_text(), done.stdout)
    other = str(FIXTURES / "artifacts" / "add_mul")
    done = run(*FILES, "--compare", other, "--screenshot", str(folder / "compare.png"), "--panel", "compare")
    check("two traces", done.returncode == 0 and png_size(folder / "compare.png") == (1440, 900), done.stderr)
    done = run(*FILES, "--compare", "nowhere.etdp", "--screenshot", str(folder / "none.png"))
    check("a missing other trace is named", done.returncode == 2 and "nowhere.etdp: no such file" in done.stderr, done.stderr)
    inspect = pathlib.Path(GUI).parent / "et-inspect"
    if inspect.exists():
        done = run(*FILES, "--screenshot", str(folder / "four.png"), "--theme", "light", program=(inspect, "gui"))
        check("et-inspect gui hands everything on", done.returncode == 0 and png_size(folder / "four.png") == (1440, 900),
              done.stderr)


def standard_input(folder):
    def piped(data, *arguments, program=(GUI,)):
        env = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
        done = subprocess.run([*program, *arguments], input=data, capture_output=True, timeout=120, env=env)
        return done.returncode, done.stderr.decode()

    dump = (CASE / "etdump.etdp").read_bytes()
    shot = folder / "piped.png"
    code, text = piped(dump, "-", *FILES[1:], "--screenshot", str(shot), "--panel", "operators")
    check("a trace from a pipe", code == 0 and png_size(shot) == (1440, 900), text)
    for what, data, arguments, code, words in (
        ("text from a pipe", b"hello\n", ["-"], 3, "/dev/stdin: expected an ETDump, got text"),
        ("nothing from a pipe", b"", ["-"], 3, "got an empty file"),
        ("half a trace from a pipe", dump[: len(dump) // 2], ["-", "--no-neighbours"], 4, "/dev/stdin"),
        ("standard input twice", dump, ["-", "-e", "-"], 2, "it can be read once"),
    ):
        got, text = piped(data, *arguments, "--screenshot", str(folder / "x.png"))
        check(what, got == code and words in text, f"exit {got}: {text}")
    inspect = pathlib.Path(GUI).parent / "et-inspect"
    if inspect.exists():
        code, text = piped(dump, "gui", "-", *FILES[1:], "--screenshot", str(shot), program=(inspect,))
        check("et-inspect gui - hands it on", code == 0, text)


def about():
    version = run("--version")
    check("--version", version.returncode == 0 and version.stdout.startswith("et-inspect-gui "), version.stdout)
    text = run("--help").stdout
    check("--help in the form of the other commands", all(w in text for w in ("Usage:", "Examples:", "--screenshot PATH")), text)
    chinese = run("--help", "--lang", "zh").stdout
    english = [line for line in chinese.splitlines() if line.isascii() and len(re.findall(r"\b[a-z]{2,} (?=[a-z]{2,}\b)", line)) > 1
               and not line.startswith("  et-inspect-gui ")]
    check("--help in Chinese", "用法" in chinese and not english, str(english))
    check("--man", run("--man").stdout.startswith(".TH"))
    done = run(GUI, str(CASE), program=(SCRIPTS / "open_gui.sh",))
    words = ("Built", "--screenshot", str(CASE / "etdump.etdp"))
    check("make gui without a display says what to do", done.returncode == 0 and all(w in done.stdout for w in words), done.stdout)


def errors(folder):
    (folder / "notes.txt").write_text("nothing that a window could show\n")
    for what, arguments, code, words in (
        ("unknown panel", [*FILES, "--screenshot", str(folder / "x"), "--panel", "nothing"], 2, "timeline"),
        ("bad size", [*FILES, "--screenshot", str(folder / "x"), "--size", "12"], 2, "WIDTHxHEIGHT"),
        ("unknown option", ["--nothing"], 2, "--nothing"),
        ("missing file", ["/no/such.etdp", "--screenshot", str(folder / "x")], 2, "/no/such.etdp"),
        ("not a trace", [str(folder / "notes.txt"), "--screenshot", str(folder / "x")], 3, "notes.txt"),
    ):
        done = run(*arguments)
        text = done.stderr + done.stdout
        check(what, done.returncode == code and words in text, f"exit {done.returncode}: {text}")
    others = [FILES[0], "--no-neighbours", "-e", str(FIXTURES / "artifacts/lstm/etrecord.bin")]
    for name, program in (("et-inspect-gui", (GUI,)), ("et-inspect gui", (pathlib.Path(GUI).parent / "et-inspect", "gui"))):
        if not pathlib.Path(program[0]).exists():
            continue
        picture = folder / f"others {name}.png"
        done = run(*others, "--screenshot", str(picture), program=program)
        check(f"{name}: an ETRecord of another model", done.returncode == 1 and png_size(picture) is not None
              and "error: " in done.stderr and "lstm/etrecord.bin" in done.stderr, f"exit {done.returncode}: {done.stderr}")
    damaged = folder / "damaged.db"
    damaged.write_bytes(b"SQLite format 3\0" + bytes(range(256)) * 64)
    done = run(str(damaged), "--screenshot", str(folder / "x"))
    check("damaged store", done.returncode == 3 and "damaged.db" in done.stderr, f"exit {done.returncode}: {done.stderr}")
    done = run(*FILES)
    check("no display", done.returncode == 3 and "--screenshot" in done.stderr, f"exit {done.returncode}: {done.stderr}")


def cpu_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def gui_child(parent):
    """The process below the display that is the program."""
    for _ in range(100):
        for entry in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if os.readlink(entry / "exe") == os.path.realpath(GUI) and f"{parent}" in ancestors(entry.name):
                    return int(entry.name)
            except OSError:
                pass
        time.sleep(0.1)
    return None


def ancestors(pid):
    found = []
    while pid not in ("0", "1"):
        pid = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1]
        found.append(pid)
    return found


def idle(folder):
    temporary = folder / "tmp"
    temporary.mkdir()
    environment = {**os.environ, "XDG_CONFIG_HOME": str(folder / "config"), "TMPDIR": str(temporary)}
    process = subprocess.Popen([WITH_DISPLAY, GUI, *FILES], env=environment)
    try:
        pid = gui_child(process.pid)
        check("the window starts", pid is not None)
        if pid is None:
            return
        # It settles: two looks with nothing between them, on a busy machine after a while.
        before = cpu_seconds(pid)
        for _ in range(60):
            time.sleep(1)
            now = cpu_seconds(pid)
            if now == before and now > 0:
                break
            before = now
        started = cpu_seconds(pid)
        time.sleep(4)
        used = cpu_seconds(pid) - started
        check("idle costs less than 1 % of a core", used < 0.04 + 0.011, f"{used:.2f} s of 4 s")
        stores = list(temporary.glob("et-inspect-*.db"))
        check("a dump is imported into a temporary store", len(stores) == 1, str(stores))
        os.kill(pid, 15)
        process.wait(timeout=60)
        check("it goes with the window, also when that is told to end", not list(temporary.glob("et-inspect-*")))
        settings = folder / "config/et-inspect/gui.ini"
        text = settings.read_text() if settings.exists() else ""
        check("settings and layout are kept", "recent=" in text and "[Docking]" in text, text[:200])
    finally:
        process.terminate()
        process.wait(timeout=60)


def keys(folder):
    """Chords as a program sends them, without a pause between down and up: each has to count."""
    if shutil.which("xdotool") is None:
        return print("no xdotool: quick keys are not tried")
    config = folder / "keys"
    script = folder / "keys.sh"
    script.write_text(f"""
'{GUI}' {' '.join(FILES)} &
window=
for attempt in $(seq 100); do
  window=$(xdotool search --name et-inspect | head -n 1)
  [ -n "$window" ] && break
  sleep 0.2
done
sleep 3
xdotool windowfocus "$window"
sleep 1
for press in 1 2 3 4 5; do xdotool key ctrl+t; sleep 0.7; done
xdotool key ctrl+q
wait
""")
    subprocess.run([WITH_DISPLAY, "bash", str(script)], timeout=120, check=False,
                   env={**os.environ, "XDG_CONFIG_HOME": str(config)})
    settings = config / "et-inspect/gui.ini"
    text = settings.read_text() if settings.exists() else ""
    check("five quick chords count, and the sixth quits", "theme=light" in text, text[:200])


with tempfile.TemporaryDirectory() as scratch:
    scratch = pathlib.Path(scratch)
    about()
    screenshots(scratch)
    standard_input(scratch)
    errors(scratch)
    idle(scratch)
    keys(scratch)
sys.exit(1 if failures else 0)
