"""What is known of a rule of a contract suite, as Markdown: for `hermes-sdk explain`."""

from __future__ import annotations

from collections.abc import Iterator

from hermes_sdk.testing.suites.rules.base import Rule
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


def rules() -> Iterator[tuple[str, Rule]]:
    """The rules of all suites in the order of their codes, each with the class that holds it."""
    every = ((name, rule) for name, module in SUITES.items() for rule in suite(module).RULES)
    yield from sorted(every, key=lambda one: one[1].code)


def explain(code: str) -> str | None:
    """Explain a rule in Markdown; None when no suite has it.

    Args:
        code: Its code, in upper or lower case.
    """
    for name, rule in rules():
        if rule.code == code.strip().upper():
            return _format_rule(name, rule)
    return None


def _format_rule(name: str, rule: Rule) -> str:
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
