"""Skills of plugins and what the tool ``skill_view`` answers for them (statements F1 to F5)."""

from __future__ import annotations

import logging
import re
from collections.abc import Container, Mapping
from dataclasses import dataclass
from pathlib import Path, PureWindowsPath
from typing import Any

from hermes_sdk.errors import HermesSdkError
from hermes_sdk.hosts.embedded.skill_text import fits_system, front_matter, rendered

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
        self._makes_folder = flags["skills_folder_made"]
        self._drops_mark = flags["skill_mark_dropped"]
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

    def view(self, name: str, disabled: Container[Any], settings: Any, home: Path) -> dict[str, Any]:
        """Answer ``skill_view(name)``.

        Args:
            name: A name such as ``notes:howto``.
            disabled: What ``plugins.disabled`` lists now.
            settings: The section ``skills`` of the configuration now.
            home: The HERMES_HOME.

        Raises:
            HermesSdkError: No plugin has the name, and the home has skills of its own, which are not modelled.
        """
        if self._checks_path and (problem := _escape(name)):
            return problem
        namespace, colon, bare = name.partition(":")
        if not colon:
            return self._elsewhere(name, home)
        if not NAME.match(namespace):
            rule = "Namespaces must match [a-zA-Z0-9_-]+."
            return _failure(f"Invalid namespace '{namespace}' in '{name}'. {rule}")
        skill = self.by_name.get(name)
        if skill is None:
            return self._unknown(name, namespace, bare, home)
        if not skill.path.exists():
            del self.by_name[name]
            return _failure(
                f"Skill '{name}' file no longer exists at {skill.path}. The registry entry has been cleaned up"
                " — try again after the plugin is reloaded."
            )
        if namespace in disabled:
            return _failure(f"Plugin '{namespace}' is disabled. Re-enable with: hermes plugins enable {namespace}")
        return self._served(skill, name, settings)

    def _unknown(self, name: str, namespace: str, bare: str, home: Path) -> dict[str, Any]:
        available = self.of(namespace)
        if available:
            return {
                **_failure(f"Skill '{bare}' not found in plugin '{namespace}'."),
                "available_skills": [f"{namespace}:{one}" for one in available],
                "hint": f"The '{namespace}' plugin provides {len(available)} skill(s).",
            }
        if self._checks_path and (problem := _escape(f"{namespace}/{bare}")):
            return problem
        return self._elsewhere(name, home)

    def _elsewhere(self, name: str, home: Path) -> dict[str, Any]:
        """Answer for a name that no plugin has: the host looks among the skills of the home (F5)."""
        folder = home / "skills"
        if next(folder.rglob("*.md"), None):
            raise HermesSdkError(
                f"no plugin has a skill {name!r}, and the embedded host does not serve those in {folder}.",
                fix="Run this test with --hermes-host=real.",
            )
        if not self._makes_folder and not folder.exists():
            return _failure("Skills directory does not exist yet. It will be created on first install.")
        return {
            **_failure(f"Skill '{name}' not found."),
            "available_skills": [],
            "hint": "Use skills_list to see all available skills",
        }

    def _served(self, skill: Skill, name: str, settings: Any) -> dict[str, Any]:
        try:
            content = skill.path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            return _failure(f"Failed to read skill '{name}': {error}")
        front = front_matter(content.removeprefix("\ufeff") if self._drops_mark else content)
        if not fits_system(front.get("platforms")):
            unsupported = _failure(f"Skill '{name}' is not supported on this platform.")
            return {**unsupported, "readiness_status": "unsupported"}
        if any(pattern in content.lower() for pattern in SUSPICIOUS):
            message = "Plugin skill '%s:%s' contains patterns that may indicate prompt injection"
            logger.warning(message, skill.plugin, skill.name)
        description = str(front.get("description", ""))
        if len(description) > DESCRIPTION_LIMIT:
            description = f"{description[: DESCRIPTION_LIMIT - 3]}..."
        return {
            "success": True,
            "name": name,
            "content": self._banner(skill) + rendered(content, skill.path.parent, settings),
            "description": description,
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


def _escape(name: str) -> dict[str, Any] | None:
    """What the host answers to a name that leads out of the folder of skills, or nothing.

    It takes a namespace of one letter for a drive, so the skills of such a plugin cannot be reached.
    """
    wanted = name.strip()
    if wanted.startswith("/") or PureWindowsPath(wanted).drive or PureWindowsPath(wanted).is_absolute():
        problem = "Skill name must be a relative path within the skills directory."
    elif ".." in Path(wanted).parts:
        problem = "Skill name cannot contain '..' path traversal components."
    else:
        return None
    return {**_failure(problem), "hint": "Use a skill name or relative path within the skills directory."}
