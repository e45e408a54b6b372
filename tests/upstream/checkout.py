"""Upstream's source: a folder, or a git directory without a work tree."""
import pathlib
import shutil
import subprocess


class Checkout:
    def __init__(self, source, commit='HEAD'):
        self.source, self.commit = pathlib.Path(source), commit
        self.is_tree = (self.source / 'kernels').is_dir()

    def git(self, *arguments, **more):
        return subprocess.run(['git', '-C', str(self.source), *arguments], capture_output=True, check=True, **more).stdout

    def describe(self):
        if self.is_tree and not (self.source / '.git').exists():
            return (self.source / 'version.txt').read_text().strip()
        return self.git('log', '-1', '--format=%h of %cs', self.commit, text=True).strip()

    def read(self, path):
        if self.is_tree:
            return (self.source / path).read_text(encoding='utf-8')
        return self.git('show', f'{self.commit}:{path}').decode()

    def copy(self, to, folders):
        """The files of these folders; those that the git directory lacks are left out."""
        if self.is_tree:
            for folder in folders:
                if (self.source / folder).is_dir():
                    shutil.copytree(self.source / folder, to / folder, dirs_exist_ok=True)
            return
        listing = self.git('ls-tree', '-r', self.commit, '--', *folders).decode(errors='replace')
        rows = [(line.split()[2], line.split('\t')[1]) for line in listing.splitlines() if line.split()[1] == 'blob']
        blobs = subprocess.run(['git', '-C', str(self.source), 'cat-file', '--batch'], capture_output=True, check=True,
                               input=''.join(h + '\n' for h, _ in rows).encode()).stdout
        at = 0
        for _, path in rows:
            end = blobs.index(b'\n', at)
            head = blobs[at:end].split()
            at = end + 1
            if len(head) != 3:  # missing
                continue
            size = int(head[2])
            file = to / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(blobs[at:at + size])
            at += size + 1
