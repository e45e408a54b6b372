#!/usr/bin/env python3
"""Compiles ExecuTorch's own tests against the facade (include/executorch) and runs them.

    upstream_tests.py SOURCE [--commit C] [--runtime libet_upstream_runtime.so] [--work DIR] [--only TEXT] [--report FILE]

SOURCE is a checkout of ExecuTorch or its git directory; nothing of it is kept. The runtime is one shared library with the
facade, the kernels and all that they need (target et_upstream_runtime). What upstream's build generates is generated here
from its public schemas: operators from its YAML files and from torch's native_functions.yaml (--native-functions, or that
of the torch that python3 imports).

Prints a row for each file; --report writes docs/upstream-tests.md. Exit code 1: a test fails, or a file does not compile,
without a reason in tests/upstream/reasons.txt.
"""
import argparse
import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys
import threading
import time
import xml.etree.ElementTree
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / 'tests/upstream'))
import models  # noqa: E402
import support  # noqa: E402
from checkout import Checkout  # noqa: E402

# Folder of tests, and what of upstream's own test support they include.
FOLDERS = {
    'kernels': ['kernels/test', 'kernels/portable/test', 'kernels/quantized/test', 'kernels/prim_ops/test'],
    'runtime': ['runtime/core/test', 'runtime/core/exec_aten/util/test', 'runtime/core/exec_aten/testing_util/test',
                'runtime/core/portable_type/test', 'runtime/executor/test', 'runtime/kernel/test',
                'runtime/platform/test', 'runtime/backend/test'],
    'extension': ['extension/module/test', 'extension/tensor/test', 'extension/data_loader/test',
                  'extension/memory_allocator/test', 'extension/flat_tensor/test', 'extension/runner_util/test',
                  'extension/kernel_util/test', 'extension/evalue_util/test', 'extension/threadpool/test',
                  'extension/llm/custom_ops', 'extension/llm/sampler/test'],
    'devtools': ['devtools/etdump/tests', 'devtools/etdump/data_sinks/tests', 'devtools/bundled_program/test'],
    'schema': ['schema/test'],
}
# Headers that belong to upstream's tests, not to its interface, and the sources that go with them.
SUPPORT = ['test/utils', 'extension/testing_util', 'kernels/test', 'runtime/executor/test', 'runtime/core/test',
           'runtime/platform/test', 'runtime/kernel/test', 'extension/llm/custom_ops', 'extension/pytree',
           'exir/backend/test/demos/rpc']
PRECOMPILED = '''#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <cmath>
#include <limits>
#include <iostream>
#include <vector>
#include "executorch/kernels/portable/Functions.h"
#include "executorch/runtime/core/exec_aten/testing_util/tensor_factory.h"
#include "executorch/runtime/core/exec_aten/testing_util/tensor_util.h"
#include "executorch/runtime/kernel/kernel_includes.h"
#include "executorch/runtime/platform/runtime.h"
'''
# What upstream's build defines for single files.
DEFINED = {'runtime/platform/test/logging_test.cpp': ['-DET_MIN_LOG_LEVEL=Debug']}
SECONDS = 120  # for the tests of one file

Row = collections.namedtuple('Row', 'file tests passed skipped failed error')


def native_functions(path):
    if path:
        return pathlib.Path(path).read_text(encoding='utf-8')
    python = os.environ.get('ET_UPSTREAM_PYTHON', 'python3')
    find = 'import torchgen,os;print(os.path.join(os.path.dirname(torchgen.__file__),"packaged/ATen/native/native_functions.yaml"))'
    found = subprocess.run([python, '-c', find], capture_output=True, text=True)
    if found.returncode != 0:
        return None
    return pathlib.Path(found.stdout.strip()).read_text(encoding='utf-8')


class Build:
    def __init__(self, work, runtime, compiler, checkout):
        self.work, self.runtime, self.compiler = work, runtime, compiler
        include = ROOT / 'include'
        # Schema headers are made by the build of the facade.
        schemas = runtime.parent.parent.parent / 'include/generated'
        self.flags = ['-std=gnu++17', '-O0', '-w', f'-I{work}/generated', f'-I{work}/support', f'-I{include}', f'-I{schemas}',
                      f'-I{include}/executorch/runtime/core/portable_type/c10', f'-I{ROOT}', f'-I{ROOT}/tests/upstream']
        self.source = work / 'source'
        self.checkout = checkout
        self.locks, self.locks_guard = {}, threading.Lock()

    def run(self, command, log=None):
        done = subprocess.run([str(c) for c in command], capture_output=True, text=True, errors='replace')
        if log:
            log.write_text(done.stdout + done.stderr)
        return done

    def prepare(self):
        support.write_if_other(self.work / 'precompiled.h', PRECOMPILED)
        if not self.is_current(self.work / 'precompiled.h.gch'):
            done = self.run([self.compiler, *self.flags, '-MMD', '-x', 'c++-header', self.work / 'precompiled.h', '-o',
                             self.work / 'precompiled.h.gch'])
            if done.returncode != 0:
                sys.exit('upstream_tests: the facade does not compile:\n' + done.stderr)
        for name, source in (('features', self.work / 'generated/supported_features.cpp'),
                             ('print', ROOT / 'include/src/print_tensor.cpp')):
            done = self.run([self.compiler, *self.flags, '-include', 'precompiled.h', f'-I{self.work}', '-c', source,
                             '-o', self.work / f'{name}.o'])
            if done.returncode != 0:
                sys.exit(f'upstream_tests: {source}:\n' + done.stderr)

    @staticmethod
    def is_current(target):
        """Whether it is newer than all that it was made of, which the compiler wrote down beside it."""
        listed = target.with_suffix('.d')
        if not target.exists() or not listed.exists():
            return False
        needed = listed.read_text().replace('\\\n', ' ').split(': ', 1)[-1].split()
        made = target.stat().st_mtime
        return all(os.path.exists(f) and os.stat(f).st_mtime <= made for f in needed)

    def object_of(self, path):
        return self.work / 'objects' / (path.replace('/', '_').rsplit('.', 1)[0] + '.o')

    def compile(self, path):
        """None, or the first errors of the compiler. What tests share is compiled by the first that asks."""
        with self.locks_guard:
            lock = self.locks.setdefault(path, threading.Lock())
        with lock:
            return self.compile_alone(path)

    def compile_alone(self, path):
        target = self.object_of(path)
        source = self.source / path
        # What the precompiled header was made of is not listed with the object.
        if self.is_current(target) and target.stat().st_mtime >= (self.work / 'precompiled.h.gch').stat().st_mtime:
            return None
        target.unlink(missing_ok=True)
        log = target.with_suffix('.log')
        # What is precompiled for kernels hides names of some others.
        for before in (['-include', 'precompiled.h'], []):
            done = self.run([self.compiler, *self.flags, *DEFINED.get(path, []), f'-I{self.work}', *before, '-MMD', '-c', source, '-o', target],
                            log)
            if done.returncode == 0:
                return None
        errors = [re.sub(r'^.*?(fatal )?error: ', '', line) for line in log.read_text().splitlines() if 'error:' in line]
        return errors[0] if errors else 'the compiler failed'

    def compile_c(self, path):
        target = self.object_of(path)
        if not target.exists():
            self.run([self.compiler, '-x', 'c', '-O0', '-w', '-c', self.source / path, '-o', target], target.with_suffix('.log'))
        return target

    def companions(self, path):
        """Objects of the sources that go with headers of tests: stub_platform.cpp with stub_platform.h."""
        objects, seen, todo = [], {path}, [path]
        while todo:
            text = (self.source / todo.pop()).read_text(errors='replace')
            for header in re.findall(r'#include [<"]executorch/([^>"]+)\.h[>"]', text):
                if f'{header}.h' in seen or not any(header.startswith(f + '/') for f in SUPPORT):
                    continue
                seen.add(f'{header}.h')
                if (ROOT / 'include/executorch' / f'{header}.h').exists():
                    continue  # part of the interface
                if (self.source / f'{header}.h').exists():
                    todo.append(f'{header}.h')
                source = f'{header}.cpp'
                if (self.source / source).exists() and source != path and self.compile(source) is None:
                    objects.append(self.object_of(source))
                    todo.append(source)
                if (self.source / f'{header}.c').exists():
                    objects.append(self.compile_c(f'{header}.c'))
        return objects

    def link(self, path, extra):
        target = self.object_of(path).with_suffix('')
        done = self.run([self.compiler, '-o', target, self.object_of(path), *extra, self.work / 'features.o',
                         self.work / 'print.o', self.runtime, f'-Wl,-rpath,{self.runtime.parent}', '-lgtest_main', '-lgmock',
                         '-lgtest', '-lpthread'])
        if done.returncode == 0:
            return None
        missing = sorted(set(re.findall(r'undefined reference to `([^\']+)', done.stderr)))
        return 'not defined: ' + (', '.join(missing[:2]) if missing else done.stderr.splitlines()[-1])


def run_tests(program, environment):
    """({test: 'passed', 'skipped' or the first line of its failure}); a crash fails one test and the rest goes on."""
    listed = subprocess.run([program, '--gtest_list_tests'], capture_output=True, text=True, timeout=SECONDS)
    names, suite = [], ''
    for line in listed.stdout.splitlines():
        if line.startswith('  '):
            names.append(suite + line.split('#')[0].strip())
        elif line.rstrip().split('#')[0].strip().endswith('.'):
            suite = line.split('#')[0].strip()
    results = {n: 'passed' for n in names if 'DISABLED_' in n}
    results = {n: 'skipped' for n in results}
    left = [n for n in names if n not in results]
    while left:
        report = pathlib.Path(str(program) + '.xml')
        report.unlink(missing_ok=True)
        command = [program, f'--gtest_output=xml:{report}', '--gtest_filter=' + ':'.join(left)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, errors='replace', timeout=SECONDS,
                                  env=environment)
            output, how = done.stdout, f'ended by signal {-done.returncode}' if done.returncode < 0 else 'ended early'
        except subprocess.TimeoutExpired as e:
            output, how = (e.stdout or b'').decode(errors='replace'), 'did not end'
        if report.exists():
            for case in xml.etree.ElementTree.parse(report).iter('testcase'):
                name = f'{case.get("classname")}.{case.get("name")}'
                failure = case.find('failure')
                if failure is not None:
                    text = (failure.get('message') or '').splitlines()
                    results[name] = ' '.join(t.strip() for t in text[1:4])[:200] or 'failed'
                elif case.find('skipped') is not None or case.get('result') == 'suppressed':
                    results[name] = 'skipped'
                else:
                    results[name] = 'passed'
            break
        for name in re.findall(r'\[       OK \] (\S+)', output):
            results[name] = 'passed'
        for name in re.findall(r'\[  SKIPPED \] (\S+)', output):
            results[name] = 'skipped'
        for name in re.findall(r'\[  FAILED  \] (\S+?)(?:,| \()', output):
            results[name] = 'failed'
        begun = re.findall(r'\[ RUN      \] (\S+)', output)
        culprit = next((n for n in begun if n not in results), left[0])
        results[culprit] = how
        left = [n for n in left if n not in results]
    return {n: results.get(n, 'not run') for n in names}


def read_reasons():
    """[(pattern of file or file:test, reason)]"""
    rows = []
    for line in (ROOT / 'tests/upstream/reasons.txt').read_text(encoding='utf-8').splitlines():
        if line.strip() and not line.startswith('#'):
            pattern, reason = line.split(maxsplit=1)
            rows.append((re.compile(pattern), reason))
    return rows


def reason_of(reasons, name):
    return next((r for p, r in reasons if p.fullmatch(name)), None)


def write_report(path, rows, failures, reasons, commit):
    out = ['# Upstream\'s own tests', '',
           'Made by `make test-upstream` ([scripts/upstream_tests.py](../scripts/upstream_tests.py)); do not edit.', '',
           'ExecuTorch\'s C++ tests, compiled unchanged as C++17 against `include/executorch` and run with the kernels and the',
           f'runtime of this project. Source: ExecuTorch at {commit}. Reasons are in `tests/upstream/reasons.txt`.', '',
           '| group | files | compiled | tests | passed | skipped by upstream | failed | passed of those not skipped |',
           '|---|---|---|---|---|---|---|---|']
    groups = list(FOLDERS) + ['all']
    for group in groups:
        mine = [r for r in rows if group == 'all' or r.file.startswith(group + '/')]
        if mine:
            total = [sum(getattr(r, f) for r in mine) for f in ('tests', 'passed', 'skipped', 'failed')]
            out.append(f'| {group} | {len(mine)} | {sum(r.error is None for r in mine)} | ' +
                       ' | '.join(str(t) for t in total) + f' | {100 * total[1] / max(total[0] - total[2], 1):.1f} % |')
    out += ['', 'Tests of files that do not compile are counted from their source, as not passed.', '',
            '| file | tests | passed | skipped | failed | not compiled |', '|---|---|---|---|---|---|']
    for r in rows:
        why = ''
        if r.error is not None:
            why = reason_of(reasons, r.file) or f'**no reason**: {r.error}'
        out.append(f'| {r.file} | {r.tests} | {r.passed} | {r.skipped} | {r.failed} | {why.replace("|", chr(92) + "|")} |')
    out += ['', '## Failures', '', '| test | reason |', '|---|---|']
    for name, text in failures:
        out.append(f'| `{name}` | {(reason_of(reasons, name) or "**no reason**: " + text).replace("|", chr(92) + "|")} |')
    pathlib.Path(path).write_text('\n'.join(out) + '\n', encoding='utf-8')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('source')
    parser.add_argument('--commit', default='HEAD')
    parser.add_argument('--runtime', default=str(ROOT / 'build/release/tests/upstream/libet_upstream_runtime.so'))
    parser.add_argument('--work', default=str(ROOT / 'build/upstream'))
    parser.add_argument('--native-functions')
    parser.add_argument('--only', default='')
    parser.add_argument('--report')
    parser.add_argument('--compiler', default='g++')
    parser.add_argument('--jobs', type=int, default=int(os.environ.get('JOBS', '2')))
    parser.add_argument('--no-compile', action='store_true', help='only what is compiled already')
    args = parser.parse_args()

    functions = native_functions(args.native_functions)
    if functions is None:
        print('test-upstream: skipped: no torch in python3 (ET_UPSTREAM_PYTHON names another, --native-functions the file)')
        return 0
    work = pathlib.Path(args.work)
    checkout = Checkout(args.source, args.commit)
    folders = sorted({f for fs in FOLDERS.values() for f in fs} | set(SUPPORT) | {'kernels', 'schema', 'test'})
    copied, stamp = work / 'source.txt', f'{checkout.describe()}: {" ".join(folders)}'
    if not copied.exists() or copied.read_text() != stamp:
        shutil.rmtree(work / 'source', ignore_errors=True)
        checkout.copy(work / 'source', folders)
        copied.write_text(stamp)
    for folder in SUPPORT:
        link = work / 'support/executorch' / folder
        for header in sorted((work / 'source' / folder).rglob('*.h')):
            target = work / 'support/executorch' / header.relative_to(work / 'source')
            if (ROOT / 'include/executorch' / header.relative_to(work / 'source')).exists():
                continue  # part of the interface
            target.parent.mkdir(parents=True, exist_ok=True)
            if not target.exists():
                target.symlink_to(header)
    support.write(work / 'generated', checkout, functions)
    build = Build(work, pathlib.Path(args.runtime).resolve(), args.compiler, checkout)
    (work / 'objects').mkdir(exist_ok=True)
    build.prepare()

    files = []
    for folders in FOLDERS.values():
        for folder in folders:
            for path in sorted((work / 'source' / folder).rglob('*.cpp')):
                name = path.relative_to(work / 'source').as_posix()
                if name not in files and args.only in name and re.search(r'[Tt]est[^/]*\.cpp$', name):
                    if re.search(r'\b(TEST|TEST_F|TEST_P|TYPED_TEST)\(|IMPLEMENT_|Test\b', path.read_text(errors='replace')):
                        files.append(name)
    # Sources of tests that several files share.
    shared = [f for f in files if pathlib.Path(f).name[0].isupper()]
    environment = {**os.environ, **models.environment(work / 'source', work)}
    reasons = read_reasons()
    print(f'test-upstream: {len(files)} files of tests with {args.jobs} compilers; what is compiled already is not compiled '
          'again, so an interrupted run goes on where it was', flush=True)
    begun, done = time.monotonic(), []

    def compile_one(name):
        error = 'not tried' if args.no_compile and not build.object_of(name).exists() else build.compile(name)
        done.append(name)
        spent = time.monotonic() - begun
        left = spent / len(done) * (len(files) - len(done))
        print(f'[{len(done)}/{len(files)}] compiled {name}; {spent / 60:.0f} min, about {left / 60:.0f} more', flush=True)
        return error

    def run_one(name):
        """The row of a file and its failures."""
        text = (work / 'source' / name).read_text(errors='replace')
        counted = len(re.findall(r'^\s*(?:TEST|TEST_F|TEST_P|TYPED_TEST)\(', text, re.M))
        error = errors[name] or build.link(name, build.companions(name))
        if error:
            print(f'{name}: not compiled: {error}', flush=True)
            return Row(name, counted, 0, 0, 0, error), []
        results = run_tests(build.object_of(name).with_suffix(''), environment)
        bad = [(f'{name}:{t}', r) for t, r in results.items() if r not in ('passed', 'skipped')]
        values = list(results.values())
        print(f'{name}: {values.count("passed")} of {len(values)}' +
              ''.join(f'\n    {n.split(":", 1)[1]}: {r}' for n, r in bad), flush=True)
        return Row(name, len(values), values.count('passed'), values.count('skipped'), len(bad), None), bad

    with ThreadPoolExecutor(args.jobs) as pool:
        errors = dict(zip(files, pool.map(compile_one, files)))
        rows, failures = [], []
        for row, bad in pool.map(run_one, [f for f in files if f not in shared]):
            rows.append(row)
            failures += bad
    total, passed = sum(r.tests for r in rows), sum(r.passed for r in rows)
    unexplained = [n for n, _ in failures if not reason_of(reasons, n)] + [
        r.file for r in rows if r.error is not None and not reason_of(reasons, r.file)]
    if args.report:
        write_report(args.report, rows, failures, reasons, checkout.describe())
    print(f'{passed} of {total} passed, {len(failures)} failed, {sum(r.error is not None for r in rows)} files not compiled, '
          f'{len(unexplained)} without a reason')
    return 1 if unexplained else 0


if __name__ == '__main__':
    sys.exit(main())
