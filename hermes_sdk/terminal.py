"""Safe output to a terminal or the log of a workflow: only hermes-sdk's own styles, no commands in untrusted text."""

from __future__ import annotations

import io
import os
import re
import sys
from typing import TYPE_CHECKING, Any, TextIO, cast

if TYPE_CHECKING:
    from rich.console import Console

ESCAPE = "\ufdd0" + "".join(chr(0xFDD1 + byte % 31) for byte in os.urandom(8))
"""Placeholder for the escape character in hermes-sdk's own styles, which untrusted text cannot guess."""

QUIET = "HERMES_SDK_QUIET"
"""The variable that makes output to a terminal the same as output to a file."""

_WIDTH = 100

# Patterns are plain strings, since most processes never need them compiled.

# Control characters, characters that change text direction or break lines, and lone surrogates; except the carriage
# return of a Windows line end.
_UNSAFE = (
    "[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufff9-\ufffb"
    "\U000e0000-\U000e007f]|\r(?!\n)"
)
_STYLE = rf"{ESCAPE}\[[0-9;]*m"
_COMMAND = rf"(?m)^((?:\s|(?:\x1b|{ESCAPE})\[[0-9;]*m)*):(?=:[^\n]*::)"


def style(text: str, **styles: Any) -> str:
    """Return styled text, like `click.style`, for a stream guarded by `guard`."""
    import click

    styled = click.style(text, **styles)
    return styled.replace("\x1b", ESCAPE) if isinstance(sys.stdout, Guarded) else styled


def format_count(number: int, noun: str) -> str:
    """Format a number of things, such as ``1 call`` and ``2 calls``."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def clean(text: str, encoding: str | None = None, *, commands: bool = False) -> str:
    r"""Escape unsafe characters in text as in JSON, such as ``\u001b``.

    A JSON document therefore keeps its meaning.

    Args:
        text: The text; `ESCAPE` in it begins a style.
        encoding: The encoding of the stream; other characters are escaped.
        commands: Whether to allow commands to GitHub Actions, as in ``::error::…``.
    """
    text = escape_controls(text if commands else escape_commands(text))
    return escape_unencodable(text.replace(ESCAPE, "\x1b"), encoding)


def escape_commands(text: str, *, within_line: bool = False) -> str:
    """Escape commands to GitHub Actions: ``::`` at the start of a line, ``##[`` anywhere.

    Args:
        within_line: Whether the text continues a line.
    """
    if "::" in text:
        text = re.sub(_COMMAND, lambda one: one[0] if within_line and not one.start() else f"{one[1]}: ", text)
    return text.replace("##[", "#\\u0023[")


def escape_controls(text: str) -> str:
    """Escape control characters, except `ESCAPE`."""
    is_safe = text.replace("\n", "").isprintable()
    return text if is_safe else re.sub(_UNSAFE, lambda found: _escape(found[0]), text)


def escape_unencodable(text: str, encoding: str | None) -> str:
    """Escape the characters that an encoding does not support."""
    return (
        text
        if _can_encode(text, encoding)
        else "".join(one if _can_encode(one, encoding) else _escape(one) for one in text)
    )


def _escape(characters: str) -> str:
    units = characters.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))


def _can_encode(text: str, encoding: str | None) -> bool:
    try:
        text.encode(encoding or "utf-8")
    except UnicodeEncodeError:
        return False
    return True


class Guarded(io.TextIOBase):
    """A text stream that escapes unsafe output; see `clean`."""

    def __init__(self, stream: TextIO, *, controls: bool = False) -> None:
        self.stream = stream
        self._controls = controls
        self._within_line = False

    def write(self, text: Any, /) -> int:
        """Write text; other types raise a TypeError, by which click recognises that this is not a stream of bytes."""
        if not isinstance(text, str):
            raise TypeError(f"a str is required, not {type(text).__name__}")
        if text:
            output = escape_commands(text, within_line=self._within_line)
            output = output if self._controls else escape_controls(output)
            styled = self.isatty() or "FORCE_COLOR" in os.environ
            output = output.replace(ESCAPE, "\x1b") if styled else re.sub(_STYLE, "", output)
            if self._controls and not styled:  # The cells of a table are filled with spaces.
                output = re.sub("(?m) +$", "", output)
            self.stream.write(escape_unencodable(output, self.encoding))
            self._within_line = not text.endswith("\n")
        return len(text)

    def flush(self) -> None:
        """Flush the stream."""
        self.stream.flush()

    def isatty(self) -> bool:
        """Return whether the stream is a terminal and may be treated as one."""
        return QUIET not in os.environ and self.stream.isatty()

    def fileno(self) -> int:
        """Return the descriptor of the stream."""
        return self.stream.fileno()

    def writable(self) -> bool:
        """Return True."""
        return True

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """The encoding of the stream."""
        return self.stream.encoding or "utf-8"

    @property
    def errors(self) -> str | None:  # type: ignore[override]
        """Error handler of the stream for characters that its encoding does not support."""
        return self.stream.errors


def guard() -> None:
    """Guard the standard streams of this process with `Guarded`; closed streams are redirected to the null device."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:  # Otherwise the next opened file would get this descriptor and the output.
            os.open(os.devnull, os.O_RDWR)
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            stream = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123 - for the rest of the process
        if not isinstance(stream, Guarded):
            setattr(sys, name, Guarded(stream))


def strip_guard(stream: TextIO) -> TextIO:
    """Return the stream behind a guard, for text that is already safe."""
    return stream.stream if isinstance(stream, Guarded) else stream


def get_width(stream: TextIO) -> int:
    """Return the maximum width of a line: COLUMNS, else the width of the terminal, else 100."""
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns):
        return int(columns)
    try:
        return (stream.isatty() and os.get_terminal_size(stream.fileno()).columns) or _WIDTH
    except (OSError, ValueError):
        return _WIDTH


def console(*, stderr: bool = False) -> Console:
    """Return a rich console that escapes unsafe output and does not interpret text as markup or links."""
    from collections.abc import Iterable

    import rich.console
    from rich.segment import Segment

    class CleanConsole(rich.console.Console):
        def render(self, renderable: Any, options: Any = None) -> Iterable[Segment]:
            for text, shown, control in super().render(renderable, options):
                yield Segment(text if control else escape_controls(text), shown, control)

    stream = strip_guard(sys.stderr if stderr else sys.stdout)
    file = cast("TextIO", Guarded(stream, controls=True))
    return CleanConsole(file=file, width=get_width(file), highlight=False, markup=False, emoji=False)
