"""Skills in the home and in configured directories, and results of the skill tools for them (F5)."""

from __future__ import annotations

import logging
import os
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from hermes_sdk.hosts.embedded.skills.skill_files import (
    Copy,
    choose_load_names,
    find_hidden,
    find_skills,
    have_conflicts,
    list_files,
    list_linked_files,
    pick_copy,
)
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

_log = logging.getLogger("tools.skills_tool")
_resolution_log = logging.getLogger("agent.skill_utils")

STATE = "hidden_skills"
_COLLISION = "Skill name collision for '%s': %d candidates — %s"
_PRECEDENCE = "project > local > create_dir > external_dirs"

NAME_LIMIT = 64
NAMES_IN_AN_ERROR = 20
NEEDS = ("prerequisites", "required_credential_files", "required_environment_variables", "setup")


class HomeSkills:
    """Current skills of a home; `settings` is the section ``skills`` of the configuration."""

    def __init__(self, state: HostState, settings: Any) -> None:
        self._state = state
        self._home = state.home.path
        self._settings: Mapping[str, Any] = settings if isinstance(settings, dict) else {}
        self._is_detailed = state.behaviour.skill_views_detailed
        more = {"create_dir", "trusted_project_dirs"} & self._settings.keys()
        if more and state.behaviour.skill_copies_resolved:
            raise state.unsupported(f"read skills from the folders of skills.{min(more)}")

    def find_provenance(self, name: str) -> str:
        """Return the origin of a skill, as Hermes names it for hooks."""
        paths = (path for folder in self.list_folders() if folder != self.folder for path in find_skills(folder))
        own = (self._read_name(path) or path.parent.name for path in paths)
        return "external" if name in own else "local"

    @property
    def folder(self) -> Path:
        """The home's own directory of skills."""
        return self._home / "skills"

    def list_folders(self) -> list[Path]:
        """Return the existing directories of skills, with the home's own one first."""
        added = self._settings.get("external_dirs") or ()
        names = [added] if isinstance(added, str) else added if isinstance(added, list) else ()
        found = [self.folder] if self.folder.exists() else []
        for name in names:
            if not str(name).strip():
                continue
            path = (self._home / Path(os.path.expandvars(str(name).strip())).expanduser()).resolve()
            if path.is_dir() and path not in found and path != self.folder.resolve():
                found.append(path)
        return found

    def list_skills(self, category: Any, of_plugins: list[dict[str, Any]]) -> dict[str, Any]:
        """Return the result of ``skills_list`` for one category or all, including the skills `of_plugins`."""
        if not self.folder.exists():
            self.folder.mkdir(parents=True)
            # Hermes shows the full path of a home outside of the user's directory.
            return _report_no_skills(f"No skills found. Skills directory created at {self._home}/skills/")
        of_plugins = [skill for skill in of_plugins if skill["name"] not in self.list_disabled()]
        skills = sorted([*self._list_all(), *of_plugins], key=lambda skill: (skill["category"] or "", skill["name"]))
        if not skills:
            return _report_no_skills("No skills found in skills/ directory.")
        if category:
            skills = [skill for skill in skills if skill["category"] == category]
        return {
            "success": True,
            "skills": skills,
            "categories": sorted({skill["category"] for skill in skills if skill["category"]}),
            "count": len(skills),
            "hint": "skill_view(name) shows a skill",
        }

    def view(self, name: str, file_path: str | None, task: str | None) -> dict[str, Any]:
        """Return the result of ``skill_view`` for a skill of the home: its name, its path, or ``category:name``.

        `file_path` is a file of the skill to show instead; `task` is the session ID for variables in the text.

        Raises:
            NotSupported: The skill requires a setup, which is not modelled.
        """
        if not self.list_folders():
            return make_failure("Skills directory does not exist yet. The first skill creates it.")
        found = self._find_candidates(name)
        if len(found) > 1 and self._state.behaviour.skill_copies_resolved:
            copies = [self._locate_copy(path) for path in found]
            chosen, rivals = pick_copy(copies)
            if chosen is None:
                return self._report_copies(name, rivals)
            others = "; ".join(str(copy.path) for copy in copies if copy is not chosen)
            message = "Skill '%s' resolved to %s by precedence (%s, then identical same-root copies); not loaded: %s"
            _log.info(message, name, chosen.path, _PRECEDENCE, others)
            found = [chosen.path]
        if len(found) > 1:
            return _report_ambiguity(name, found)
        if not found:
            return {
                **make_failure(f"Skill '{name}' not found."),
                "available_skills": [skill["name"] for skill in self._list_all()[:NAMES_IN_AN_ERROR]],
                "hint": "Use skills_list to see all available skills",
            }
        return self._view(name, found[0], file_path, task)

    def _list_all(self) -> list[dict[str, Any]]:
        """Return all skills, sorted by category and name; on earlier releases, only the first of several copies."""
        listed: dict[Copy, dict[str, Any]] = {}
        shown: set[Copy] = set()
        for tier, folder in enumerate(self.list_folders()):
            for path in find_skills(folder):
                try:
                    skill, fits = self._summarise(path, folder)
                except Exception:
                    # Hermes skips unreadable and invalid skills silently.
                    _log.debug("Skipping skill at %s", path, exc_info=True)
                    continue
                copy = Copy(skill["name"], min(tier, 1), folder, path)
                listed[copy] = skill
                shown |= {copy} if fits else set()
        skills = self._name_copies(listed, shown)
        return sorted(skills, key=lambda skill: (skill["category"] or "", skill["name"]))

    def _name_copies(self, listed: Mapping[Copy, dict[str, Any]], shown: Collection[Copy]) -> list[dict[str, Any]]:
        """Return the skills that the configuration does not disable, each under a name that `view` accepts."""
        disabled = self.list_disabled()
        if not have_conflicts(listed) or not self._state.behaviour.skill_copies_resolved:
            first: dict[str, dict[str, Any]] = {}
            for copy, skill in listed.items():
                if copy in shown and copy.name not in disabled:
                    first.setdefault(copy.name, skill)
            return list(first.values())
        self._warn_about_hidden(list(listed))
        names = choose_load_names(list(listed))
        return [
            {**listed[copy], "name": name}
            for copy, name in names.items()
            if copy in shown and not {copy.name, name} & set(disabled)
        ]

    def _warn_about_hidden(self, copies: list[Copy]) -> None:
        warned: set[Path] = self._state.memory.setdefault(STATE, set())
        for copy in find_hidden(copies):
            if copy.path not in warned:
                warned.add(copy.path)
                message = "Skill '%s' at %s is shadowed by a higher-precedence copy (%s)"
                _resolution_log.warning(message, copy.name, copy.path, _PRECEDENCE)

    def _summarise(self, path: Path, folder: Path) -> tuple[dict[str, Any], bool]:
        """Return the list entry of a skill, and whether the skill supports this system."""
        front, body = split(read_text(path, leniently=self._is_detailed)[:4000], self._state.behaviour)
        name = front.get("name", path.parent.name)[:NAME_LIMIT]
        lines = (line.strip() for line in body.strip().split("\n"))
        first = next((line for line in lines if line and not line.startswith("#")), "")
        parts = path.relative_to(folder).parts
        summary = {
            "name": name,
            "description": shorten_description(front.get("description", "") or first),
            "category": parts[0] if len(parts) >= 3 else None,
        }
        return summary, fits_system(front.get("platforms"))

    def list_disabled(self) -> Collection[str]:
        """Return the names of the skills that the configuration disables."""
        names = _strip_texts(self._settings.get("disabled"))
        platform = os.environ.get("HERMES_PLATFORM") or os.environ.get("HERMES_SESSION_PLATFORM")
        by_platform = self._settings.get("platform_disabled")
        if platform and isinstance(by_platform, dict):
            names |= _strip_texts(by_platform.get(platform))
        return names

    def _find_candidates(self, name: str) -> list[Path]:
        """Return all files that match by path, directory name, file name, or front matter."""
        found: dict[Path, Path] = {}
        for folder in self.list_folders():
            for path in self._find_matches(folder, name):
                found.setdefault(path.resolve(), path)
        return list(found.values())

    def _find_matches(self, folder: Path, name: str) -> Iterator[Path]:
        category, colon, bare = name.partition(":")
        for wanted in [name, f"{category}/{bare}"] if colon and bare else [name]:
            path = folder / wanted
            if (path / "SKILL.md").exists() and not self._is_supporting_file(path):
                yield path / "SKILL.md"
            elif path.name and path.with_suffix(".md").exists() and self._is_skill(path.with_suffix(".md"), folder):
                yield path.with_suffix(".md")
        for path in find_skills(folder):
            if path.parent.name == name or self._read_name(path) == name:
                yield path
        for path in folder.rglob(f"{name}.md"):
            if path.name != "SKILL.md" and self._is_skill(path, folder):
                yield path

    def _read_name(self, path: Path) -> Any:
        try:
            return split(read_text(path, leniently=self._is_detailed), self._state.behaviour)[0].get("name")
        except (OSError, UnicodeDecodeError):
            return None

    def _is_skill(self, path: Path, folder: Path) -> bool:
        """Return whether a Markdown file is itself a skill."""
        if self._is_supporting_file(path):
            return False
        inner = list(path.relative_to(folder).parents)[:-1]
        owned = any((folder / parent / "SKILL.md").is_file() for parent in inner)
        return not owned or not self._state.behaviour.skill_files_owned

    def _is_supporting_file(self, path: Path) -> bool:
        """Return whether a path is in a directory of a skill's supporting files."""
        return any(parent.name in SUPPORT and (parent.parent / "SKILL.md").exists() for parent in path.parents)

    def _view(self, name: str, path: Path, file_path: str | None, task: str | None) -> dict[str, Any]:
        try:
            content = read_text(path, leniently=self._is_detailed)
        except (OSError, UnicodeDecodeError) as error:
            return make_failure(f"Failed to read skill '{name}': {error}")
        self._warn(name, path, content)
        front, _ = split(content, self._state.behaviour)
        if not fits_system(front.get("platforms")):
            return {
                **make_failure(f"Skill '{name}' is not supported on this platform."),
                "readiness_status": "unsupported",
            }
        own = front.get("name", path.parent.name)
        if own in self.list_disabled():
            advice = "`hermes skills` enables it."
            return make_failure(f"Skill '{own}' is disabled. {advice}")
        directory = path.parent if path.name == "SKILL.md" else None
        if file_path and directory:
            return self._show_file(name, directory, file_path)
        return self._show_skill(path, directory, front, render(content, directory, self._settings, self._state, task))

    def _warn(self, name: str, path: Path, content: str) -> None:
        warnings = []
        if not any(path.resolve().is_relative_to(folder.resolve()) for folder in self.list_folders()):
            warnings.append(f"skill file is outside the trusted skills directory (~/.hermes/skills/): {path}")
        if is_suspicious(content):
            warnings.append("skill content contains patterns that may indicate prompt injection")
        if warnings:
            _log.warning("Skill security warning for '%s': %s", name, "; ".join(warnings))

    def _show_skill(self, path: Path, directory: Path | None, front: dict[str, Any], content: str) -> dict[str, Any]:
        for need in NEEDS:
            if front.get(need):
                raise self._state.unsupported(f"support {need!r} in the front matter of a skill in the home ({path})")
        metadata = front.get("metadata")
        own = (metadata.get("hermes") or {}) if isinstance(metadata, dict) else {}
        linked = list_linked_files(directory) if directory else {}
        hint = "To see a linked file, pass its path as file_path, such as references/api.md"
        base = self.folder if path.is_relative_to(self.folder) else path.parent.parent
        answer = {
            "success": True,
            "name": front.get("name", directory.name if directory else path.stem),
            "description": front.get("description", ""),
            "tags": _read_tags(own.get("tags") or front.get("tags", "")),
            "related_skills": _read_tags(own.get("related_skills") or front.get("related_skills", "")),
            "content": content,
            "path": str(path.relative_to(base)),
            "skill_dir": str(directory) if directory else None,
            **({"org_provenance": None} if self._state.behaviour.skill_provenance_told else {}),
            "linked_files": linked or None,
            "usage_hint": hint if linked else None,
            "required_environment_variables": [],
            "required_commands": [],
            "missing_required_environment_variables": [],
            "missing_credential_files": [],
            "missing_required_commands": [],
            "setup_needed": False,
            "setup_skipped": False,
            "readiness_status": "available",
            **({"_source_path": str(path)} if self._is_detailed else {}),
        }
        if front.get("compatibility"):
            answer["compatibility"] = front["compatibility"]
        return {**answer, "metadata": metadata} if isinstance(metadata, dict) else answer

    def _show_file(self, name: str, directory: Path, file_path: str) -> dict[str, Any]:
        within = {"hint": "Use a relative path within the skill directory"}
        if refused := refuse_path(directory, file_path):
            return {**make_failure(refused), **within}
        target = directory / file_path
        if not target.exists():
            return {
                **make_failure(f"File '{file_path}' not found in skill '{name}'."),
                "available_files": list_files(directory),
                "hint": "Use one of the available file paths listed above",
            }
        return show_file(name, target, file_path, leniently=self._is_detailed)

    def _locate_copy(self, path: Path) -> Copy:
        """Return a file as a copy in the innermost directory of skills that contains it."""
        folders = self.list_folders()
        owners = [(len(folder.parts), index) for index, folder in enumerate(folders) if path.is_relative_to(folder)]
        _, index = max(owners)
        return Copy("", min(index, 1), folders[index], path)

    def _report_copies(self, name: str, copies: list[Copy]) -> dict[str, Any]:
        paths = [str(copy.path) for copy in copies]
        _log.warning(_COLLISION, name, len(paths), "; ".join(paths))
        names = sorted({copy.relative_name for copy in copies} - {name})
        advice = f"use one of {', '.join(names)}. " if names else ""
        return {
            **make_failure(
                f"Ambiguous skill name '{name}': {advice}{len(copies)} different skills share this name in the same"
                " skills directory tier; refusing to guess."
            ),
            "matches": paths,
            "load_names": names,
            "hint": "Pass its path, or rename one.",
        }


def _report_no_skills(message: str) -> dict[str, Any]:
    return {"success": True, "skills": [], "categories": [], "message": message}


def _report_ambiguity(name: str, found: list[Path]) -> dict[str, Any]:
    paths = [str(path) for path in found]
    _log.warning(_COLLISION, name, len(paths), "; ".join(paths))
    return {
        **make_failure(
            f"Ambiguous skill name '{name}': {len(paths)} skills match across your local skills dir"
            " and external_dirs. Refusing to guess — name the one to load by its path."
        ),
        "matches": paths,
        "hint": "Pass its path, or rename one.",
    }


def _read_tags(value: Any) -> list[str]:
    if isinstance(value, list):
        return [str(tag).strip() for tag in value if tag]
    text = str(value or "").strip()
    if text.startswith("[") and text.endswith("]"):
        text = text[1:-1]
    return [tag.strip().strip("\"'") for tag in text.split(",") if tag.strip()]


def _strip_texts(value: Any) -> set[str]:
    values = [value] if isinstance(value, str) else value if isinstance(value, list) else ()
    return {str(one).strip() for one in values if str(one).strip()}
