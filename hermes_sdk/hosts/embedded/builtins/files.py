"""``read_file``, ``write_file`` and ``patch`` for single files."""

from __future__ import annotations

import difflib
import json
import re
from pathlib import Path
from typing import Any

from hermes_sdk.errors import HermesSdkError
from hermes_sdk.hosts.embedded.builtins.file_access import Seen, denied, protected, resolved, similar, unreadable
from hermes_sdk.hosts.embedded.builtins.syntax_check import DATA, lint, problem
from hermes_sdk.hosts.embedded.builtins.tool import Builtin, Turnside, answer, refusal

LINES = 500
MOST_LINES = 2000
LONGEST_LINE = 2000
_UNCHANGED = (
    "File unchanged since last read. The content from the earlier read_file result in this conversation is still"
    " current — refer to that instead of re-reading."
)


def _read(args: dict[str, Any], side: Turnside) -> str:
    path = args.get("path", "")
    if not isinstance(path, str):
        return refusal(f"expected str, bytes or os.PathLike object, not {type(path).__name__}")
    first = max(1, _whole(args.get("offset", 1), 1))
    most = max(1, min(_whole(args.get("limit", LINES), LINES), MOST_LINES))
    file, seen = resolved(path, side), Seen.by(side)
    if refused := unreadable(path, file, side):
        return json.dumps({"error": refused})
    region = (str(file), first, most)
    if file.exists() and seen.regions.get(region) == file.stat().st_mtime:
        return _again(path, region, seen)
    told = _page(path, file, first, most, side)
    if file.exists():
        seen.regions[region] = file.stat().st_mtime
        seen.repeats.pop(region, None)
        seen.read(file, partial=first > 1 or told["truncated"])
    return answer(**told)


def _whole(value: Any, default: int) -> int:
    try:
        return int(value)
    except (TypeError, ValueError):
        return default


def _again(path: str, region: tuple[str, int, int], seen: Seen) -> str:
    """Answer for a region that was read before and has not changed."""
    seen.repeats[region] = times = seen.repeats.get(region, 0) + 1
    if times == 1:
        return answer(status="unchanged", message=_UNCHANGED, path=path, dedup=True, content_returned=False)
    return refusal(
        f"BLOCKED: You have called read_file on this exact region {times + 1} times and the file has NOT changed. STOP"
        " calling read_file for this path — the content from your earlier read_file result in this conversation is"
        " still current. Proceed with your task using the information you already have.",
        path=path,
        already_read=times + 1,
    )


def _page(path: str, file: Path, first: int, most: int, side: Turnside) -> dict[str, Any]:
    told = {"content": "", "total_lines": 0, "file_size": 0, "truncated": False}
    kind = {"is_binary": False, "is_image": False}
    if not file.is_file():
        near = similar(path, side)
        missing = str(Path(path).expanduser()) if path.startswith("~") else path
        found = {"similar_files": near} if near else {}
        return {**told, **kind, "error": f"File not found: {missing}", **found}
    content = file.read_bytes().decode(errors="replace")
    told["file_size"] = file.stat().st_size
    start = content[:1000]
    if sum(ord(sign) < 32 and sign not in "\n\r\t" for sign in start) > 0.3 * len(start):
        advice = "Binary file - cannot display as text. Use appropriate tools to handle this file type."
        return {**told, **kind, "is_binary": True, "error": advice}
    if first == 1 and side.behaviour.file_paths_told:
        content = content.removeprefix("\ufeff")
    last = first + most - 1
    total = told["total_lines"] = content.count("\n")
    told["content"] = _numbered("".join(content.splitlines(keepends=True)[first - 1 : last]), first, side)
    told["truncated"] = total > last
    if total > last:
        told["hint"] = f"Use offset={last + 1} to continue reading (showing {first}-{last} of {total} lines)"
    return {**told, **kind}


def _numbered(text: str, first: int, side: Turnside) -> str:
    width = "" if side.behaviour.file_paths_told else "6"
    lines = (
        line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]}... [truncated]" for line in text.split("\n")
    )
    return "\n".join(f"{number:{width}}|{line}" for number, line in enumerate(lines, start=first))


def _write(args: dict[str, Any], side: Turnside) -> str:
    path, content = args.get("path"), args.get("content")
    if not path or not isinstance(path, str):
        return refusal(
            "write_file: missing required field 'path'. Re-emit the tool call with both 'path' and 'content' set."
        )
    if "content" not in args:
        return refusal(
            "write_file: missing required field 'content'. The tool call included a path but no content argument — this"
            " is almost always a dropped-arg bug under context pressure. Re-emit the tool call with the full content"
            " payload, or use execute_code with hermes_tools.write_file() for very large files."
        )
    if not isinstance(content, str):
        return refusal(f"write_file: 'content' must be a string, got {type(content).__name__}.")
    file, seen = resolved(path, side), Seen.by(side)
    if refused := protected(path, file, side):
        return refusal(refused)
    warning = seen.stale(str(file))
    told = _written(_name(path, file, side), file, content, side)
    if warning:
        told["_warning"] = warning
    if side.behaviour.file_paths_told:
        told["resolved_path"] = str(file)
        if "error" not in told:
            told["files_modified"] = [str(file)]
    if "error" not in told:
        seen.wrote(str(file))
    return answer(**told)


def _name(path: str, file: Path, side: Turnside) -> str:
    """What the host calls a file: its whole path, or in earlier releases what the model called it."""
    if side.behaviour.file_paths_told:
        return str(file)
    return str(Path(path).expanduser()) if path.startswith("~") else path


def _written(name: str, file: Path, content: str, side: Turnside) -> dict[str, Any]:
    """Write a file and tell how that went."""
    told: dict[str, Any] = {"bytes_written": 0, "dirs_created": False}
    if refused := denied(name, file, side):
        return {**told, "error": refused}
    broken = problem(name, content) if side.behaviour.data_files_checked and file.suffix.lower() in DATA else None
    if broken:
        return {
            **told,
            "error": f"Refusing to write '{name}': candidate content fails {file.suffix.lower()} syntax validation"
            f" ({broken}). The file was NOT created or modified. Fix the content and retry.",
        }
    before = file.read_bytes().decode(errors="replace") if file.is_file() else None
    if before is not None and "\r\n" in before and side.behaviour.line_endings_kept:
        content = re.sub(r"\r?\n", "\r\n", content)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        told["dirs_created"] = "/" in name
        file.write_bytes(content.encode(errors="replace"))
    except OSError as error:
        return {**told, "error": f"Failed to write file: {error.strerror}"}
    return {**told, "bytes_written": file.stat().st_size, "lint": lint(name, before or None, content)}


def _patch(args: dict[str, Any], side: Turnside) -> str:
    mode, path, old, new = (args.get(key) for key in ("mode", "path", "old_string", "new_string"))
    if path and (refused := protected(path, resolved(path, side), side)):
        return refusal(refused)
    if mode == "patch" and args.get("patch"):
        raise HermesSdkError(
            "The embedded host does not model patches of several files (mode 'patch').",
            fix="Run this test on the real host (--hermes-host=real), or let the model use mode 'replace'.",
        )
    if mode == "patch":
        return refusal("patch content required")
    if mode not in (None, "replace"):
        return refusal(f"Unknown mode: {mode}")
    if not path:
        return refusal("path required")
    if old is None or new is None:
        return refusal("old_string and new_string required")
    return _replaced(path, old, new, bool(args.get("replace_all")), side)


def _replaced(path: str, old: str, new: str, every: bool, side: Turnside) -> str:
    file, seen = resolved(path, side), Seen.by(side)
    name = _name(path, file, side)
    if refused := denied(name, file, side):
        return answer(success=False, error=refused)
    if not file.is_file():
        return answer(success=False, error=f"Failed to read file: {name}")
    warning = seen.stale(str(file))
    warned = {"_warning": warning} if warning else {}
    before = file.read_bytes().decode(errors="replace")
    try:
        after = _substituted(before, old, new, every)
    except ValueError as error:
        return answer(success=False, error=str(error), **warned, **_advice(str(error), path, str(file), seen, side))
    if "\r\n" in before and side.behaviour.line_endings_kept:
        after = re.sub(r"\r?\n", "\r\n", after)
    told = _written(name, file, after, side)
    if "error" in told:
        return answer(success=False, error=f"Failed to write changes: {told['error']}", **warned)
    seen.wrote(str(file))
    old_lines, new_lines = before.splitlines(keepends=True), after.splitlines(keepends=True)
    return answer(
        success=True,
        diff="".join(difflib.unified_diff(old_lines, new_lines, fromfile=f"a/{name}", tofile=f"b/{name}")),
        files_modified=[name],
        lint=lint(name, before, after),
        **warned,
        **({"resolved_path": name} if side.behaviour.file_paths_told else {}),
    )


def _substituted(text: str, old: str, new: str, every: bool) -> str:
    """Replace text; where it is not found as it stands, any white space stands for any other.

    Raises:
        ValueError: There is nothing to replace, or it is not clear what; the message is the host's.
    """
    if not old:
        raise ValueError("old_string cannot be empty")
    if old == new:
        raise ValueError("old_string and new_string are identical")
    found = list(re.finditer(re.escape(old), text))
    if not found:
        found = list(re.finditer(r"\s+".join(map(re.escape, old.split())), text)) if old.split() else []
    if not found:
        raise ValueError("Could not find a match for old_string in the file")
    if len(found) > 1 and not every:
        raise ValueError(
            f"Found {len(found)} matches for old_string. Provide more context to make it unique, or use"
            " replace_all=True."
        )
    for match in reversed(found):
        text = text[: match.start()] + new + text[match.end() :]
    return text


def _advice(error: str, path: str, file: str, seen: Seen, side: Turnside) -> dict[str, str]:
    if not error.startswith("Could not find"):
        return {}
    seen.failures[file] = times = seen.failures.get(file, 0) + 1
    if times < 3 or not side.behaviour.line_endings_kept:
        return {
            "_hint": "old_string not found. Use read_file to verify the current content, or search_files to locate the"
            " text."
        }
    return {
        "_hint": f"This is failure #{times} patching {path!r}. Stop retrying with variations of the same old_string."
        " Either: (1) re-read the file fresh to verify current content, (2) use a longer / more unique old_string with"
        " surrounding context lines, or (3) use write_file to replace the entire file if the targeted region is hard to"
        " anchor."
    }


TOOLS = {
    "read_file": Builtin(
        "Read a part of a text file, with line numbers.",
        {
            "type": "object",
            "properties": {
                "path": {"type": "string", "description": "The file."},
                "offset": {"type": "integer", "description": "The first line.", "default": 1, "minimum": 1},
                "limit": {"type": "integer", "description": "How many lines.", "default": LINES, "maximum": MOST_LINES},
            },
            "required": ["path"],
        },
        _read,
    ),
    "write_file": Builtin(
        "Write a whole file; folders that are missing are made.",
        {
            "type": "object",
            "properties": {
                "path": {"type": "string", "description": "The file."},
                "content": {"type": "string", "description": "All that is to be in it."},
                "cross_profile": {
                    "type": "boolean",
                    "description": "Whether it may belong to another profile.",
                    "default": False,
                },
            },
            "required": ["path", "content"],
        },
        _write,
    ),
    "patch": Builtin(
        "Replace text in a file.",
        {
            "type": "object",
            "properties": {
                "mode": {"type": "string", "enum": ["replace", "patch"], "description": "How.", "default": "replace"},
                "path": {"type": "string", "description": "The file, for mode 'replace'."},
                "old_string": {"type": "string", "description": "What to replace; it is there once."},
                "new_string": {"type": "string", "description": "What to put in its place."},
                "replace_all": {"type": "boolean", "description": "Whether it is there often.", "default": False},
                "patch": {"type": "string", "description": "A patch of several files, for mode 'patch'."},
                "cross_profile": {
                    "type": "boolean",
                    "description": "Whether the file may belong to another profile.",
                    "default": False,
                },
            },
            "required": ["mode"],
        },
        _patch,
    ),
}
