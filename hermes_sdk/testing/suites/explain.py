"""A rule of a contract suite as Markdown, for `hermes-sdk explain`."""

from __future__ import annotations

from collections.abc import Iterator

from hermes_sdk.testing.suites.rules.base import SuiteRule
from hermes_sdk.testing.suites.rules.running import suite

SUITES = {
    "PluginContract": "plugin",
    "MemoryProviderContract": "memory",
    "ContextEngineContract": "engine",
    "ImageGenProviderContract": "image",
    "ModelProviderContract": "model",
    "PlatformContract": "platform",
}
"""The class of a suite -> the module of its rules."""


def suite_rules() -> Iterator[tuple[str, SuiteRule]]:
    """The rules of all suites in the order of their codes, each with the class that holds it."""
    every = ((name, rule) for name, module in SUITES.items() for rule in suite(module).RULES)
    yield from sorted(every, key=lambda one: one[1].code)


def format_suite_rule(name: str, rule: SuiteRule) -> str:
    """Format a rule of the suite with this class as Markdown."""
    parts = [
        f"## {rule.code}: {rule.title}",
        f"test `test_{rule.name}` of `{name}`",
        rule.why,
        f"**Otherwise.** {rule.host}",
        f'**If this is intentional.** Set `exclude = {{"{rule.code}": "the reason"}}` in the subclass.',
    ]
    if rule.waits:
        parts.append("On the real host it waits for the host's own limits, and runs with `--hermes-slow` only.")
    return "\n\n".join(parts) + "\n"
