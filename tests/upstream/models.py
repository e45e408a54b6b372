"""The programs that upstream's tests load, exported by upstream's own scripts with a Python that has executorch."""
import os
import subprocess
from pathlib import Path

# Environment variable of the tests: file.
PROGRAMS = {
    'ET_MODULE_ADD_PATH': 'ModuleAdd.pte', 'ET_MODULE_PTE_PATH': 'ModuleAdd.pte',
    'ET_MODULE_ADD_HALF_PATH': 'ModuleAddHalf.pte', 'ET_MODULE_ADD_MUL_PATH': 'ModuleAddMul.pte',
    'ET_MODULE_ADD_MUL_PROGRAM_PATH': 'ModuleAddMulProgram.pte', 'ET_MODULE_ADD_MUL_DATA_PATH': 'ModuleAddMulProgram.ptd',
    'ET_MODULE_LINEAR_PROGRAM_PATH': 'ModuleLinearProgram.pte', 'ET_MODULE_LINEAR_DATA_PATH': 'ModuleLinearProgram.ptd',
    'ET_MODULE_DYNAMIC_CAT_UNALLOCATED_IO_PATH': 'ModuleDynamicCatUnallocatedIO.pte',
    'ET_MODULE_INDEX_PATH': 'ModuleIndex.pte', 'ET_MODULE_INTBOOL_PATH': 'ModuleIntBool.pte',
    'ET_MODULE_MULTI_ENTRY_PATH': 'ModuleMultipleEntry.pte', 'ET_MODULE_SIMPLE_TRAIN_PATH': 'ModuleSimpleTrain.pte',
    'ET_MODULE_STATEFUL_PATH': 'ModuleStateful.pte', 'ET_MODULE_SHARED_STATE': 'ModuleSharedState.pte',
    'ET_MODULE_ADD_MUL_DELEGATED_PATH': 'delegated/ModuleAddMul.pte',
    'ET_MODULE_ADD_MUL_NOSEGMENTS_PATH': 'delegated/ModuleAddMul-nosegments.pte',
    'ET_MODULE_ADD_MUL_NOSEGMENTS_DA1024_PATH': 'delegated/ModuleAddMul-nosegments-da1024.pte',
    'ET_MODULE_ADD_WITH_DEVICE_PATH': 'ModuleAddWithDevice.pte',
    'ET_MODULE_LINEAR_DELEGATE_PROGRAM_PATH': 'executor/ModuleLinear-e.pte',
}
# Arguments of each export.
EXPORTS = [
    ['test.models.export_program', '--modules', 'ModuleAdd,ModuleAddHalf,ModuleAddMul,ModuleDynamicCatUnallocatedIO,'
     'ModuleIndex,ModuleIntBool,ModuleMultipleEntry,ModuleSimpleTrain,ModuleStateful,ModuleSharedState', '--outdir', '.'],
    ['test.models.export_program', '--modules', 'ModuleAddMul,ModuleLinear', '--external-constants', '--outdir', '.'],
    ['test.models.export_delegated_program', '--modules', 'ModuleAddMul', '--backend_id', 'StubBackend', '--outdir',
     'delegated'],
    ['test.models.export_delegated_program', '--modules', 'ModuleAddMul', '--backend_id', 'StubBackend', '--inline_delegate_segments',
     '--outdir', 'delegated'],
    ['test.models.export_delegated_program', '--modules', 'ModuleAddMul', '--backend_id', 'StubBackend', '--inline_delegate_segments',
     '--delegate_alignment', '1024', '--outdir', 'delegated'],
    ['test.models.export_program_with_device_info', '--outdir', '.'],
    ['test.models.export_delegated_program', '--modules', 'ModuleLinear', '--backend_id', 'ExecutorBackend',
     '--external_constants', '--outdir', 'executor'],
]


def environment(source, work):
    """Variables of the tests; exports what is missing. Without a Python that has executorch only what upstream keeps."""
    source, folder = Path(source).resolve(), Path(work).resolve() / 'models'
    folder.mkdir(parents=True, exist_ok=True)
    python = os.environ.get('ET_UPSTREAM_PYTHON')
    stamp = folder / 'done.txt'
    if python and not (stamp.exists() and stamp.read_text() == str(EXPORTS)):
        print(f'test-upstream: {len(EXPORTS)} exports of programs for the tests; some minutes', flush=True)
        for module, *arguments in EXPORTS:
            arguments = [str(folder / a) if arguments[i - 1] == '--outdir' else a for i, a in enumerate(arguments)]
            done = subprocess.run([python, '-m', module, *arguments], cwd=source, capture_output=True, text=True)
            if done.returncode != 0:
                print(f'test-upstream: {module} {" ".join(arguments[:2])}: ' + (done.stderr.strip().splitlines() or ['failed'])[-1])
        stamp.write_text(str(EXPORTS))
    kept = {'DEPRECATED_ET_MODULE_LINEAR_CONSTANT_BUFFER_PATH': source / 'test/models/deprecated/ModuleLinear-no-constant-segment.pte',
            'RESOURCES_PATH': source / 'extension/module/test/resources'}
    return {name: str(path) for name, path in {**{n: folder / p for n, p in PROGRAMS.items()}, **kept}.items()}
