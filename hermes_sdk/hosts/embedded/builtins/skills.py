"""``skill_view`` and ``skills_list`` (F3 to F5)."""

from __future__ import annotations

from typing import Any

from hermes_sdk.errors import HermesSdkError
from hermes_sdk.hosts.embedded.builtins.declaration import string, tool
from hermes_sdk.hosts.embedded.builtins.tool import ToolContext, answer, refuse


@tool(
    "Read the instructions of a skill, or with file_path one of the files that it links.",
    name=string("The skill; that of a plugin as 'plugin:skill'.", required=True),
    file_path=string("A linked file, relative to the skill's folder."),
)
def skill_view(args: dict[str, Any], context: ToolContext) -> str:
    """Return the text of a skill or of one of its files."""
    try:
        return answer(
            **context.registrations.skills.view(
                args.get("name", ""), file_path=args.get("file_path"), task=context.task_id
            )
        )
    except HermesSdkError:
        raise
    except Exception as error:
        # The host answers with the exception for a name that is not a string and for malformed front matter.
        return refuse(str(error), success=False)


@tool(
    "List the skills that there are, each with its name and description.",
    category=string("Show only the skills of this category."),
)
def skills_list(args: dict[str, Any], context: ToolContext) -> str:
    """Return the skills of the home."""
    return answer(**context.registrations.skills.list_skills(args.get("category")))
