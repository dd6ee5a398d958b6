"""{{ cookiecutter.plugin_name }}, a plugin for Hermes Agent. Hermes calls `register`."""

from __future__ import annotations

{% if cookiecutter.example == "yes" %}
from pathlib import Path
from typing import TYPE_CHECKING

from . import commands, hooks, tools
{% else %}
from typing import TYPE_CHECKING, Any
{% endif %}

if TYPE_CHECKING:
    from hermes_sdk.api import PluginContext
{% if cookiecutter.example == "yes" %}

SKILLS = Path(__file__).parent / "skills"
{% endif %}


def register(ctx: PluginContext) -> None:
    """Register everything that this plugin offers. Hermes calls it once, when it loads the plugin."""
{% if cookiecutter.example == "yes" %}
    ctx.register_tool(
        name="{{ cookiecutter.__package }}_add",
        toolset="{{ cookiecutter.plugin_slug }}",
        schema=tools.ADD,
        handler=tools.add,
    )
    ctx.register_hook("pre_llm_call", hooks.recall)
    ctx.register_command(
        "{{ cookiecutter.plugin_slug }}",
        handler=commands.show,
        description="Show the notes, or those with a word",
    )
    ctx.register_cli_command(
        "{{ cookiecutter.plugin_slug }}",
        help="Show or clear the notes",
        setup_fn=commands.add_arguments,
        handler_fn=commands.run,
    )
    ctx.register_skill("taking-notes", SKILLS / "taking-notes" / "SKILL.md")
{% else %}
    ctx.register_hook("on_session_start", on_session_start)


def on_session_start(**kwargs: Any) -> None:
    """Do nothing yet. Hermes calls it when a session starts, with arguments that newer releases add to."""
{% endif %}
