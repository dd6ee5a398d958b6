"""The rules in Markdown, for `hermes-sdk explain` and the reference page."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches
from functools import partial

from hermes_sdk.check.rule import Example, Rule
from hermes_sdk.check.rules import RULES
from hermes_sdk.contract.behaviour import FLAGS
from hermes_sdk.errors import UsageError
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

_LANGUAGES = {".py": "python", ".yaml": "yaml", ".yml": "yaml", ".toml": "toml", ".json": "json", ".md": "markdown"}
_WIDEST = 200

_RUNS = {
    "contract": "reads each release's contract",
    "load": "loads the plugin in a child process",
    "registration": "loads the plugin in a child process",
    "wheel": "builds the project's wheel in a child process",
    "trial": "runs the shell hook",
    "network": "uses the network, with `--online` only",
    "person": "prints a question",
}


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


def format_rule(rule: Rule) -> str:
    """Format a rule as Markdown."""
    return "\n\n".join(_paragraphs(rule)) + "\n"


def _paragraphs(rule: Rule) -> Iterator[str]:
    yield f"## {rule.code}: {rule.title}"
    facts = [f"{rule.severity}", _format_range(rule)]
    if rule.profile != "default":
        facts.append(f"profile `{rule.profile}` only")
    if rule.catalog:
        facts.append(f"rule {', '.join(map(str, rule.catalog))} of the public catalog")
    if rule.subject in _RUNS:
        facts.append(_RUNS[rule.subject])
    yield " · ".join(facts)
    yield rule.why
    yield f"**Fix.** {rule.fix}"
    if rule.question:
        yield f"**To confirm.** {rule.question}"
    else:
        yield f"Bad:\n\n{format_example(rule.bad, rule.good)}"
        yield f"Good:\n\n{format_example(rule.good, rule.bad)}"
    if rule.references:
        named = (f"<{one}>" if one.startswith("http") else f"`{one}`" for one in rule.references)
        yield f"References: {', '.join(named)}."


def _format_range(rule: Rule) -> str:
    """Format the releases that a rule concerns."""
    if rule.until:
        return f"before Hermes {rule.until}"
    if not rule.behaviour:
        return f"since Hermes {rule.since}"
    flag = FLAGS[rule.behaviour.removeprefix("not ")]
    return f"before Hermes {flag.since}" if rule.behaviour.startswith("not ") else f"since Hermes {flag.since}"


def format_example(files: Example, other: Example) -> str:
    """Format the files of an example that differ from the other one, all when none does."""
    names = [name for name in files if files[name] != other.get(name)] or list(files)
    return "\n\n".join(_block(name, files[name]) for name in names)


def _block(name: str, content: str | bytes) -> str:
    text = content.decode("latin-1") if isinstance(content, bytes) else content
    language = _LANGUAGES.get(f".{name.rpartition('.')[2]}", "")
    return "\n".join([f"`{name}`", "", f"```{language}", *map(_shown, text.splitlines()[:40]), "```"])


def _shown(line: str) -> str:
    shown = "".join(one if one.isprintable() or one == "\t" else f"\\u{ord(one):04x}" for one in line[:_WIDEST])
    return shown if max(len(line), len(shown)) <= _WIDEST else f"{shown[:_WIDEST]}…"


def suite_rules() -> Iterator[tuple[str, SuiteRule]]:
    """The rules of all suites in the order of their codes, each with the class that holds it."""
    every = ((name, rule) for name, module in SUITES.items() for rule in suite(module).RULES)
    yield from sorted(every, key=lambda one: one[1].code)


def format_suite_rule(name: str, rule: SuiteRule) -> str:
    """Format a rule of a suite as Markdown, with the name of the suite's class."""
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
