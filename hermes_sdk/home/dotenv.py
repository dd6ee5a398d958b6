"""The file `.env`, read and written as the host does; unrelated lines are preserved byte for byte."""

from __future__ import annotations

import re

from hermes_sdk.errors import UsageError
from hermes_sdk.files import keep_line_ends

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

# Variables that decide which programs run, or where Hermes is; the host's writer rejects them too.
_REFUSED = frozenset({
    "LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "LD_DEBUG", "DYLD_INSERT_LIBRARIES", "DYLD_LIBRARY_PATH",
    "DYLD_FRAMEWORK_PATH", "DYLD_FALLBACK_LIBRARY_PATH", "DYLD_FALLBACK_FRAMEWORK_PATH", "PYTHONPATH", "PYTHONHOME",
    "PYTHONSTARTUP", "PYTHONUSERBASE", "PYTHONEXECUTABLE", "PYTHONNOUSERSITE", "NODE_OPTIONS", "NODE_PATH", "PATH",
    "SHELL", "BROWSER", "EDITOR", "VISUAL", "PAGER", "GIT_SSH_COMMAND", "GIT_EXEC_PATH", "GIT_SHELL", "HERMES_HOME",
    "HERMES_PROFILE", "HERMES_CONFIG", "HERMES_ENV",
})  # fmt: skip
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_ESCAPED = re.compile(r'\\(["\\])')


def parse_env(text: str) -> dict[str, str]:
    """Return the variables of a `.env` file in order of first occurrence; the last value of a name counts.

    Blank lines, comments and lines without ``=`` are skipped; ``export NAME=value`` works. Inside double quotes
    ``\\"`` and ``\\\\`` are escapes; nothing is expanded.
    """
    assignments = (_parse_assignment(line) for line in _LINE.findall(text))
    return dict(assignment for assignment in assignments if assignment is not None)


def set_in_env(text: str, name: str, value: str) -> str:
    """Return a `.env` file with a variable set to a value.

    The last line that sets the variable is replaced, otherwise a line is added at the end.

    Args:
        text: The current content of the file.
        name: The variable's name.
        value: Its value, a single line.

    Raises:
        UsageError: The name is not valid or decides which programs run, or the value is not a single line.
    """
    if not _NAME.fullmatch(name):
        raise UsageError(f"{name!r} is not a valid environment variable name", fix="Use only letters, digits and '_'.")
    if name in _REFUSED:
        raise UsageError(
            f"{name} affects which programs run, so it is not set for a plugin",
            fix="If you need the variable, add it to .env by hand.",
        )
    if any(character in "\n\r\0" or "\ud800" <= character <= "\udfff" for character in value):
        raise UsageError(
            f"the value of {name} is not a single line of text", fix="Remove line breaks and null characters."
        )
    lines: list[str] = _LINE.findall(text)
    assignment = f"{name}={_quote(value)}"
    for index, line in reversed(list(enumerate(lines))):
        existing = _parse_assignment(line)
        if existing is not None and existing[0] == name:
            lines[index] = assignment + line[len(line.rstrip("\r\n")) :]
            return "".join(lines)
    start = text if not text or text.endswith(("\n", "\r")) else text + "\n"
    return keep_line_ends(text, f"{start}{assignment}\n")


def _parse_assignment(line: str) -> tuple[str, str] | None:
    line = line.strip()
    if line.startswith("#") or "=" not in line:
        return None
    name, _, value = line.removeprefix("export ").partition("=")
    return name.strip(), _unquote(value.strip())


def _quote(value: str) -> str:
    if not any(character in "#\"'" or character.isspace() for character in value):
        return value
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _unquote(value: str) -> str:
    if len(value) >= 2 and value[0] == value[-1] == '"':
        return _ESCAPED.sub(r"\1", value[1:-1])
    if len(value) >= 2 and value[0] == value[-1] == "'":
        return value[1:-1]
    return value
