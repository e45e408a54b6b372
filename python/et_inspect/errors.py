"""What goes wrong, as exceptions. Each has the code of the runtime and says which file, where in it, and why."""

from __future__ import annotations

import re
from typing import Optional

__all__ = [
    "Error",
    "FormatError",
    "AccessError",
    "ArgumentError",
    "DtypeError",
    "NotFoundError",
    "OperatorMissingError",
    "StateError",
    "OutOfMemoryError",
    "DelegateError",
]

_PLACE = re.compile(r"^(?P<place>[^:]*?) at byte (?P<offset>\d+): (?P<cause>.*)$", re.DOTALL)
# As the runtime says it: "program: offset 4: file identifier: …; model.pte: cannot load the program".
_OFFSET = re.compile(r"^(?P<place>.*?): offset (?P<offset>\d+): (?P<cause>.*)$", re.DOTALL)


class Error(RuntimeError):
    """Any error of the libraries.

    ``code`` and ``name`` are ExecuTorch's (0x24, "InvalidExternalData"); ``file``, ``place``, ``offset`` and ``cause``
    are parts of the message where it has them, else None.
    """

    def __init__(self, message: str, code: int = 1, name: str = "Internal") -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.name = name
        self.file: Optional[str] = None
        self.place: Optional[str] = None
        self.offset: Optional[int] = None
        self.cause: Optional[str] = None
        head, colon, rest = message.partition(": ")
        # A file's name comes first; an argument's ("SQL: …"), an option's or an operator's is no path.
        if colon and ("/" in head or "." in head) and "::" not in head and not head.startswith("-"):
            self.file, self.cause = head, rest
        if found := _PLACE.match(rest if self.file else message) or _OFFSET.match(message):
            self.place, self.cause = found["place"], found["cause"]
            self.offset = int(found["offset"])

    def of_file(self, file: str) -> "Error":
        """The same, of a file that the message does not begin with."""
        if self.file is None:
            self.file = file
            self.cause = self.cause or self.message
        return self

    def __reduce__(self):
        return (type(self), (self.message, self.code, self.name))


class FormatError(Error, ValueError):
    """A file is damaged, cut, of another kind, or not what the others belong to."""


class AccessError(Error):
    """A file cannot be read or written."""


class ArgumentError(Error, ValueError):
    """An argument, an option or SQL that makes no sense; the message says what was expected."""


class DtypeError(Error, TypeError):
    """A value of the wrong type."""


class NotFoundError(Error, LookupError):
    """No such trace, method or backend; the message lists what there is."""


class OperatorMissingError(Error):
    """The program needs an operator that the runtime does not have."""


class StateError(Error):
    """The object is closed, or not in the state that the call needs."""


class OutOfMemoryError(Error):
    """Memory for the program, its inputs or the trace did not suffice."""


class DelegateError(Error):
    """A backend refuses what the program has for it."""


_CLASSES = {
    0x02: StateError,
    0x12: ArgumentError,
    0x13: DtypeError,
    0x14: OperatorMissingError,
    0x20: NotFoundError,
    0x21: OutOfMemoryError,
    0x22: AccessError,
    0x23: FormatError,
    0x24: FormatError,
    0x25: OutOfMemoryError,
    0x30: DelegateError,
    0x31: DelegateError,
    0x32: DelegateError,
}


def from_code(code: int, name: str, message: str) -> Error:
    """The exception for an error code of the libraries."""
    return _CLASSES.get(code, Error)(message, code, name)
