"""The host's processing of the text of a skill: its front matter, its variables and its commands (F3 and F4)."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hermes_sdk.contract import Behaviour
from hermes_sdk.manifest.load import choose_reader, load_yaml

if TYPE_CHECKING:
    from hermes_sdk.hosts.embedded.state import HostState

DESCRIPTION_LIMIT = 1024
OUTPUT_LIMIT = 4000
TIMEOUT_SECONDS = 10
SUPPORT = {
    "references": ("*.md",),
    "templates": ("*.md", "*.py", "*.yaml", "*.yml", "*.json", "*.tex", "*.sh"),
    "assets": ("*",),
    "scripts": ("*.py", "*.sh", "*.bash", "*.js", "*.ts", "*.rb"),
}
"""The folders beside a ``SKILL.md`` with files that a skill links, and the patterns of these files."""
# Names of systems in front matter, where they differ from the beginning of `sys.platform`.
SYSTEMS = {"macos": "darwin", "windows": "win32"}
# The host logs a warning about these, and serves the skill.
SUSPICIOUS = (
    "ignore previous instructions",
    "ignore all previous",
    "you are now",
    "disregard your",
    "forget your instructions",
    "new instructions:",
    "system prompt:",
    "<system>",
    "]]>",
)


def read_text(path: Path, *, leniently: bool) -> str:
    """Return the text of a file, where it is read leniently without its byte order mark and whatever bytes it has."""
    return path.read_text(encoding="utf-8-sig", errors="replace") if leniently else path.read_text(encoding="utf-8")


def split(text: str, behaviour: Behaviour) -> tuple[dict[str, Any], str]:
    """Split a skill into its front matter, the mapping between the lines ``---`` at its beginning, and the rest.

    A byte order mark before the front matter is ignored.
    """
    text = text.removeprefix("\ufeff")
    end = re.search(r"\n---\s*\n", text[3:]) if text.startswith("---") else None
    return ({}, text) if end is None else (_mapping(text[3 : end.start() + 3], behaviour), text[end.end() + 3 :])


def _mapping(block: str, behaviour: Behaviour) -> dict[str, Any]:
    """Parse front matter; text that is not valid YAML is read line by line."""
    try:
        found = load_yaml(block, choose_reader(behaviour))
    except Exception:
        pairs = (line.split(":", 1) for line in block.splitlines() if ":" in line)
        return {key.strip(): value.strip() for key, value in pairs}
    return found if isinstance(found, dict) else {}


def shorten_description(description: str) -> str:
    """Shorten a description to what the host shows of it."""
    if len(description) <= DESCRIPTION_LIMIT:
        return description
    return f"{description[: DESCRIPTION_LIMIT - 3]}..."


def is_suspicious(text: str) -> bool:
    """Return whether a text contains what the host treats as a prompt injection."""
    return any(pattern in text.lower() for pattern in SUSPICIOUS)


def fits_system(systems: Any) -> bool:
    """Return whether a skill with these ``platforms`` is for the system that the host runs on."""
    listed = systems if isinstance(systems, list) else [systems]
    names = [str(one).lower().strip() for one in listed]
    return not systems or any(sys.platform.startswith(SYSTEMS.get(name, name)) for name in names)


def render(text: str, directory: Path | None, settings: Any, state: HostState, task: str | None = None) -> str:
    """Fill in variables, and run commands where the section ``skills`` of the configuration switches that on.

    `directory` is None for a skill that is a single file; `task` stands for the session, None outside of a
    conversation.
    """
    chosen: Mapping[str, Any] = settings if isinstance(settings, dict) else {}
    # A variable without a value stays.
    values = {"${HERMES_SKILL_DIR}": directory, "${HERMES_SESSION_ID}": task}
    filled = text
    for variable, value in values.items() if chosen.get("template_vars", True) else ():
        filled = filled.replace(variable, str(value)) if value else filled
    if not chosen.get("inline_shell", False):
        return filled
    try:
        seconds = int(chosen.get("inline_shell_timeout", TIMEOUT_SECONDS) or TIMEOUT_SECONDS)
    except (TypeError, ValueError):
        # An invalid timeout leaves the text unchanged.
        return text
    return re.sub(r"!`([^`\n]+)`", lambda found: _run(found[1].strip(), directory, seconds, state), filled)


def _run(command: str, directory: Path | None, seconds: int, state: HostState) -> str:
    import subprocess

    if not command:
        return ""
    try:
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=directory,
            capture_output=True,
            text=True,
            errors="replace" if state.behaviour.skill_output_replaced else "strict",
            timeout=max(1, seconds),
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired:
        return f"[inline-shell timeout after {seconds}s: {command}]"
    except FileNotFoundError:
        return "[inline-shell error: bash not found]"
    except Exception as error:
        return f"[inline-shell error: {error}]"
    output = done.stdout.rstrip("\n") or done.stderr.rstrip("\n")
    if done.returncode and not output and state.behaviour.silent_skill_commands_told:
        return f"[inline-shell exit {done.returncode} with no output: {command}]"
    if len(output) <= OUTPUT_LIMIT:
        return output
    if not state.behaviour.skill_output_elided:
        return f"{output[:OUTPUT_LIMIT]}...[truncated]"
    total = len(output)
    longest = state.wording("skill.elided", omitted=f"{total:,}", total=f"{total:,}")
    kept = output[: OUTPUT_LIMIT - len(longest)].rstrip()
    return kept + state.wording("skill.elided", omitted=f"{total - len(kept):,}", total=f"{total:,}")


def failure(message: str) -> dict[str, Any]:
    """Make the answer of a tool that cannot show a skill."""
    return {"success": False, "error": message}


def refuse_path(directory: Path, file_path: str) -> str | None:
    """Return why the path of a file of a skill is refused: it leads out of the skill's folder; else None."""
    if ".." in Path(file_path).parts:
        return "Path traversal ('..') is not allowed."
    try:
        (directory / file_path).resolve().relative_to(directory.resolve())
    except ValueError as error:
        return f"Path escapes allowed directory: {error}"
    return None


def show_file(name: str, target: Path, file_path: str, *, leniently: bool) -> dict[str, Any]:
    """Answer ``skill_view`` with a file of a skill; where it is read leniently, the answer names it."""
    shown = {"success": True, "name": name, "file": file_path}
    try:
        content = read_text(target, leniently=leniently)
    except UnicodeDecodeError:
        size = target.stat().st_size
        return {**shown, "content": f"[Binary file: {target.name}, size: {size} bytes]", "is_binary": True}
    source = {"_source_path": str(target)} if leniently else {}
    return {**shown, "content": content, "file_type": target.suffix, **source}
