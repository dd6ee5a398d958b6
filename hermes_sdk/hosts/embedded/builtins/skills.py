"""``skill_view`` and ``skills_list`` (statements F3 to F5)."""

from __future__ import annotations

import json
from typing import Any

from hermes_sdk.errors import HermesSdkError
from hermes_sdk.hosts.embedded.builtins.tool import Builtin, Turnside, refusal


def _view(args: dict[str, Any], side: Turnside) -> str:
    try:
        shown = side.skills.view(args.get("name", ""), file_path=args.get("file_path"), task=side.task_id)
        return json.dumps(shown, ensure_ascii=False)
    except HermesSdkError:
        raise
    except Exception as error:
        # A name that is no text, or front matter of a strange shape: the host answers with the exception.
        return refusal(str(error), success=False)


def _list(args: dict[str, Any], side: Turnside) -> str:
    listed = side.skills.listed(args.get("category"))
    return json.dumps(listed, ensure_ascii=False)


TOOLS = {
    "skill_view": Builtin(
        "Read the instructions of a skill, or with file_path one of the files that it links.",
        {
            "type": "object",
            "properties": {
                "name": {"type": "string", "description": "The skill; that of a plugin as 'plugin:skill'."},
                "file_path": {"type": "string", "description": "A linked file, relative to the skill's folder."},
            },
            "required": ["name"],
        },
        _view,
    ),
    "skills_list": Builtin(
        "List the skills that there are, each with its name and description.",
        {
            "type": "object",
            "properties": {"category": {"type": "string", "description": "Show only the skills of this category."}},
            "required": [],
        },
        _list,
    ),
}
