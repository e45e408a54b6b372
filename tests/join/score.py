"""What et-inspect says of the traces of a corpus beside what is right. Needs no PyTorch.

    score.py --reuse DIR --et-inspect PATH [--markdown FILE] [--wrong FILE]
"""
import argparse
import collections
import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

RIGHT, WRONG, NONE = "right", "wrong", "none"
BUCKETS = (0.0, 0.3, 0.5, 0.7, 0.85, 0.95, 1.01)


@dataclass
class Score:
    """Sums over the events that a line caused."""

    events: collections.Counter = field(default_factory=collections.Counter)
    time: collections.Counter = field(default_factory=collections.Counter)
    unknown: int = 0        # events whose line nobody knows
    inserted: int = 0       # events that no line caused
    weight_right: float = 0.0  # time × weight of links to right lines
    weight_all: float = 0.0
    links: dict = field(default_factory=dict)  # confidence bucket → [right, all, sum of confidences] of the surest links
    problems: list = field(default_factory=list)

    def add(self, other):
        self.events.update(other.events)
        self.time.update(other.time)
        self.unknown += other.unknown
        self.inserted += other.inserted
        self.weight_right += other.weight_right
        self.weight_all += other.weight_all
        for bucket, counts in other.links.items():
            mine = self.links.setdefault(bucket, [0, 0, 0.0])
            for i, count in enumerate(counts):
                mine[i] += count

    @staticmethod
    def recall(counts):
        return share(counts[RIGHT], counts[RIGHT] + counts[WRONG] + counts[NONE])

    @staticmethod
    def precision(counts):
        return share(counts[RIGHT], counts[RIGHT] + counts[WRONG])


def share(part, whole):
    return part / whole if whole else None


def percent(value):
    return "–" if value is None else f"{100 * value:.1f}"


def bucket_of(confidence):
    return next(b for b, top in zip(BUCKETS, BUCKETS[1:]) if confidence < top)


def line_of(node):
    return None if not node.get("file") or not node.get("line") else f"{os.path.basename(node['file'])}:{node['line']}"


def report(et_inspect, etdump, record, program):
    words = [str(et_inspect), str(etdump), "--format", "json"]
    words += ["-e", str(record)] if record else []
    words += ["-p", str(program)] if program else []
    done = subprocess.run(words, capture_output=True, text=True)
    if not done.stdout:
        raise ValueError(f"exit code {done.returncode}: {done.stderr.strip()[:200]}")
    return json.loads(done.stdout)


def keyed(ops):
    """The ops of a block by what makes them the same events in every reader."""
    seen, found = collections.Counter(), {}
    for op in ops:
        if op["kind"] not in ("kernel", "delegate_op"):
            continue
        key = (op["instruction_id"], op["name"])
        found[key + (seen[key],)] = op
        seen[key] += 1
    return found


def matching_block(truth_block, blocks, used):
    wanted = {(e["instruction"], e["name"], e["nth"]) for e in truth_block["events"]}
    fits = [(len(wanted & set(ops)), -number) for number, ops in blocks.items() if number not in used]
    return -max(fits)[1] if fits else None


def score_event(score, event, op):
    cost = max(op["self_ns" if "self_ns" in op else "self_cycles"], 0)
    if event["state"] != "line":
        score.unknown += event["state"] == "unknown"
        score.inserted += event["state"] == "inserted"
        return
    nodes = op["nodes"]
    fine = {*event["lines"], *event["also"]}
    surest = max(nodes, key=lambda n: n["confidence"], default=None)
    got = line_of(surest) if surest else None
    verdict = NONE if got is None else RIGHT if got in event["lines"] else WRONG
    score.events[verdict] += 1
    score.time[verdict] += cost
    if surest:
        counts = score.links.setdefault(bucket_of(surest["confidence"]), [0, 0, 0.0])
        counts[0] += verdict == RIGHT
        counts[1] += 1
        counts[2] += surest["confidence"]
    for n in nodes:
        right = line_of(n) in fine
        score.weight_right += cost * n["weight"] * right
        score.weight_all += cost * n["weight"]
    if verdict != RIGHT:
        via = f"{surest['via']} {surest['confidence']:g} {surest['target']}" if surest else op.get("role") or "no link"
        score.problems.append((event["instruction"], event["name"], " or ".join(event["lines"]), got, via, cost))


def score_trace(et_inspect, folder, runtime, with_program):
    truth = json.loads((folder / f"{runtime}.truth.json").read_text())
    score = Score()
    record, program = folder / "etrecord.bin", folder / "program.pte"
    try:
        data = report(et_inspect, folder / f"{runtime}.etdp", record if record.exists() else None,
                      program if with_program else None)
    except ValueError as error:
        score.problems.append((None, "et-inspect", None, None, str(error), 0))
        for block in truth["blocks"]:
            score.events[NONE] += sum(e["state"] == "line" for e in block["events"])
        return score
    blocks = {b["block_index"]: keyed(o for o in data["ops"] if o["block_index"] == b["block_index"])
              for b in data["blocks"] if b["kind"] == "execute"}
    used = set()
    for block in truth["blocks"]:
        number = matching_block(block, blocks, used)
        used.add(number)
        for event in block["events"]:
            op = blocks.get(number, {}).get((event["instruction"], event["name"], event["nth"]))
            if op is None and event["nth"] > 0:
                continue  # runs of a loop's body are samples of one op
            if op is None:
                score.problems.append((event["instruction"], event["name"], event.get("lines"), None, "no such op", 0))
            elif op["clock"] is None:
                score_event(score, event, op)
    return score


def cases_of(root):
    for truth in sorted(Path(root).glob("*/*/*.truth.json")):
        yield truth.parent, truth.name.split(".")[0]


def score_all(root, et_inspect, only=None):
    """(model, flow, runtime, with program) → Score"""
    scores = {}
    for folder, runtime in cases_of(root):
        model, flow = folder.parent.name, folder.name
        if only and not any(word in f"{model}/{flow}/{runtime}" for word in only):
            continue
        for with_program in (True, False):
            scores[model, flow, runtime, with_program] = score_trace(et_inspect, folder, runtime, with_program)
    return scores


def added(scores, part):
    """Scores summed by a part of their keys."""
    sums = {}
    for key, score in scores.items():
        sums.setdefault(part(key), Score()).add(score)
    return sums


def figures(score):
    e, t = score.events, score.time
    return [percent(Score.recall(t)), percent(Score.precision(t)), percent(Score.recall(e)), percent(Score.precision(e)),
            e[RIGHT], e[WRONG], e[NONE], score.inserted, score.unknown, percent(share(score.weight_right, score.weight_all))]


HEADINGS = ["recall of time %", "precision of time %", "recall of events %", "precision of events %", "right", "wrong", "none",
            "inserted", "unknown", "weights right %"]


def table(first, rows):
    lines = ["| " + " | ".join(first + HEADINGS) + " |", "|" + "---|" * (len(first) + len(HEADINGS))]
    lines += ["| " + " | ".join(map(str, list(key) + figures(score))) + " |" for key, score in rows]
    return "\n".join(lines)


def calibration(scores):
    total = added(scores, lambda k: ()).get((), Score())
    lines = ["| confidence of the surest link | events | right % |", "|---|---|---|"]
    gap, events = 0.0, 0
    for low, high in zip(BUCKETS, BUCKETS[1:]):
        right, everything, sure = total.links.get(low, (0, 0, 0.0))
        gap += abs(right - sure)
        events += everything
        if everything:
            name = f"{low:g} to {high:g}" if high <= 1 else f"{low:g} to 1"
            lines.append(f"| {name} | {everything} | {percent(right / everything)} |")
    if events:
        lines += ["", f"Confidence and share of right lines differ by {gap / events:.3f} (expected calibration error)."]
    return "\n".join(lines)


COMBINATIONS = [(runtime, program) for runtime in ("upstream", "ours") for program in (True, False)]


def crossed(first, scores, part):
    """A row for each flow or model; in each cell recall / precision of the time."""
    sums = added(scores, lambda k: (part(k), k[2], k[3]))
    heads = [f"{runtime}{', `--pte`' if program else ''}" for runtime, program in COMBINATIONS]
    lines = [f"| {first} | events | " + " | ".join(heads) + " |", "|" + "---|" * (2 + len(heads))]
    for name in sorted({k[0] for k in sums}):
        found = [sums.get((name, *c)) for c in COMBINATIONS]
        cells = ["" if s is None else f"{percent(Score.recall(s.time))} / {percent(Score.precision(s.time))}" for s in found]
        events = sum(sum(s.events.values()) for s in found if s)
        lines.append(f"| {name} | {events} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def tables(scores):
    """The figures as Markdown."""
    total = added(scores, lambda k: (k[2], "yes" if k[3] else "no"))
    return "\n\n".join([
        f"{len(scores)} scores of {len({k[:2] for k in scores})} programs.",
        table(["runtime", "`--pte`"], sorted(total.items())),
        "By flow: recall / precision of the time, in percent.", crossed("flow", scores, lambda k: k[1]),
        "By model:", crossed("model", scores, lambda k: k[0]), calibration(scores)])


def write_figures(path, text):
    """A document keeps what stands above its figures."""
    heading = "## Figures\n\n"
    old = path.read_text() if path.exists() else ""
    path.write_text(old[: old.find(heading) + len(heading) if heading in old else 0] + text + "\n")


def wrongs(scores):
    """Every event that does not lead to its line, as text: costliest case first."""
    lines = []
    rated = sorted(scores.items(), key=lambda kv: (kv[1].time[WRONG] + kv[1].time[NONE], kv[1].events[WRONG]), reverse=True)
    for (model, flow, runtime, with_program), score in rated:
        if not score.problems:
            continue
        e = score.events
        lines.append(f"\n### {model} / {flow} / {runtime} / {'with' if with_program else 'without'} --pte: "
                     f"{e[RIGHT]} right, {e[WRONG]} wrong, {e[NONE]} none; recall of time {percent(Score.recall(score.time))} %")
        for instruction, name, expected, got, why, cost in score.problems:
            lines.append(f"- instruction {instruction} `{name}` {cost / 1000:.1f} us: expected {expected}, got {got} ({why})")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reuse", required=True, help="a corpus that `python tests/join` made")
    parser.add_argument("--et-inspect", required=True)
    parser.add_argument("--markdown", help="write the tables here")
    parser.add_argument("--wrong", help="write the list of what is not right here")
    parser.add_argument("--only", nargs="*", help="words of MODEL/FLOW/RUNTIME")
    finish(score_all_of(parser.parse_args()))


def score_all_of(args):
    return args, score_all(args.reuse, args.et_inspect, args.only)


def finish(found):
    args, scores = found
    text = tables(scores)
    print(text)
    if args.markdown:
        write_figures(Path(args.markdown), text)
    if args.wrong:
        Path(args.wrong).write_text(wrongs(scores) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
