"""``search_files``: search files by name or content, without hidden files.

The host runs ``rg`` or ``grep``, whose patterns and order differ. This model uses Python's patterns and sorts matches
by path. Files are sorted from newest to oldest when searched by name, on releases that sort them.
"""

from __future__ import annotations

import fnmatch
import itertools
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from hermes_sdk.hosts.embedded.builtins.file_access import (
    BLOCKED_FROM,
    WARNED_FROM,
    FileHistory,
    mark_guardrail,
    resolve_path,
)
from hermes_sdk.hosts.embedded.builtins.tool import ToolContext, answer, integer, refuse, string, to_int, tool

DEFAULT_RESULTS = 50
MAX_MATCH_LENGTH = 500
MIN_GROUPED = 5
"""Number of matches from which the result is one text with the matches grouped by file."""
_GROUPED = "a line for each file, then indented lines `number: text`"


class Match(NamedTuple):
    """A matching line, or a line of its context."""

    path: str
    line: int
    content: str


@tool(
    "Find files by name, or lines in files.",
    pattern=string("A regular expression, or for files a glob.", required=True),
    target=string("Where to look.", enum=["content", "files"], default="content"),
    path=string("The folder or file to look in.", default="."),
    file_glob=string("Which files to look in."),
    limit=integer("How many results.", default=DEFAULT_RESULTS),
    offset=integer("How many results to leave out.", default=0),
    output_mode=string("What to return for each match.", enum=["content", "files_only", "count"], default="content"),
    context=integer("How many lines around each.", default=0),
)
def search_files(args: dict[str, Any], context: ToolContext) -> str:
    """Search file names or file contents."""
    path, pattern = str(args.get("path") or "."), str(args.get("pattern") or "")
    first, limit = max(0, to_int(args.get("offset"), 0)), max(1, to_int(args.get("limit"), DEFAULT_RESULTS))
    key = (pattern, args.get("target", "content"), path, args.get("file_glob") or "", limit, first)
    times = FileHistory.of(context).count("search", *key)
    if times >= BLOCKED_FROM:
        return refuse(
            f"BLOCKED: You have run this exact search {times} times in a row. They are the same; use what you found.",
            pattern=pattern,
            already_searched=times,
            **mark_guardrail(context),
        )
    root = resolve_path(path, context)
    if not root.exists():
        result = answer(total_count=0, error=f"Path not found: {path}")
        # Later releases reuse this result for the next search of the path, so it has no warning.
        return result if context.behaviour.files_explained else _warn(result, times)
    return _warn(_search(args, path, root, first, limit, context), times)


def _warn(result: str, times: int) -> str:
    """Add a warning about a repeated search to a result, before its hint."""
    if times < WARNED_FROM:
        return result
    body, gap, hint = result.partition("\n\n[Hint: ")
    warning = (
        f"You have run this exact search {times} times consecutively. They are the same; continue with what you found."
    )
    fields = json.loads(body)
    hint_field = {"_hint": fields.pop("_hint")} if "_hint" in fields else {}
    return answer(**fields, _warning=warning, **hint_field) + gap + hint


def _search(args: dict[str, Any], path: str, root: Path, first: int, limit: int, context: ToolContext) -> str:
    pattern = str(args.get("pattern") or "")
    by_name = args.get("target") in ("files", "find")
    if context.behaviour.files_explained and not by_name:
        path = str(root)
    prefix = path.rstrip("/")
    files = {path if file == root else f"{prefix}/{file.relative_to(root)}": file for file in _list_files(root)}
    if by_name:
        name_pattern = pattern.rpartition("/")[2]
        matching = [name for name, file in files.items() if fnmatch.fnmatchcase(file.name, name_pattern)]
        if context.behaviour.search_hints_in_json and len(matching) > 1:
            raise context.state.unsupported("list several files in the order in which the file system has them")
        newest = sorted(matching, key=lambda name: files[name].stat().st_mtime, reverse=True)[first : first + limit]
        return answer(total_count=len(newest), **({"files": newest} if newest else {}))
    if glob := args.get("file_glob"):
        files = {name: file for name, file in files.items() if fnmatch.fnmatchcase(file.name, glob)}
    around = to_int(args.get("context"), 0)
    try:
        matches = list(_match_lines(files, re.compile(pattern), around))
    except re.error as error:
        return answer(total_count=0, error=f"Search failed: {error}")
    if (mode := args.get("output_mode")) in ("files_only", "count"):
        return _report_files(matches, mode, first, limit)
    # The host stops when it has enough lines, so the total is rarely the number of all matches.
    matches = matches[: first + limit + (200 if around > 0 else 0)]
    return _report_matches(matches, first, limit, is_json=context.behaviour.search_hints_in_json)


def _list_files(root: Path) -> list[Path]:
    if root.is_file():
        return [root]
    inside = (file for file in root.rglob("*") if not any(part[0] == "." for part in file.relative_to(root).parts))
    return sorted(file for file in inside if file.is_file())


def _match_lines(files: dict[str, Path], pattern: re.Pattern[str], around: int) -> Iterator[Match]:
    """Yield matching lines and their context."""
    for name, file in files.items():
        lines = file.read_bytes().decode(errors="replace").splitlines()
        hits = [index for index, line in enumerate(lines) if pattern.search(line)]
        near = {index for hit in hits for index in range(hit - around, hit + around + 1)}
        for index in sorted(near & set(range(len(lines)))):
            yield Match(name, index + 1, lines[index][:MAX_MATCH_LENGTH])


def _report_files(matches: list[Match], mode: str, first: int, limit: int) -> str:
    counts = Counter(match.path for match in matches)
    if mode == "files_only":
        page = list(counts)[first : first + limit]
        return answer(total_count=len(counts), **({"files": page} if page else {}))
    return answer(total_count=len(matches), **({"counts": counts} if counts else {}))


def _report_matches(matches: list[Match], first: int, limit: int, *, is_json: bool) -> str:
    page = matches[first : first + limit]
    result: dict[str, Any] = {"total_count": len(matches)}
    if len(page) >= MIN_GROUPED:
        result |= {"matches_format": _GROUPED, "matches_text": "\n".join(_group_by_path(page))}
    elif page:
        result["matches"] = [match._asdict() for match in page]
    if len(matches) <= first + limit:
        return answer(**result)
    hint = f"Results truncated. Use offset={first + limit} to see more, or search for less."
    if is_json:
        return answer(**result, truncated=True, total_count_is_lower_bound=True, _hint=hint)
    return f"{answer(**result, truncated=True)}\n\n[Hint: {hint}]"


def _group_by_path(matches: list[Match]) -> Iterator[str]:
    for path, group in itertools.groupby(matches, key=lambda match: match.path):
        yield path
        yield from (f"  {match.line}: {match.content.rstrip()}" for match in group)
