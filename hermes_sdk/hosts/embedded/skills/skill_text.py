"""Text of skills: front matter, variables and commands (F3 and F4)."""

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
"""Directories of supporting files next to a ``SKILL.md``, and the patterns of linked files."""
# Names of systems in front matter, where they differ from the beginning of `sys.platform`.
SYSTEMS = {"macos": "darwin", "windows": "win32"}
# Hermes logs a warning about these phrases, but shows the skill.
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
    """Return the text of a file; `leniently` drops a byte order mark and replaces invalid bytes."""
    return path.read_text(encoding="utf-8-sig", errors="replace") if leniently else path.read_text(encoding="utf-8")


def split(text: str, behaviour: Behaviour) -> tuple[dict[str, Any], str]:
    """Split a skill into its front matter (the mapping between ``---`` lines at its beginning) and the rest.

    A byte order mark before the front matter is ignored.
    """
    text = text.removeprefix("\ufeff")
    end = re.search(r"\n---\s*\n", text[3:]) if text.startswith("---") else None
    return ({}, text) if end is None else (_parse_yaml(text[3 : end.start() + 3], behaviour), text[end.end() + 3 :])


def _parse_yaml(block: str, behaviour: Behaviour) -> dict[str, Any]:
    """Parse front matter; text that is not valid YAML is read line by line."""
    try:
        found = load_yaml(block, choose_reader(behaviour))
    except Exception:
        pairs = (line.split(":", 1) for line in block.splitlines() if ":" in line)
        return {key.strip(): value.strip() for key, value in pairs}
    return found if isinstance(found, dict) else {}


def shorten_description(description: str) -> str:
    """Shorten a description to the length that Hermes shows."""
    if len(description) <= DESCRIPTION_LIMIT:
        return description
    return f"{description[: DESCRIPTION_LIMIT - 3]}..."


def is_suspicious(text: str) -> bool:
    """Return whether a text contains a phrase that Hermes treats as prompt injection."""
    return any(pattern in text.lower() for pattern in SUSPICIOUS)


def fits_system(systems: Any) -> bool:
    """Return whether a skill with these ``platforms`` supports the current system."""
    listed = systems if isinstance(systems, list) else [systems]
    names = [str(one).lower().strip() for one in listed]
    return not systems or any(sys.platform.startswith(SYSTEMS.get(name, name)) for name in names)


def render(text: str, directory: Path | None, settings: Any, state: HostState, task: str | None = None) -> str:
    """Fill in variables, and run commands if the section ``skills`` of the configuration enables them.

    `directory` is None for a skill that is a single file; `task` is the session ID, or None outside of a conversation.
    """
    chosen: Mapping[str, Any] = settings if isinstance(settings, dict) else {}
    # Variables without a value stay unchanged.
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
    return re.sub(r"!`([^`\n]+)`", lambda found: _run_command(found[1].strip(), directory, seconds, state), filled)


def _run_command(command: str, directory: Path | None, seconds: int, state: HostState) -> str:
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
    shortened = output[: OUTPUT_LIMIT - len(longest)].rstrip()
    return shortened + state.wording("skill.elided", omitted=f"{total - len(shortened):,}", total=f"{total:,}")


def make_failure(message: str) -> dict[str, Any]:
    """Return the error result of a skill tool."""
    return {"success": False, "error": message}


def refuse_path(directory: Path, file_path: str) -> str | None:
    """Return why a path is rejected because it is outside of the skill's directory, or None."""
    if ".." in Path(file_path).parts:
        return "Path traversal ('..') is not allowed."
    try:
        (directory / file_path).resolve().relative_to(directory.resolve())
    except ValueError as error:
        return f"Path escapes allowed directory: {error}"
    return None


def show_file(name: str, target: Path, file_path: str, *, leniently: bool) -> dict[str, Any]:
    """Return the result of ``skill_view`` for one file; lenient results include the resolved path."""
    shown = {"success": True, "name": name, "file": file_path}
    try:
        content = read_text(target, leniently=leniently)
    except UnicodeDecodeError:
        size = target.stat().st_size
        return {**shown, "content": f"[Binary file: {target.name}, size: {size} bytes]", "is_binary": True}
    source = {"_source_path": str(target)} if leniently else {}
    return {**shown, "content": content, "file_type": target.suffix, **source}
