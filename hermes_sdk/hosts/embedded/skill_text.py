"""What the host makes of the text of a skill: its front matter, its variables and its commands (F3 and F4)."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hermes_sdk.manifest import load_yaml

OUTPUT_LIMIT = 4000
TIMEOUT_SECONDS = 10
# Names of systems in front matter, where they differ from the beginning of `sys.platform`.
SYSTEMS = {"macos": "darwin", "windows": "win32"}


def front_matter(text: str) -> dict[str, Any]:
    """The mapping between the lines ``---`` at the beginning of a skill; what is no YAML is read line by line."""
    end = re.search(r"\n---\s*\n", text[3:]) if text.startswith("---") else None
    if end is None:
        return {}
    block = text[3 : end.start() + 3]
    try:
        found = load_yaml(block)
    except Exception:
        pairs = (line.split(":", 1) for line in block.splitlines() if ":" in line)
        return {key.strip(): value.strip() for key, value in pairs}
    return found if isinstance(found, dict) else {}


def fits_system(systems: Any) -> bool:
    """Tell whether a skill with these ``platforms`` is for the system that the host runs on."""
    listed = systems if isinstance(systems, list) else [systems]
    names = [str(one).lower().strip() for one in listed]
    return not systems or any(sys.platform.startswith(SYSTEMS.get(name, name)) for name in names)


def rendered(text: str, directory: Path, settings: Any) -> str:
    """Fill in variables, and run commands where that is switched on.

    Args:
        text: The skill's whole text.
        directory: The skill's directory.
        settings: The section ``skills`` of the configuration.
    """
    chosen: Mapping[str, Any] = settings if isinstance(settings, dict) else {}
    # There is no session here, and a variable without a value stays.
    filled = text.replace("${HERMES_SKILL_DIR}", str(directory)) if chosen.get("template_vars", True) else text
    if not chosen.get("inline_shell", False):
        return filled
    try:
        seconds = int(chosen.get("inline_shell_timeout", TIMEOUT_SECONDS) or TIMEOUT_SECONDS)
    except (TypeError, ValueError):
        # A time that is no number leaves the text as it was.
        return text
    return re.sub(r"!`([^`\n]+)`", lambda found: _run(found[1].strip(), directory, seconds), filled)


def _run(command: str, directory: Path, seconds: int) -> str:
    import subprocess

    if not command:
        return ""
    try:
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=directory,
            capture_output=True,
            text=True,
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
    return output if len(output) <= OUTPUT_LIMIT else f"{output[:OUTPUT_LIMIT]}...[truncated]"
