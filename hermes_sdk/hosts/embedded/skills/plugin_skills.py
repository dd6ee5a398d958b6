"""Skills of plugins, and the results of the tool ``skill_view`` for them (statements F1 to F5)."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from pathlib import Path, PureWindowsPath
from typing import TYPE_CHECKING, Any, NamedTuple

from hermes_sdk.hosts.config import disabled_plugins
from hermes_sdk.hosts.embedded.ledger import Entry
from hermes_sdk.hosts.embedded.plugin import Plugin, PluginManifest
from hermes_sdk.hosts.embedded.skills.skill_text import (
    SUPPORT,
    fits_system,
    is_suspicious,
    make_failure,
    read_text,
    refuse_path,
    render,
    shorten_description,
    show_file,
    split,
)
from hermes_sdk.hosts.embedded.state import HostState
from hermes_sdk.hosts.embedded.store import Store

if TYPE_CHECKING:
    from hermes_sdk.hosts.embedded.skills.home_skills import HomeSkills

logger = logging.getLogger("tools.skills_tool")

_NAME = r"^[a-zA-Z0-9_-]+$"


class Skill(NamedTuple):
    """A registered skill."""

    plugin: str
    name: str
    path: Path
    description: str
    front: Mapping[str, Any]
    """The front matter that was registered with the skill."""


class Skills(Store):
    """Skills of all plugins by qualified name ``plugin:skill``; plugins with the same name share a namespace."""

    entries: dict[str, Skill]

    def __init__(self, state: HostState) -> None:
        self.entries = {}
        self._state = state
        self._names_sources = state.behaviour.plugin_skill_sources_told
        self._is_detailed = state.behaviour.skill_views_detailed

    def register(
        self, plugin: PluginManifest, *, name: str, path: Path, description: str, frontmatter: Any = None
    ) -> Entry:
        """Add a skill.

        Raises:
            ValueError: The name contains a colon or another character outside ``[a-zA-Z0-9_-]``.
            FileNotFoundError: The path does not exist.
            AttributeError: The path is a string, which not every release converts.
        """
        if ":" in name:
            raise ValueError(f"Skill name '{name}' must not contain ':' (Hermes adds the namespace).")
        if not name or not re.match(_NAME, name):
            raise ValueError(f"Invalid skill name '{name}'. Must match [a-zA-Z0-9_-]+.")
        if self._state.behaviour.skill_paths_converted:
            path = Path(path)
        if not path.exists():
            raise FileNotFoundError(f"SKILL.md not found at {path}")
        qualified = f"{plugin.name}:{name}"
        skill = Skill(plugin.name, name, path, description, dict(frontmatter or {}))
        return Entry(qualified, self.put(qualified, skill))

    def names(self, plugin: Plugin) -> list[str]:
        """List the qualified names of a plugin's skills."""
        return [name for name, one in self.entries.items() if one.plugin == plugin.manifest.name]

    def list_names(self, plugin: str) -> list[str]:
        """Return the bare names of a plugin's skills, sorted."""
        return sorted(skill.name for skill in self.entries.values() if skill.plugin == plugin)

    def list_skills(self, category: Any = None) -> dict[str, Any]:
        """Return the result of ``skills_list`` for one category or all, with skills of plugins on later releases."""
        listed = self._state.behaviour.plugin_skills_listed
        of_plugins = [
            {"name": name, "description": str(skill.description), "category": "plugin"}
            for name, skill in self.entries.items()
            if listed and fits_system(skill.front.get("platforms"))
        ]
        return self._open_home_skills(self._settings).list_skills(category, of_plugins)

    def view(self, name: str, *, file_path: str | None = None, task: str | None = None) -> dict[str, Any]:
        """Return the result of ``skill_view`` for a name such as ``notes:howto``, or for a skill of the home.

        `file_path` is a file of the skill to show instead, which not every release supports for skills of plugins;
        `task` is the session ID for variables in the text, or None outside of a conversation.

        Raises:
            NotSupported: A skill of the home requires a setup, which is not modelled.
        """
        if problem := _reject_path(name):
            return problem
        if ":" not in name:
            return self._open_home_skills(self._settings).view(name, file_path, task)
        namespace, _, bare = name.partition(":")
        if not re.match(_NAME, namespace):
            rule = "Namespaces must match [a-zA-Z0-9_-]+."
            return make_failure(f"Invalid namespace '{namespace}' in '{name}'. {rule}")
        skill = self.entries.get(name)
        if skill is not None:
            return self._serve(skill, name, file_path, task)
        available = self.list_names(namespace)
        if available:
            return {
                **make_failure(f"Skill '{bare}' not found in plugin '{namespace}'."),
                "available_skills": [f"{namespace}:{one}" for one in available],
                "hint": f"The '{namespace}' plugin provides {len(available)} skill(s).",
            }
        if problem := _reject_path(f"{namespace}/{bare}"):
            return problem
        return self._open_home_skills(self._settings).view(name, file_path, task)

    def find_provenance(self, name: str) -> str:
        """Return the origin of a skill, as Hermes names it for hooks."""
        return "installed" if name in self.entries else self._open_home_skills(self._settings).find_provenance(name)

    @property
    def _settings(self) -> Any:
        return self._state.config.read().get("skills")

    def _open_home_skills(self, settings: Any) -> HomeSkills:
        # Imported on demand, since few hosts use skills of the home.
        from hermes_sdk.hosts.embedded.skills.home_skills import HomeSkills

        skills = HomeSkills(self._state, settings)
        skills.folder.mkdir(exist_ok=True)
        return skills

    def _serve(self, skill: Skill, name: str, file_path: str | None, task: str | None) -> dict[str, Any]:
        # The configuration is read again at every view, so that a plugin can be switched off while the host runs (F5).
        config = self._state.config.read()
        if not skill.path.exists():
            del self.entries[name]
            return make_failure(
                f"Skill '{name}' file no longer exists at {skill.path}. Reload the plugin and try again."
            )
        if skill.plugin in disabled_plugins(config):
            return make_failure(
                f"Plugin '{skill.plugin}' is disabled. Re-enable with: hermes plugins enable {skill.plugin}"
            )
        try:
            content = read_text(skill.path, leniently=self._is_detailed)
        except (OSError, UnicodeDecodeError) as error:
            return make_failure(f"Failed to read skill '{name}': {error}")
        front, _ = split(content, self._state.behaviour)
        if self._is_detailed and name in self._open_home_skills(config.get("skills")).list_disabled():
            return make_failure(f"Skill '{name}' is disabled.")
        if not fits_system(front.get("platforms")):
            unsupported = make_failure(f"Skill '{name}' is not supported on this platform.")
            return {**unsupported, "readiness_status": "unsupported"}
        if is_suspicious(content):
            message = "Plugin skill '%s:%s' contains patterns that may indicate prompt injection"
            logger.warning(message, skill.plugin, skill.name)
        if file_path and self._is_detailed:
            return self._show_file(name, skill.path.parent, file_path)
        return {
            "success": True,
            "name": name,
            "content": self._format_banner(skill)
            + render(content, skill.path.parent, config.get("skills"), self._state, task),
            "description": shorten_description(str(front.get("description", ""))),
            "linked_files": _list_linked_files(skill.path.parent) if self._is_detailed else None,
            "readiness_status": "available",
            **({"skill_dir": str(skill.path.parent), "_source_path": str(skill.path)} if self._names_sources else {}),
        }

    def _show_file(self, name: str, directory: Path, file_path: str) -> dict[str, Any]:
        if refused := refuse_path(directory, file_path):
            return make_failure(refused)
        if not (directory / file_path).is_file():
            return make_failure(f"File '{file_path}' not found in skill '{name}'.")
        return show_file(name, directory / file_path, file_path, leniently=self._is_detailed)

    def _format_banner(self, skill: Skill) -> str:
        siblings = [name for name in self.list_names(skill.plugin) if name != skill.name]
        opening = f"[Bundle context: This skill is part of the '{skill.plugin}' plugin."
        if not siblings:
            return f"{opening}]\n\n"
        return (
            f"{opening}\nSibling skills: {', '.join(siblings)}.\n"
            f"Use qualified form to invoke siblings (e.g. {skill.plugin}:{siblings[0]}).]\n\n"
        )


def _list_linked_files(directory: Path) -> dict[str, list[str]] | None:
    linked = {
        kind: [
            str(path.relative_to(directory))
            for path in sorted((directory / kind).rglob("*"))
            if path.is_file() and path.resolve().is_relative_to(directory.resolve())
        ]
        for kind in SUPPORT
    }
    return {kind: files for kind, files in linked.items() if files} or None


def _reject_path(name: Any) -> dict[str, Any] | None:
    """Return the error for an invalid name, or for a path outside of the directory of skills, or None.

    Hermes treats a namespace of one letter as a drive, so the skills of such a plugin are not available.
    """
    if not isinstance(name, str):
        problem = "Skill name must be a string."
    elif (wanted := name.strip()).startswith("/") or PureWindowsPath(wanted).drive:
        problem = "Skill name must be a relative path within the skills directory."
    elif ".." in Path(wanted).parts:
        problem = "Skill name cannot contain '..' path traversal components."
    else:
        return None
    return {**make_failure(problem), "hint": "Use a skill name or relative path within the skills directory."}
