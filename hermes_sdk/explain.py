"""Lookup of every rule by its code: the check rules, and those of the contract suites."""

from __future__ import annotations

from difflib import get_close_matches
from functools import partial

from hermes_sdk.check.explain import format_rule
from hermes_sdk.check.rules import RULES
from hermes_sdk.errors import UsageError
from hermes_sdk.testing.suites.explain import format_suite_rule, suite_rules


def explain(code: str) -> str:
    """Explain a rule in Markdown.

    Args:
        code: In upper or lower case.

    Raises:
        UsageError: There is no such rule.
    """
    formats = {
        **{rule.code: partial(format_rule, rule) for rule in RULES},
        **{rule.code: partial(format_suite_rule, name, rule) for name, rule in suite_rules()},
    }
    wanted = code.strip().upper()
    if wanted in formats:
        return formats[wanted]()
    close = [one for one in formats if one.startswith(wanted)][:3] or get_close_matches(wanted, formats, n=3)
    pages = (
        "docs/reference/rules.md lists the check rules, docs/how-to/contract-suites.md those of the contract suites."
    )
    fix = f"Similar codes: {', '.join(close)}." if close else pages
    raise UsageError(f"There is no rule {code!r}.", fix=fix)
