"""Variables of a template: names, defaults and validation."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from hermes_sdk.contract.suggestions import suggest_name
from hermes_sdk.errors import UsageError

SET = "Set an answer with --extra KEY=VALUE."
"""The fix of an invalid answer on a command line."""

_PLAIN_COOKIECUTTER = ("_extensions", "__valid")
"""Variables that validate the answers in plain cookiecutter; here `Variables.problem` does."""


@dataclass(frozen=True)
class Variables:
    """The variables of a template.

    Attributes:
        defined: The template's ``cookiecutter.json``.
        rule: Returns why a variable cannot have a value in a kind of template, or None; defined in the template.
    """

    defined: Mapping[str, Any]
    rule: Callable[[str, str, str], str | None]

    @property
    def names(self) -> list[str]:
        """The variables that users can set, in order."""
        return [name for name in self.defined if not name.startswith("_")]

    def choices(self, name: str) -> list[str]:
        """Return the allowed values of a variable, the default first; empty if any text is allowed."""
        value = self.defined[name]
        return value if isinstance(value, list) else []

    def prompt(self, name: str) -> str:
        """Return the question that asks for a variable."""
        prompt = self.defined["__prompts__"][name]
        return str(prompt["__prompt__"] if isinstance(prompt, dict) else prompt)

    def problem(self, name: str, value: str) -> str | None:
        """Return why a variable cannot have a value, or None if it can."""
        if (choices := self.choices(name)) and value not in choices:
            return f"{name} cannot be {value!r}; choose one of: {', '.join(choices)}."
        return self.rule(name, value, str(self.defined["__kind"]))

    def refuse_unknown(self, given: Mapping[str, str]) -> None:
        """Reject variables that the template does not have.

        Raises:
            UsageError: A variable is unknown.
        """
        for name in given:
            if name not in self.names:
                raise UsageError(
                    f"The template has no variable '{name}'{suggest_name(name, self.names)}",
                    fix=f"Use one of: {', '.join(self.names)}.",
                )

    def fill(self, given: Mapping[str, str]) -> dict[str, Any]:
        """Return the values of all variables, including cookiecutter's own, without validation."""
        from cookiecutter.prompt import prompt_for_config  # type: ignore[import-untyped]

        # Pass values as Jinja expressions: cookiecutter renders every value, but braces in a value are plain text here.
        literals = {name: "{{ " + json.dumps(value, ensure_ascii=False) + " }}" for name, value in given.items()}
        own = {name: value for name, value in self.defined.items() if name not in _PLAIN_COOKIECUTTER}
        return dict(prompt_for_config({"cookiecutter": {**own, **literals}}, True))

    def complete(self, given: Mapping[str, str], *, fix: str = SET) -> dict[str, Any]:
        """Return the values of all variables, validated by the rules of the template.

        Args:
            given: Values of variables; the others have their defaults.
            fix: The way to change an invalid value.

        Raises:
            UsageError: A variable is unknown, or a value breaks a rule.
        """
        self.refuse_unknown(given)
        answers = self.fill(given)
        if found := [problem for name in self.names if (problem := self.problem(name, answers[name]))]:
            raise UsageError("\n".join(found), fix=fix)
        return answers
