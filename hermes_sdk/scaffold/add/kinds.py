"""Kinds of additions, each with its code, registration and test."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import ClassVar

from hermes_sdk.scaffold.add.addition import Addition
from hermes_sdk.scaffold.add.code import Code
from hermes_sdk.scaffold.add.imports import ensure_import, type_hint
from hermes_sdk.scaffold.add.settings import Setting, Variable

_WIDTH = 100


class Tool(Addition):
    """A tool for the model."""

    kind = "tool"
    method = "register_tool"
    stem = "tools"
    about = "The tools: each has a schema for the model and a handler that runs."
    listed = "provides_tools"
    must_be_listed = True
    toolset = ""
    """Python expression for its toolset; empty for the name of the plugin."""

    def definitions(self, code: Code) -> str:
        """Return a schema and a handler."""
        self.handler = self.find_free_name(code)
        json, anything = ensure_import(code, "json"), ensure_import(code, "typing", "Any")
        return f'''\
{self.handler.upper()}: {self.schema_type(code)} = {{
    "name": "{self.name}",
    "description": "{self.title}. Describe what the tool does and when the model should use it.",
    "parameters": {{
        "type": "object",
        "properties": {{
            "text": {{"type": "string", "description": "What to work on."}},
        }},
        "required": ["text"],
    }},
}}


def {self.handler}(args: dict[str, {anything}], **kwargs: {anything}) -> str:
    """{self.title}. Like every handler, it answers with JSON text, even for errors."""
    text = args.get("text")
    if not isinstance(text, str) or not text.strip():
        return {json}.dumps({{"error": "The text is missing."}})
    return {json}.dumps({{"result": text.strip()}})
'''

    def schema_type(self, code: Code) -> str:
        """Return the annotation of its schema."""
        return type_hint(code, "ToolSchema", "ToolSchema")

    def call(self, at: str) -> str:
        """Return the registration with its toolset."""
        return f"""\
ctx.register_tool(
    name="{self.name}",
    toolset={self.toolset or f'"{self.plugin}"'},
    schema={at}{self.handler.upper()},
    handler={at}{self.handler},
)
"""

    def test(self, code: Code) -> str:  # noqa: ARG002
        """Return a test of a correct and an incorrect call."""
        return f'''\
def test_{self.identifier}_answers(hermes: Host) -> None:
    assert hermes.call_tool("{self.name}", text="tea").json == {{"result": "tea"}}


def test_{self.identifier}_rejects_blank_text(hermes: Host) -> None:
    assert hermes.call_tool("{self.name}", text=" ").error == "The text is missing."
'''


class Hook(Addition):
    """A hook callback."""

    kind = "hook"
    method = "register_hook"
    stem = "hooks"
    about = "The hooks: what this plugin does when something happens in Hermes."
    listed = "provides_hooks"
    must_be_listed = True
    _results: ClassVar[Mapping[str, str]] = {
        "pre_gateway_dispatch": "PreGatewayDispatchResult",
        "pre_llm_call": "PreLlmCallResult",
        "pre_tool_call": "PreToolCallResult",
        "pre_verify": "ContinueTurn",
        "transform_llm_output": "str",
        "transform_terminal_output": "str",
        "transform_tool_result": "str",
    }

    def definitions(self, code: Code) -> str:
        """Return a callback that changes nothing."""
        self.callback = self.find_free_name(code)
        unpack, arguments = ensure_import(code, "typing", "Unpack"), f"{_camel(self.name)}Arguments"
        hint = type_hint(code, f"{unpack}[{arguments}]", arguments)
        result = self._results.get(self.name)
        names = () if result in (None, "str") else (str(result),)
        returns = type_hint(code, f"{result} | None", *names) if result else "None"
        said = "None changes nothing." if result else "Hermes ignores what it returns."
        known = ", ".join(self.release.hooks[self.name].always)
        about = textwrap.fill(
            f"Hermes {self.release.release} passes {known}; newer releases add more.",
            _WIDTH,
            initial_indent="    ",
            subsequent_indent="    ",
        )
        end = "    return None\n" if result else ""
        return f'''\
def {self.callback}(**kwargs: {hint}) -> {returns}:
    """Act on the hook {self.name}. {said}

{about}
    """
{end}'''

    def call(self, at: str) -> str:
        """Return the registration."""
        return f'ctx.register_hook("{self.name}", {at}{self.callback})\n'

    def test(self, code: Code) -> str:  # noqa: ARG002
        """Return a test that fires the hook and expects no change."""
        return f'''\
def test_{self.identifier}_changes_nothing_yet(hermes: Host) -> None:
    assert "{self.name}" in hermes.hooks
    assert hermes.fire("{self.name}") == []
'''


class Command(Addition):
    """A slash command."""

    kind = "command"
    method = "register_command"
    stem = "commands"
    about = "The commands, for sessions and for the terminal."
    listed = "provides_commands"

    def definitions(self, code: Code) -> str:
        """Return a handler."""
        self.handler = self.find_free_name(code)
        return f'''\
def {self.handler}(arguments: str) -> str:
    """Answer `/{self.name}`; Hermes passes what follows the command."""
    return f"{self.title}: {{arguments}}" if arguments else "{self.title}: nothing was asked."
'''

    def call(self, at: str) -> str:
        """Return the registration with its line for ``/help``."""
        return f"""\
ctx.register_command(
    "{self.name}",
    handler={at}{self.handler},
    description="{self.title}",
)
"""

    def test(self, code: Code) -> str:  # noqa: ARG002
        """Return a test with and without arguments."""
        return f'''\
def test_the_slash_command_{self.identifier}_answers(hermes: Host) -> None:
    assert hermes.command("/{self.name} tea") == "{self.title}: tea"
    assert hermes.command("/{self.name}") == "{self.title}: nothing was asked."
'''


class CliCommand(Addition):
    """A subcommand of ``hermes``."""

    kind = "cli-command"
    method = "register_cli_command"
    stem = Command.stem
    about = Command.about
    listed = "provides_cli_commands"

    def definitions(self, code: Code) -> str:
        """Return a function that declares the arguments, and a handler."""
        self.setup, self.handler = self.find_free_name(code, "add_{}_arguments"), self.find_free_name(code, "run_{}")
        argparse = ensure_import(code, "argparse")
        return f'''\
def {self.setup}(parser: {argparse}.ArgumentParser) -> None:
    """Declare the arguments of `hermes {self.name}`."""
    parser.add_argument("word", nargs="?", default="nothing", help="what to say")


def {self.handler}(args: {argparse}.Namespace) -> None:
    """Run `hermes {self.name}`."""
    print(f"{self.title}: {{args.word}}")
'''

    def call(self, at: str) -> str:
        """Return the registration with its line for ``--help``."""
        return f"""\
ctx.register_cli_command(
    "{self.name}",
    help="{self.title}",
    setup_fn={at}{self.setup},
    handler_fn={at}{self.handler},
)
"""

    def test(self, code: Code) -> str:  # noqa: ARG002
        """Return a test that runs the command."""
        return f'''\
def test_the_cli_command_{self.identifier}_prints(hermes: Host) -> None:
    assert hermes.cli("{self.name}", "tea").stdout == "{self.title}: tea\\n"
'''


class Skill(Addition):
    """Instructions for the model."""

    kind = "skill"
    method = "register_skill"
    stem = "skills"
    listed = "provides_skills"
    directory = 'Path(__file__).parent / "skills"'
    """Python expression for the skills directory."""

    def call(self, at: str) -> str:  # noqa: ARG002
        """Return the registration of the file."""
        return f'ctx.register_skill("{self.name}", {self.directory} / "{self.name}" / "SKILL.md")\n'

    def text(self) -> str:
        """Return the content of ``SKILL.md``."""
        return f"""\
---
name: {self.name}
description: Describe in one line what the skill is for and when to read it.
---

# {self.title}

1. Describe, step by step, what the agent should do.
"""

    def test(self, code: Code) -> str:  # noqa: ARG002
        """Return a test that reads the skill as the agent does."""
        return f'''\
def test_the_skill_{self.identifier}_can_be_read(hermes: Host) -> None:
    skill = hermes.skill("{self.plugin}:{self.name}")

    assert skill["success"]
    assert "{self.name}" in skill["content"]
'''


class Middleware(Addition):
    """A callback that changes requests or wraps their execution."""

    kind = "middleware"
    method = "register_middleware"
    stem = "middleware"
    about = "The middleware: what this plugin changes in calls of tools and requests to the model."
    listed = "provides_middleware"

    def definitions(self, code: Code) -> str:
        """Return a callback that changes nothing."""
        self.callback = self.find_free_name(code)
        arguments, result = f"{_camel(self.name)}Arguments", f"{_camel(self.name)}Result"
        hint = type_hint(code, f"{ensure_import(code, 'typing', 'Unpack')}[{arguments}]", arguments)
        if self.name.endswith("_execution"):
            returns, body = ensure_import(code, "typing", "Any"), 'return kwargs["next_call"]()'
            said = "`next_call` goes on; what this returns is the result."
        else:
            returns, body = type_hint(code, f"{result} | None", result), "return None"
            said = "None changes nothing."
        return f'''\
def {self.callback}(**kwargs: {hint}) -> {returns}:
    """Act on the middleware {self.name}. {said}"""
    {body}
'''

    def call(self, at: str) -> str:
        """Return the registration."""
        return f'ctx.register_middleware("{self.name}", {at}{self.callback})\n'

    def test(self, code: Code) -> str:  # noqa: ARG002
        """Return a test that the host lists the middleware."""
        return f'''\
def test_{self.identifier}_is_registered(hermes: Host) -> None:
    assert "{self.name}" in hermes.report()["middleware"]
'''


class AuxiliaryTask(Addition):
    """An auxiliary model task with its own settings."""

    kind = "aux-task"
    method = "register_auxiliary_task"
    stem = "auxiliary_tasks"
    listed = "provides_auxiliary_tasks"

    def call(self, at: str) -> str:  # noqa: ARG002
        """Return the registration; the task needs no other code."""
        return f"""\
ctx.register_auxiliary_task(
    "{self.name}",
    display_name="{self.title}",
    description="Describe in one line what the model does",
)
"""

    def test(self, code: Code) -> str:  # noqa: ARG002
        """Return a test that the host lists the task."""
        return f'''\
def test_the_auxiliary_task_{self.identifier}_is_registered(hermes: Host) -> None:
    assert "{self.name}" in hermes.report()["auxiliary_tasks"]
'''


def _camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


KINDS: Mapping[str, type[Addition]] = {
    one.kind: one for one in (Tool, Hook, Command, CliCommand, Skill, Middleware, AuxiliaryTask, Setting, Variable)
}
