"""Skills of plugins and what the tool ``skill_view`` answers for them (statements F1 to F5)."""

from __future__ import annotations

import logging
import re
from collections.abc import Container, Mapping
from dataclasses import dataclass
from pathlib import Path, PureWindowsPath
from typing import Any

from hermes_sdk.manifest import load_yaml

logger = logging.getLogger("tools.skills_tool")

NAME = re.compile(r"^[a-zA-Z0-9_-]+$")
DESCRIPTION_LIMIT = 1024
# What the host looks for; it logs a warning and serves the skill all the same.
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


@dataclass(frozen=True)
class Skill:
    """One registered skill."""

    plugin: str
    name: str
    path: Path
    description: str


class Skills:
    """The skills of all plugins by qualified name ``plugin:skill``; plugins of one name share a namespace.

    Args:
        flags: The behaviour flags of the release.
    """

    def __init__(self, flags: Mapping[str, bool]) -> None:
        self._checks_path = flags["skill_path_checked"]
        self.by_name: dict[str, Skill] = {}

    def register(self, plugin: Any, name: str, path: Path, description: str) -> None:
        """Add a skill.

        Raises:
            ValueError: The name holds a colon or another character outside ``[a-zA-Z0-9_-]``.
            FileNotFoundError: The path does not exist.
            AttributeError: The path is a string.
        """
        if ":" in name:
            raise ValueError(
                f"Skill name '{name}' must not contain ':' "
                f"(the namespace is derived from the plugin name '{plugin}' automatically)."
            )
        if not name or not NAME.match(name):
            raise ValueError(f"Invalid skill name '{name}'. Must match [a-zA-Z0-9_-]+.")
        if not path.exists():
            raise FileNotFoundError(f"SKILL.md not found at {path}")
        self.by_name[f"{plugin}:{name}"] = Skill(plugin, name, path, description)

    def of(self, plugin: str) -> list[str]:
        """The bare names of a plugin's skills, sorted."""
        return sorted(skill.name for skill in self.by_name.values() if skill.plugin == plugin)

    def view(self, qualified: str, disabled: Container[Any]) -> dict[str, Any]:
        """Answer ``skill_view(qualified)``.

        Args:
            qualified: A name such as ``notes:howto``.
            disabled: What ``plugins.disabled`` lists now.
        """
        if self._checks_path and PureWindowsPath(qualified.strip()).drive:
            # The host takes the namespace of one letter for a drive, so such a plugin's skills cannot be reached.
            return {
                **_failure("Skill name must be a relative path within the skills directory."),
                "hint": "Use a skill name or relative path within the skills directory.",
            }
        namespace, _, bare = qualified.partition(":")
        if not NAME.match(namespace):
            rule = "Namespaces must match [a-zA-Z0-9_-]+."
            return _failure(f"Invalid namespace '{namespace}' in '{qualified}'. {rule}")
        skill = self.by_name.get(qualified)
        if skill is None:
            return self._unknown(qualified, namespace, bare)
        if not skill.path.exists():
            del self.by_name[qualified]
            return _failure(
                f"Skill '{qualified}' file no longer exists at {skill.path}. The registry entry has been cleaned up"
                " — try again after the plugin is reloaded."
            )
        if namespace in disabled:
            return _failure(f"Plugin '{namespace}' is disabled. Re-enable with: hermes plugins enable {namespace}")
        return self._served(skill, qualified)

    def _unknown(self, qualified: str, namespace: str, bare: str) -> dict[str, Any]:
        available = self.of(namespace)
        if not available:
            return _failure(f"Skill '{qualified}' not found.")
        return {
            **_failure(f"Skill '{bare}' not found in plugin '{namespace}'."),
            "available_skills": [f"{namespace}:{name}" for name in available],
            "hint": f"The '{namespace}' plugin provides {len(available)} skill(s).",
        }

    def _served(self, skill: Skill, qualified: str) -> dict[str, Any]:
        try:
            content = skill.path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            return _failure(f"Failed to read skill '{qualified}': {error}")
        if any(pattern in content.lower() for pattern in SUSPICIOUS):
            message = "Plugin skill '%s:%s' contains patterns that may indicate prompt injection"
            logger.warning(message, skill.plugin, skill.name)
        rendered = content.replace("${HERMES_SKILL_DIR}", str(skill.path.parent))
        return {
            "success": True,
            "name": qualified,
            "content": self._banner(skill) + rendered,
            "description": _description(content),
            "linked_files": None,
            "readiness_status": "available",
        }

    def _banner(self, skill: Skill) -> str:
        siblings = [name for name in self.of(skill.plugin) if name != skill.name]
        opening = f"[Bundle context: This skill is part of the '{skill.plugin}' plugin."
        if not siblings:
            return f"{opening}]\n\n"
        return (
            f"{opening}\nSibling skills: {', '.join(siblings)}.\n"
            f"Use qualified form to invoke siblings (e.g. {skill.plugin}:{siblings[0]}).]\n\n"
        )


def _failure(message: str) -> dict[str, Any]:
    return {"success": False, "error": message}


def _description(content: str) -> str:
    text = content.removeprefix("\ufeff")
    end = re.search(r"\n---\s*\n", text[3:]) if text.startswith("---") else None
    try:
        front = load_yaml(text[3 : end.start() + 3]) if end else {}
    except Exception:
        return ""
    found = str(front.get("description", "")) if isinstance(front, dict) else ""
    return found if len(found) <= DESCRIPTION_LIMIT else f"{found[: DESCRIPTION_LIMIT - 3]}..."
