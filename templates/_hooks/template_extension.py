"""Applies the rules for the answers in plain cookiecutter.

The variable `__valid` of each `cookiecutter.json` uses the filter. A hook could reject answers too, but cookiecutter
prints a traceback when a hook fails.
"""

from answer_rules import list_problems
from cookiecutter.exceptions import FailedHookException
from jinja2.ext import Extension


class AnswerRules(Extension):
    """Adds the filter `require_valid`, which ends cookiecutter with the problems of the answers."""

    def __init__(self, environment):
        super().__init__(environment)
        environment.filters["require_valid"] = require_valid


def require_valid(answers):
    if problems := list_problems(answers):
        raise FailedHookException("\n".join(problems))
    return "yes"
