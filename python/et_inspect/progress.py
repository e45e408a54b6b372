"""How far a long import is: tqdm's bar where tqdm is installed, else one line on stderr."""

from __future__ import annotations

import sys
import time
from typing import Any, Callable, Optional, Union

# Seconds after which an import counts as long.
_PATIENCE = 1.0


class ProgressBar:
    """``callback`` is what the import calls; None to stay silent."""

    def __init__(self, wanted: Union[bool, str, Callable[..., Any]]) -> None:
        self.callback: Optional[Callable[..., Any]] = None
        self._bar: Any = None
        self._line = False
        self._start = time.monotonic()
        self._patience = 0.0 if wanted is True else _PATIENCE
        if callable(wanted):
            self.callback = wanted
        elif wanted is True or (wanted == "auto" and (sys.stderr.isatty() or "ipykernel" in sys.modules)):
            self.callback = self._step
        elif wanted not in (False, None, "auto"):
            raise TypeError(f"progress: expected True, False, 'auto' or a callable, got {wanted!r}")

    def __enter__(self) -> "ProgressBar":
        return self

    def __exit__(self, *_: Any) -> None:
        if self._bar is not None:
            self._bar.close()
        if self._line:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    def _step(self, stage: str, done: int, total: int) -> None:
        if time.monotonic() - self._start < self._patience:
            return
        if self._bar is None and not self._line:
            try:
                from tqdm.auto import tqdm

                self._bar = tqdm(total=total or None, desc=stage, leave=False)
            except ImportError:
                self._line = True
        if self._bar is not None:
            if self._bar.desc.rstrip(": ") != stage or self._bar.total != (total or None):
                self._bar.reset(total=total or None)
                self._bar.set_description(stage)
            self._bar.update(done - self._bar.n)
        else:
            share = f" {100 * done // total} %" if total else ""
            sys.stderr.write(f"\r\x1b[K{stage}{share}")
            sys.stderr.flush()
