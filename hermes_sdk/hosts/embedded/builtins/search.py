"""``search_files``: by name, newest first, or by content; hidden folders are left out.

The host asks ``rg`` or ``grep``, whose patterns and orders differ; here patterns are Python's, and matches come by
path.
"""

from __future__ import annotations

import fnmatch
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hermes_sdk.hosts.embedded.builtins.file_access import resolved
from hermes_sdk.hosts.embedded.builtins.tool import Builtin, Turnside, answer

RESULTS = 50
LONGEST_MATCH = 500
GROUPED_FROM = 5
"""How many matches are told as text that names each file once, rather than one by one."""
_GROUPED = (
    "path-grouped: each file path on its own line, followed by indented '<line>: <content>' rows for matches in that"
    " file"
)


def _run(args: dict[str, Any], side: Turnside) -> str:
    path, pattern = str(args.get("path") or "."), str(args.get("pattern") or "")
    first, most = max(0, _whole(args.get("offset"), 0)), max(1, _whole(args.get("limit"), RESULTS))
    root = resolved(path, side)
    if not root.exists():
        return answer(total_count=0, error=f"Path not found: {path}")
    files = [(path if file == root else f"{path.rstrip('/')}/{file.relative_to(root)}", file) for file in _files(root)]
    if args.get("target") in ("files", "find"):
        wanted = pattern.rpartition("/")[2]
        matching = [pair for pair in files if fnmatch.fnmatchcase(pair[1].name, wanted)]
        newest = sorted(matching, key=lambda pair: pair[1].stat().st_mtime, reverse=True)
        names = [name for name, _ in newest][first : first + most]
        return answer(total_count=len(names), **({"files": names} if names else {}))
    glob = args.get("file_glob")
    read = [pair for pair in files if not glob or fnmatch.fnmatchcase(pair[1].name, glob)]
    context = _whole(args.get("context"), 0)
    try:
        found = list(_matches(read, re.compile(pattern), context))
    except re.error as error:
        return answer(total_count=0, error=f"Search failed: {error}")
    if (mode := args.get("output_mode")) in ("files_only", "count"):
        return _names(found, mode, first, most)
    # The host reads no more lines than it needs, so the total is seldom all that there is.
    return _told(found[: first + most + (200 if context > 0 else 0)], first, most, side)


def _whole(value: Any, default: int) -> int:
    try:
        return int(value)
    except (TypeError, ValueError):
        return default


def _files(root: Path) -> list[Path]:
    if root.is_file():
        return [root]
    inside = (file for file in root.rglob("*") if not any(part[0] == "." for part in file.relative_to(root).parts))
    return sorted(file for file in inside if file.is_file())


def _matches(files: list[tuple[str, Path]], pattern: re.Pattern[str], context: int) -> Iterator[tuple[str, int, str]]:
    """The lines that match, and those around them: the file, the number and the line."""
    for name, file in files:
        lines = file.read_bytes().decode(errors="replace").splitlines()
        hits = [place for place, line in enumerate(lines) if pattern.search(line)]
        near = {place for hit in hits for place in range(hit - context, hit + context + 1)}
        for place in sorted(near & set(range(len(lines)))):
            yield name, place + 1, lines[place][:LONGEST_MATCH]


def _names(found: list[tuple[str, int, str]], mode: str, first: int, most: int) -> str:
    names = list(dict.fromkeys(name for name, _, _ in found))
    if mode == "files_only":
        page = names[first : first + most]
        return answer(total_count=len(names), **({"files": page} if page else {}))
    counts = {name: sum(one[0] == name for one in found) for name in names}
    return answer(total_count=len(found), **({"counts": counts} if counts else {}))


def _told(found: list[tuple[str, int, str]], first: int, most: int, side: Turnside) -> str:
    page = found[first : first + most]
    told: dict[str, Any] = {"total_count": len(found)}
    if len(page) >= GROUPED_FROM and side.behaviour.search_results_grouped:
        told |= {"matches_format": _GROUPED, "matches_text": "\n".join(_grouped(page))}
    elif page:
        told["matches"] = [{"path": name, "line": number, "content": line} for name, number, line in page]
    if len(found) <= first + most:
        return answer(**told)
    hint = (
        f"[Hint: Results truncated. Use offset={first + most} to see more, or narrow with a more specific pattern or"
        " file_glob.]"
    )
    return json.dumps({**told, "truncated": True}, ensure_ascii=False) + f"\n\n{hint}"


def _grouped(matches: list[tuple[str, int, str]]) -> Iterator[str]:
    above = None
    for name, number, line in matches:
        if name != above:
            yield name
        above = name
        yield f"  {number}: {line.rstrip()}"


TOOLS = {
    "search_files": Builtin(
        "Find files by name, or lines in files.",
        {
            "type": "object",
            "properties": {
                "pattern": {"type": "string", "description": "A regular expression, or for files a glob."},
                "target": {
                    "type": "string",
                    "enum": ["content", "files"],
                    "description": "Where to look.",
                    "default": "content",
                },
                "path": {"type": "string", "description": "The folder or file to look in.", "default": "."},
                "file_glob": {"type": "string", "description": "Which files to look in."},
                "limit": {"type": "integer", "description": "How many results.", "default": RESULTS},
                "offset": {"type": "integer", "description": "How many results to leave out.", "default": 0},
                "output_mode": {
                    "type": "string",
                    "enum": ["content", "files_only", "count"],
                    "description": "What to tell of lines.",
                    "default": "content",
                },
                "context": {"type": "integer", "description": "How many lines around each.", "default": 0},
            },
            "required": ["pattern"],
        },
        _run,
    )
}
