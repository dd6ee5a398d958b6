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

DEFAULT_LINES = 500
MAX_LINES = 2000
MAX_LINE_LENGTH = 2000
SAMPLE_LENGTH = 1000
"""Length of the beginning of a file that is checked for binary content."""
MAX_CHARACTER_BYTES = 4
"""Maximum number of bytes of a UTF-8 character, which the end of a sample may cut."""
BYTE_ORDER_MARKS = (b"\xff\xfe", b"\xfe\xff")
MAX_SUGGESTIONS = 3
"""Maximum number of sections that are suggested for a missing text."""
MIN_SIMILARITY = 0.3
"""Lowest similarity of the first line of a suggested section."""
FUZZY_SIMILARITY = 0.8
"""Similarity of lines from which the host may treat them as equal."""
MAX_PLACES = 5
"""Maximum number of listed occurrences of an ambiguous text."""
_NORMALISED_CHARACTERS = re.compile("[‘’“”–—…\\u00a0]")
_SUGGESTION = "Did you mean one of these sections?"
_UNCHANGED = "File unchanged since last read. Use what you read before."


@tool(
    "Read a part of a text file, with line numbers.",
    path=string("The file.", required=True),
    offset=integer("The first line.", default=1, minimum=1),
    limit=integer("How many lines.", default=DEFAULT_LINES, maximum=MAX_LINES),
)
def read_file(args: dict[str, Any], context: ToolContext) -> str:
    """Return lines of a file, unless the task has already read them."""
    path = args.get("path", "")
    if not isinstance(path, str):
        return refuse(f"expected str, bytes or os.PathLike object, not {type(path).__name__}")
    first = max(1, to_int(args.get("offset", 1), 1))
    limit = max(1, min(to_int(args.get("limit", DEFAULT_LINES), DEFAULT_LINES), MAX_LINES))
    file, history = resolve_path(path, context), FileHistory.of(context)
    if refused := refuse_read(path, file, context):
        return json.dumps({"error": refused}, ensure_ascii=not context.behaviour.files_explained)
    region = (str(file), first, limit)
    if file.exists() and history.regions.get(region) == file.stat().st_mtime:
        return _answer_repeat(path, region, history, context)
    page = _read_page(path, file, first, limit, context)
    if file.exists():
        history.regions[region] = file.stat().st_mtime
        history.repeats.pop(region, None)
        history.record_read(file, partial=first > 1 or page["truncated"])
    elif context.behaviour.files_explained:
        return answer(**page)
    times = history.count("read", path, first, limit)
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


def _read_page(path: str, file: Path, first: int, limit: int, context: ToolContext) -> dict[str, Any]:
    page = {"content": "", "total_lines": 0, "file_size": 0, "truncated": False}
    kind: dict[str, Any] = {"is_binary": False, "is_image": False}
    counts_lines = context.behaviour.lines_counted
    marks_missing = context.behaviour.read_results_marked
    if not file.is_file():
        if os.path.lexists(file):
            raise context.state.unsupported("read what is not a regular file, such as a directory")
        resolved = context.behaviour.missing_files_resolved
        near = find_similar(str(file) if resolved else path, context)
        missing = str(file) if resolved else str(Path(path).expanduser()) if path.startswith("~") else path
        details = {**({"not_found": True} if marks_missing else {}), **({"similar_files": near} if near else {})}
        return {**page, **kind, "error": f"File not found: {missing}", **details}
    found = {"not_found": False} if marks_missing else {}
    data = file.read_bytes()
    content = data.decode(errors="replace")
    page["file_size"] = file.stat().st_size
    if _is_binary(data[:SAMPLE_LENGTH], content[:SAMPLE_LENGTH], context):
        return {**page, **kind, "is_binary": True, "error": _refuse_binary(file, context), **found}
    if first == 1:
        content = content.removeprefix("\ufeff")
    if hint := _explain_empty_page(content, first) if context.behaviour.files_explained else None:
        return {**page, "total_lines": content.count("\n"), "hint": hint, **kind, **found}
    last = first + limit - 1
    total = page["total_lines"] = content.count("\n") + (counts_lines and not content.endswith("\n"))
    text = "".join(content.splitlines(keepends=True)[first - 1 : last])
    text = text.removesuffix("\n") if counts_lines else text
    page["content"] = _number_lines(text, first)
    page["truncated"] = total > last
    if total > last:
        page["hint"] = f"Use offset={last + 1} to continue reading (showing {first}-{last} of {total} lines)"
    if context.behaviour.missing_files_resolved and any(len(line) > MAX_LINE_LENGTH for line in text.split("\n")):
        page["truncated_lines"] = True
    return {**page, **kind, **found}


def _is_binary(data: bytes, text: str, context: ToolContext) -> bool:
    """Return whether the beginning of a file is binary; earlier releases count control characters.

    Raises:
        NotSupported: The file looks like UTF-16, which later releases can read.
    """
    if not context.behaviour.odd_files_recognised:
        return sum(ord(sign) < 32 and sign not in "\n\r\t" for sign in text) > 0.3 * len(text)
    zeros = [data[first::2].count(0) for first in (0, 1)]
    if data.startswith(BYTE_ORDER_MARKS) or (min(zeros) == 0 and max(zeros) > 1):
        raise context.state.unsupported("read a file in UTF-16")
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return 0 in data or error.start < len(data) - MAX_CHARACTER_BYTES + 1
    return 0 in data


def _refuse_binary(file: Path, context: ToolContext) -> str:
    size = file.stat().st_size
    units = ((1 << 20, "MB"), (1 << 10, "KB"))
    shown = next((f"{size / unit:.1f} {name}" for unit, name in units if size >= unit), f"{size} bytes")
    return context.state.wording("read_file.binary", kind=name_kind(file.read_bytes()[:16]), size=shown)


def _explain_empty_page(content: str, first: int) -> str | None:
    """Return why a page of a file is empty, or None if it is not."""
    total = content.count("\n")
    if not content:
        return "File is empty (0 bytes)."
    if first > total > 0:
        end = f"({total} lines total). Retry with offset <= {total}."
        return f"Note: offset {first} is beyond the end of the file {end}"
    return None


def _number_lines(text: str, first: int) -> str:
    lines = (
        line if len(line) <= MAX_LINE_LENGTH else f"{line[:MAX_LINE_LENGTH]}... [truncated]"
        for line in text.split("\n")
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
    if context.behaviour.unseen_files_kept and (reason := warning or history.explain_unread(file, context)):
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
        # The host reports the localised error message of the shell or mkdir.
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


def _replace_in_file(path: str, old: str, new: str, replace_all: bool, context: ToolContext) -> str:
    file, history = resolve_path(path, context), FileHistory.of(context)
    name = str(file)
    if refused := refuse_write(name, file, context):
        return answer(success=False, error=refused)
    if not file.is_file():
        return answer(success=False, error=f"Failed to read file: {name}")
    warning = history.find_conflict(name, context)
    is_known = history.has_seen(name)
    extra = {"_warning": warning} if warning else {}
    try:
        before = file.read_bytes().decode()
    except UnicodeDecodeError as error:
        raise context.state.unsupported("replace text in a file that is not UTF-8") from error
    try:
        after = _substitute(before, old, new, replace_all, context)
    except ValueError as error:
        return answer(success=False, error=str(error), **extra, **_make_hint(error, path, name, history, context))
    if "\r\n" in before:
        after = re.sub(r"\r?\n", "\r\n", after)
    result = _write(file, after, context)
    if "error" in result:
        return answer(success=False, error=f"Failed to write changes: {result['error']}", **extra)
    history.record_write(name)
    if not is_known:
        history.blind.add(name)
    old_lines, new_lines = before.splitlines(keepends=True), after.splitlines(keepends=True)
    return answer(
        success=True,
        diff="".join(difflib.unified_diff(old_lines, new_lines, fromfile=f"a/{name}", tofile=f"b/{name}")),
        files_modified=[name],
        lint=result["lint"],
        **extra,
        resolved_path=name,
    )


def _substitute(text: str, old: str, new: str, replace_all: bool, context: ToolContext) -> str:
    """Replace text; if there is no exact match, ignore differences in white space.

    Raises:
        ValueError: The replacement is invalid; the text is the host's message for the model.
    """
    if not old:
        raise ValueError(context.state.wording("patch.empty"))
    if old == new:
        raise ValueError(context.state.wording("patch.identical"))
    matches = list(re.finditer(re.escape(old), text))
    if not matches:
        matches = list(re.finditer(r"\s+".join(map(re.escape, old.split())), text)) if old.split() else []
    if not matches:
        _refuse_fuzzy_match(text, old, context)
        raise ValueError(f"Could not find a match for old_string in the file{_suggest(text, old, context)}")
    if len(matches) > 1 and not replace_all:
        raise ValueError(
            context.state.wording("patch.ambiguous", count=len(matches), places=_list_places(text, matches))
        )
    for match in reversed(matches):
        text = text[: match.start()] + new + text[match.end() :]
    return text


def _refuse_fuzzy_match(text: str, old: str, context: ToolContext) -> None:
    """Require that the host does not find a missing text by approximate matching.

    Raises:
        NotSupported: Lines are similar, or a text has characters that the host may normalise.
    """
    lines, wanted = [one.strip() for one in text.split("\n")], [one.strip() for one in old.split("\n")]
    alike = [
        any(difflib.SequenceMatcher(None, one, line).ratio() >= FUZZY_SIMILARITY for line in lines) for one in wanted
    ]
    if (
        sum(alike) * 2 >= len(alike)
        or (alike[0] and alike[-1])
        or "\\" in old
        or _NORMALISED_CHARACTERS.search(old + text)
    ):
        raise context.state.unsupported(
            "replace text that only approximately matches the file",
            fix="Run this test on the real host (--hermes-host=real), or let the model pass text that is in the file.",
        )


def _suggest(text: str, old: str, context: ToolContext) -> str:
    """Format the sections of a file that begin like a missing text."""
    lines, wanted = text.splitlines(), old.splitlines()
    anchor = next(filter(None, map(str.strip, wanted)), "")
    likeness = {
        number: difflib.SequenceMatcher(None, anchor, line.strip()).ratio()
        for number, line in enumerate(lines)
        if anchor and line.strip()
    }
    best = sorted((one for one in likeness if likeness[one] > MIN_SIMILARITY), key=lambda one: -likeness[one])
    if not best:
        return ""
    parts = [range(max(0, one - 2), min(len(lines), one + len(wanted) + 2)) for one in best[:MAX_SUGGESTIONS]]
    shown = ["\n".join(f"{number + 1:4d}| {lines[number]}" for number in part) for part in dict.fromkeys(parts)]
    closest = lines[best[0]]
    if context.behaviour.files_explained and closest.strip() == anchor and closest != wanted[0]:
        sides = {"found": _show_indent(closest), "given": _show_indent(wanted[0])}
        shown[-1] += context.state.wording("patch.white_space", **sides)
    return f"\n\n{_SUGGESTION}\n" + "\n---\n".join(shown)


def _show_indent(line: str) -> str:
    rest = line.lstrip(" \t")
    return line[: len(line) - len(rest)].replace("\t", "→").replace(" ", "·") + rest


def _list_places(text: str, matches: list[re.Match[str]]) -> str:
    lines = text.split("\n")
    numbers = [text.count("\n", 0, match.start()) for match in matches[:MAX_PLACES]]
    shown = [f"  L{number + 1}: {_shorten(lines[number].strip())}" for number in numbers]
    more = [f"  ... and {len(matches) - MAX_PLACES} more"] if len(matches) > MAX_PLACES else []
    return "\n".join([*shown, *more])


def _shorten(line: str) -> str:
    return line if len(line) <= 80 else f"{line[:77]}..."


def _make_hint(error: ValueError, path: str, file: str, history: FileHistory, context: ToolContext) -> dict[str, str]:
    if not str(error).startswith("Could not find"):
        return {}
    history.failures[file] = times = history.failures.get(file, 0) + 1
    first = context.state.wording("patch.not_found")
    hint = first if times < 3 else context.state.wording("patch.not_found_again", times=times, path=path)
    return {} if hint == first and _SUGGESTION in str(error) else {"_hint": hint}
