"""Prints what a step of a workflow runs, so that it can be tried at home: `python3 step.py WORKFLOW.yml "Check" | sh`.

Reads the form that people write: `- name: NAME`, then `run: COMMAND` or `run: |` with indented lines.
"""
import sys


def main():
    path, name = sys.argv[1:3]
    lines = open(path, encoding="utf-8").read().splitlines()
    starts = [i for i, line in enumerate(lines) if line.strip() == f"- name: {name}"]
    if not starts:
        sys.exit(f"{path}: no step '{name}'")
    for i in range(starts[0] + 1, len(lines)):
        word = lines[i].strip()
        if word.startswith("- "):
            break
        if word == "run: |":
            indent = len(lines[i]) - len(lines[i].lstrip())
            for line in lines[i + 1 :]:
                if line.strip() and len(line) - len(line.lstrip()) <= indent:
                    break
                print(line[indent + 2 :])
            return
        if word.startswith("run: "):
            print(word[5:])
            return
    sys.exit(f"{path}: step '{name}' runs no command")


if __name__ == "__main__":
    main()
