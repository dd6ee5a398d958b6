"""``skill_view`` and ``skills_list`` (F3 to F5)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hermes_sdk.errors import HermesSdkError
from hermes_sdk.hosts.embedded.builtins.tool import ToolContext, answer, refuse, string, tool

STATE = "skills"
USES = "skill_uses"
Seen = dict[tuple[str, str], tuple[str, tuple[int, int] | None]]
"""Skill and file -> the path that was shown, with its modification time and size."""


@tool(
    "Read the instructions of a skill, or with file_path one of the files that it links.",
    name=string("The skill; that of a plugin as 'plugin:skill'.", required=True),
    file_path=string("A linked file, relative to the skill's folder."),
)
def skill_view(args: dict[str, Any], context: ToolContext) -> str:
    """Return the text of a skill or of one of its files."""
    name, file_path = args.get("name", ""), args.get("file_path")
    seen: Seen = context.state.memory.setdefault(STATE, {}).setdefault(context.task_id, {})
    remembers = context.behaviour.skill_views_detailed
    if remembers and (known := _find_view(seen, str(name), file_path or "")):
        return answer(
            success=True,
            status="unchanged",
            name=known,
            file=file_path or "SKILL.md",
            dedup=True,
            content_returned=False,
            message=context.state.wording("skill_view.unchanged"),
        )
    try:
        shown = context.registrations.skills.view(name, file_path=file_path, task=context.task_id)
        if source := shown.get("_source_path"):
            seen[str(shown["name"] or name), file_path or ""] = (source, _stamp(source))
    except HermesSdkError:
        raise
    except Exception as error:
        # The host returns the exception text, such as for malformed front matter or a name that is not a string.
        return refuse(str(error), success=False)
    if shown["success"]:
        _report_use(str(shown.get("name") or name), context)
    return answer(**shown)


def _report_use(name: str, context: ToolContext) -> None:
    """Count a use of a skill, and fire ``on_skill_lifecycle``."""
    uses: dict[str, int] = context.state.memory.setdefault(USES, {})
    uses[name] = uses.get(name, 0) + 1
    hooks = context.registrations.hooks
    if "on_skill_lifecycle" not in context.state.contract.hooks or not hooks.has("on_skill_lifecycle"):
        return
    hooks.fire(
        "on_skill_lifecycle",
        action="loaded",
        skill_name=name,
        provenance=context.registrations.skills.find_provenance(name),
        task_id=context.task_id,
        session_id=context.session_id,
        use_count=uses[name],
        reused=uses[name] > 1,
        reuse_after_patch=False,
    )


def _find_view(seen: Seen, name: str, file_path: str) -> str | None:
    """Return the name of the skill if the file was shown before and has not changed, or None."""
    for (known, file), (source, stamp) in list(seen.items()):
        alike = known in (name, name.rpartition(":")[2]) or f"/{name}".endswith(f"/{known}")
        if file == file_path and (alike or known.endswith(f"/{name}")):
            if _stamp(source) == stamp:
                return known
            del seen[known, file]
            return None
    return None


def _stamp(source: str) -> tuple[int, int] | None:
    try:
        status = Path(source).stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


@tool(
    "List the skills that there are, each with its name and description.",
    category=string("Show only the skills of this category."),
)
def skills_list(args: dict[str, Any], context: ToolContext) -> str:
    """Return the skills in the home."""
    return answer(**context.registrations.skills.list_skills(args.get("category")))
