#!/usr/bin/env python3
"""The runner of documents fails when a document says something else than the command prints, and only then."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

RUNNER = pathlib.Path(__file__).parent / "run_document.py"


def run(text, *words):
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder) / "page.md"
        page.write_text(text, encoding="utf-8")
        done = subprocess.run([sys.executable, RUNNER, page, *words], capture_output=True, text=True)
        return done.returncode, done.stdout, page.read_text(encoding="utf-8")


def block(command, output, mark=""):
    return f"{mark}\n```console\n$ {command}\n{output}```\n"


class Runner(unittest.TestCase):
    def test_equal_output_passes(self):
        self.assertEqual(run(block("echo 1.5 ms", "1.5 ms\n"))[0], 0)

    def test_other_output_fails_and_says_both(self):
        code, out, _ = run(block("echo 1.5 ms", "1.6 ms\n"))
        self.assertEqual(code, 1)
        self.assertIn("1.6 ms", out)
        self.assertIn("1.5 ms", out)

    def test_missing_and_additional_lines_fail(self):
        self.assertEqual(run(block("printf 'a\\nb\\n'", "a\n"))[0], 1)
        self.assertEqual(run(block("echo a", "a\nb\n"))[0], 1)

    def test_measured_numbers_may_differ_but_words_may_not(self):
        mark = "<!-- run: masked -->"
        self.assertEqual(run(block("echo p50 12.5 µs", "p50 900 ns\n", mark))[0], 0)
        self.assertEqual(run(block("echo p90 12.5 µs", "p50 900 ns\n", mark))[0], 1)

    def test_dots_stand_for_any_lines(self):
        self.assertEqual(run(block("seq 5", "1\n…\n5\n"))[0], 0)
        self.assertEqual(run(block("seq 5", "1\n…\n6\n"))[0], 1)

    def test_exit_codes_count(self):
        self.assertEqual(run(block("false", ""))[0], 1)
        self.assertEqual(run(block("false", "", "<!-- run: exit=1 -->"))[0], 0)
        self.assertEqual(run(block("false | cat", ""))[0], 1)
        self.assertEqual(run(block("exit 3", "", "<!-- run: varies -->"))[0], 1)

    def test_a_document_without_commands_fails(self):
        self.assertNotEqual(run("no commands\n")[0], 0)

    def test_update_writes_what_is_printed_and_keeps_the_cut(self):
        code, _, text = run(block("seq 10 19", "1\n…\n9\n"), "--update")
        self.assertEqual(code, 0)
        self.assertIn("10\n…\n19\n", text)


if __name__ == "__main__":
    unittest.main()
