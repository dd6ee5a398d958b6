"""``read_file``, ``write_file`` and ``patch`` for single files."""

from __future__ import annotations

import difflib
import json
import os
import re
from pathlib import Path
from typing import Any

from hermes_sdk.hosts.embedded.builtins.file_access import (
    BLOCKED_FROM,
    WARNED_FROM,
    FileHistory,
    find_similar,
    mark_guardrail,
    name_kind,
    refuse_change,
    refuse_read,
    refuse_write,
    resolve_path,
)
from hermes_sdk.hosts.embedded.builtins.syntax_check import lint
from hermes_sdk.hosts.embedded.builtins.tool import ToolContext, answer, boolean, integer, refuse, string, to_int, tool

LINES = 500
MOST_LINES = 2000
LONGEST_LINE = 2000
SAMPLE = 1000
"""How much of a file tells whether it is text."""
LONGEST_CHARACTER = 4
"""The bytes of a character in UTF-8, which the end of a sample may cut."""
BYTE_ORDER_MARKS = (b"\xff\xfe", b"\xfe\xff")
MOST_SUGGESTIONS = 3
"""How many parts of a file are shown instead of a text that is not there."""
LEAST_LIKENESS = 0.3
"""How much their first lines resemble it at least."""
LIKENESS_OF_SAME = 0.8
"""How much a line resembles another at least that the host may take for it."""
MOST_PLACES = 5
"""How many of the places where an ambiguous text stands are told."""
_READ_IN_TWO_WAYS = re.compile("[‘’“”–—…\\u00a0]")
_SUGGESTION = "Did you mean one of these sections?"
_UNCHANGED = "File unchanged since last read. Use what you read before."


@tool(
    "Read a part of a text file, with line numbers.",
    path=string("The file.", required=True),
    offset=integer("The first line.", default=1, minimum=1),
    limit=integer("How many lines.", default=LINES, maximum=MOST_LINES),
)
def read_file(args: dict[str, Any], context: ToolContext) -> str:
    """Return some lines of a file, unless the task has already read them."""
    path = args.get("path", "")
    if not isinstance(path, str):
        return refuse(f"expected str, bytes or os.PathLike object, not {type(path).__name__}")
    first = max(1, to_int(args.get("offset", 1), 1))
    most = max(1, min(to_int(args.get("limit", LINES), LINES), MOST_LINES))
    file, history = resolve_path(path, context), FileHistory.of(context)
    if refused := refuse_read(path, file, context):
        return json.dumps({"error": refused}, ensure_ascii=not context.behaviour.files_explained)
    region = (str(file), first, most)
    if file.exists() and history.regions.get(region) == file.stat().st_mtime:
        return _answer_repeat(path, region, history, context)
    page = _read_page(path, file, first, most, context)
    if file.exists():
        history.regions[region] = file.stat().st_mtime
        history.repeats.pop(region, None)
        history.record_read(file, partial=first > 1 or page["truncated"])
    elif context.behaviour.files_explained:
        return answer(**page)
    times = history.count("read", path, first, most)
    if times >= BLOCKED_FROM:
        return refuse(
            f"BLOCKED: You have read this exact file region {times} times in a row. It is unchanged;"
            " use what you have.",
            path=path,
            already_read=times,
            **mark_guardrail(context),
        )
    if times >= WARNED_FROM:
        page["_warning"] = (
            f"You have read this exact file region {times} times consecutively. It is unchanged;"
            " continue with what you have."
        )
    return answer(**page)


def _answer_repeat(path: str, region: tuple[str, int, int], history: FileHistory, context: ToolContext) -> str:
    """Return the result for a region that was read before and has not changed."""
    history.repeats[region] = times = history.repeats.get(region, 0) + 1
    if times == 1:
        return answer(status="unchanged", message=_UNCHANGED, path=path, dedup=True, content_returned=False)
    return refuse(
        f"BLOCKED: You have called read_file on this exact region {times + 1} times and the file has"
        " NOT changed. Use what you read earlier.",
        path=path,
        already_read=times + 1,
        **mark_guardrail(context),
    )


def _read_page(path: str, file: Path, first: int, most: int, context: ToolContext) -> dict[str, Any]:
    page = {"content": "", "total_lines": 0, "file_size": 0, "truncated": False}
    kind: dict[str, Any] = {"is_binary": False, "is_image": False}
    counted = context.behaviour.lines_counted
    marked = context.behaviour.read_results_marked
    if not file.is_file():
        if os.path.lexists(file):
            raise context.state.unsupported("read what is not a regular file, such as a directory")
        resolved = context.behaviour.missing_files_resolved
        near = find_similar(str(file) if resolved else path, context)
        missing = str(file) if resolved else str(Path(path).expanduser()) if path.startswith("~") else path
        found = {**({"not_found": True} if marked else {}), **({"similar_files": near} if near else {})}
        return {**page, **kind, "error": f"File not found: {missing}", **found}
    there = {"not_found": False} if marked else {}
    data = file.read_bytes()
    content = data.decode(errors="replace")
    page["file_size"] = file.stat().st_size
    if _is_binary(data[:SAMPLE], content[:SAMPLE], context):
        return {**page, **kind, "is_binary": True, "error": _refuse_binary(file, context), **there}
    if first == 1:
        content = content.removeprefix("\ufeff")
    if dead_end := _explain_nothing(content, first) if context.behaviour.files_explained else None:
        return {**page, "total_lines": content.count("\n"), "hint": dead_end, **kind, **there}
    last = first + most - 1
    total = page["total_lines"] = content.count("\n") + (counted and not content.endswith("\n"))
    text = "".join(content.splitlines(keepends=True)[first - 1 : last])
    text = text.removesuffix("\n") if counted else text
    page["content"] = _number_lines(text, first)
    page["truncated"] = total > last
    if total > last:
        page["hint"] = f"Use offset={last + 1} to continue reading (showing {first}-{last} of {total} lines)"
    if context.behaviour.missing_files_resolved and any(len(line) > LONGEST_LINE for line in text.split("\n")):
        page["truncated_lines"] = True
    return {**page, **kind, **there}


def _is_binary(data: bytes, text: str, context: ToolContext) -> bool:
    """Return whether the start of a file is not text; earlier hosts count its control characters.

    Raises:
        NotSupported: It looks like UTF-16, which later hosts read.
    """
    if not context.behaviour.odd_files_recognised:
        return sum(ord(sign) < 32 and sign not in "\n\r\t" for sign in text) > 0.3 * len(text)
    zeros = [data[first::2].count(0) for first in (0, 1)]
    if data.startswith(BYTE_ORDER_MARKS) or (min(zeros) == 0 and max(zeros) > 1):
        raise context.state.unsupported("read a file in UTF-16")
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return 0 in data or error.start < len(data) - LONGEST_CHARACTER + 1
    return 0 in data


def _refuse_binary(file: Path, context: ToolContext) -> str:
    size = file.stat().st_size
    units = ((1 << 20, "MB"), (1 << 10, "KB"))
    shown = next((f"{size / unit:.1f} {name}" for unit, name in units if size >= unit), f"{size} bytes")
    return context.state.wording("read_file.binary", kind=name_kind(file.read_bytes()[:16]), size=shown)


def _explain_nothing(content: str, first: int) -> str | None:
    """Return why a page of a file is empty, or None when it is not."""
    total = content.count("\n")
    if not content:
        return "File is empty (0 bytes)."
    if first > total > 0:
        end = f"({total} lines total). Retry with offset <= {total}."
        return f"Note: offset {first} is beyond the end of the file {end}"
    return None


def _number_lines(text: str, first: int) -> str:
    lines = (
        line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]}... [truncated]" for line in text.split("\n")
    )
    return "\n".join(f"{number}|{line}" for number, line in enumerate(lines, start=first))


@tool(
    "Write a whole file; folders that are missing are made.",
    path=string("The file.", required=True),
    content=string("All that is to be in it.", required=True),
    cross_profile=boolean("Whether it may belong to another profile.", default=False),
)
def write_file(args: dict[str, Any], context: ToolContext) -> str:
    """Write a file."""
    path, content = args.get("path"), args.get("content")
    if not path or not isinstance(path, str):
        return refuse("write_file: missing required field 'path'. Call it again with both.")
    if "content" not in args:
        return refuse(
            "write_file: missing required field 'content'. Call it again with the whole content;"
            " execute_code can write large files."
        )
    if not isinstance(content, str):
        return refuse(f"write_file: 'content' must be a string, got {type(content).__name__}.")
    file, history = resolve_path(path, context), FileHistory.of(context)
    if refused := refuse_change(path, file, context):
        return refuse(refused)
    warning = history.find_conflict(str(file), context)
    if context.behaviour.unseen_files_kept and (reason := warning or history.find_blindness(file, context)):
        error = context.state.wording("write_file.unseen", path=path, reason=reason)
        return refuse(error, stale_write_blocked=True, path=path, resolved_path=str(file))
    result = _write(file, content, context)
    if warning:
        result["_warning"] = warning
    result["resolved_path"] = str(file)
    if "error" not in result:
        result["files_modified"] = [str(file)]
        history.record_write(str(file))
    return answer(**result)


def _write(file: Path, content: str, context: ToolContext) -> dict[str, Any]:
    """Write a file and return the result."""
    name = str(file)
    result: dict[str, Any] = {"bytes_written": 0, "dirs_created": False}
    if refused := refuse_write(name, file, context):
        return {**result, "error": refused}
    linted = lint(name, content, context.state)
    before = file.read_bytes().decode(errors="replace") if file.is_file() else None
    if before is not None and "\r\n" in before:
        content = re.sub(r"\r?\n", "\r\n", content)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        result["dirs_created"] = True
        file.write_bytes(content.encode(errors="replace"))
    except OSError as error:
        # The host tells the model what the shell or mkdir of the machine says, in its language.
        raise context.state.unsupported(
            f"report why a file cannot be written ({error.strerror}: {name})",
            fix="Run this test on the real host (--hermes-host=real), or let the tool write to a writable path.",
        ) from error
    verified = {"verified": True} if context.behaviour.files_explained else {}
    return {**result, "bytes_written": file.stat().st_size, **verified, "lint": linted}


@tool(
    "Replace text in a file.",
    mode=string("How.", enum=["replace", "patch"], default="replace", required=True),
    path=string("The file, for mode 'replace'."),
    old_string=string("What to replace; it is there once."),
    new_string=string("What to put in its place."),
    replace_all=boolean("Whether it is there often.", default=False),
    patch=string("A patch of several files, for mode 'patch'."),
    cross_profile=boolean("Whether the file may belong to another profile.", default=False),
)
def patch(args: dict[str, Any], context: ToolContext) -> str:
    """Replace text in a file; patches of several files are not modelled."""
    mode, path, old, new = (args.get(key) for key in ("mode", "path", "old_string", "new_string"))
    if path and (refused := refuse_change(path, resolve_path(path, context), context)):
        return refuse(refused)
    if mode == "patch" and args.get("patch"):
        raise context.state.unsupported(
            "apply patches to several files (mode 'patch')",
            fix="Run this test on the real host (--hermes-host=real), or let the model use mode 'replace'.",
        )
    if mode == "patch":
        return refuse("patch content required")
    if mode not in (None, "replace"):
        return refuse(f"Unknown mode: {mode}")
    if not path:
        return refuse("path required")
    if old is None or new is None:
        return refuse("old_string and new_string required")
    return _replace_in_file(path, old, new, bool(args.get("replace_all")), context)


def _replace_in_file(path: str, old: str, new: str, every: bool, context: ToolContext) -> str:
    file, history = resolve_path(path, context), FileHistory.of(context)
    name = str(file)
    if refused := refuse_write(name, file, context):
        return answer(success=False, error=refused)
    if not file.is_file():
        return answer(success=False, error=f"Failed to read file: {name}")
    warning = history.find_conflict(name, context)
    saw_all = history.has_seen(name)
    warned = {"_warning": warning} if warning else {}
    try:
        before = file.read_bytes().decode()
    except UnicodeDecodeError as error:
        raise context.state.unsupported("replace text in a file that is not UTF-8") from error
    try:
        after = _substitute(before, old, new, every, context)
    except ValueError as error:
        return answer(success=False, error=str(error), **warned, **_advise(error, path, name, history, context))
    if "\r\n" in before:
        after = re.sub(r"\r?\n", "\r\n", after)
    result = _write(file, after, context)
    if "error" in result:
        return answer(success=False, error=f"Failed to write changes: {result['error']}", **warned)
    history.record_write(name)
    if not saw_all:
        history.blind.add(name)
    old_lines, new_lines = before.splitlines(keepends=True), after.splitlines(keepends=True)
    return answer(
        success=True,
        diff="".join(difflib.unified_diff(old_lines, new_lines, fromfile=f"a/{name}", tofile=f"b/{name}")),
        files_modified=[name],
        lint=result["lint"],
        **warned,
        resolved_path=name,
    )


def _substitute(text: str, old: str, new: str, every: bool, context: ToolContext) -> str:
    """Replace text; without an exact match, white space matches loosely. A `ValueError` has the host's message."""
    if not old:
        raise ValueError(context.state.wording("patch.empty"))
    if old == new:
        raise ValueError(context.state.wording("patch.identical"))
    found = list(re.finditer(re.escape(old), text))
    if not found:
        found = list(re.finditer(r"\s+".join(map(re.escape, old.split())), text)) if old.split() else []
    if not found:
        _refuse_likeness(text, old, context)
        raise ValueError(f"Could not find a match for old_string in the file{_suggest(text, old, context)}")
    if len(found) > 1 and not every:
        raise ValueError(context.state.wording("patch.ambiguous", count=len(found), places=_list_places(text, found)))
    for match in reversed(found):
        text = text[: match.start()] + new + text[match.end() :]
    return text


def _refuse_likeness(text: str, old: str, context: ToolContext) -> None:
    """Require that a file holds nothing that the host could take for a text that is not there.

    Raises:
        NotSupported: It may: the lines are alike, or the text has what the host reads in two ways.
    """
    lines, wanted = [one.strip() for one in text.split("\n")], [one.strip() for one in old.split("\n")]
    alike = [
        any(difflib.SequenceMatcher(None, one, line).ratio() >= LIKENESS_OF_SAME for line in lines) for one in wanted
    ]
    if sum(alike) * 2 >= len(alike) or (alike[0] and alike[-1]) or "\\" in old or _READ_IN_TWO_WAYS.search(old + text):
        raise context.state.unsupported(
            "replace text that only approximately matches the file",
            fix="Run this test on the real host (--hermes-host=real), or let the model pass text that is in the file.",
        )


def _suggest(text: str, old: str, context: ToolContext) -> str:
    """Show the parts of a file that begin like a text that is not there."""
    lines, wanted = text.splitlines(), old.splitlines()
    anchor = next(filter(None, map(str.strip, wanted)), "")
    likeness = {
        number: difflib.SequenceMatcher(None, anchor, line.strip()).ratio()
        for number, line in enumerate(lines)
        if anchor and line.strip()
    }
    best = sorted((one for one in likeness if likeness[one] > LEAST_LIKENESS), key=lambda one: -likeness[one])
    if not best:
        return ""
    parts = [range(max(0, one - 2), min(len(lines), one + len(wanted) + 2)) for one in best[:MOST_SUGGESTIONS]]
    shown = ["\n".join(f"{number + 1:4d}| {lines[number]}" for number in part) for part in dict.fromkeys(parts)]
    closest = lines[best[0]]
    if context.behaviour.files_explained and closest.strip() == anchor and closest != wanted[0]:
        sides = {"found": _show_indent(closest), "given": _show_indent(wanted[0])}
        shown[-1] += context.state.wording("patch.white_space", **sides)
    return f"\n\n{_SUGGESTION}\n" + "\n---\n".join(shown)


def _show_indent(line: str) -> str:
    rest = line.lstrip(" \t")
    return line[: len(line) - len(rest)].replace("\t", "→").replace(" ", "·") + rest


def _list_places(text: str, found: list[re.Match[str]]) -> str:
    lines = text.split("\n")
    numbers = [text.count("\n", 0, match.start()) for match in found[:MOST_PLACES]]
    shown = [f"  L{number + 1}: {_shorten(lines[number].strip())}" for number in numbers]
    more = [f"  ... and {len(found) - MOST_PLACES} more"] if len(found) > MOST_PLACES else []
    return "\n".join([*shown, *more])


def _shorten(line: str) -> str:
    return line if len(line) <= 80 else f"{line[:77]}..."


def _advise(error: ValueError, path: str, file: str, history: FileHistory, context: ToolContext) -> dict[str, str]:
    if not str(error).startswith("Could not find"):
        return {}
    history.failures[file] = times = history.failures.get(file, 0) + 1
    first = context.state.wording("patch.not_found")
    hint = first if times < 3 else context.state.wording("patch.not_found_again", times=times, path=path)
    return {} if hint == first and _SUGGESTION in str(error) else {"_hint": hint}
