"""Rules as a list and as Markdown, for `hermes-sdk explain` and the reference page."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches
from functools import cache
from itertools import groupby
from textwrap import fill
from typing import NamedTuple

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
"""Test classes of the contract suites, with the modules of their rules."""

FAMILIES = {
    "1": "The manifest",
    "2": "Loading",
    "3": "Tools",
    "4": "Hooks and commands",
    "5": "Providers and platforms",
    "6": "Packages, and the public catalog",
    "7": "Security, imports, skills, Nix, suppressions",
}
"""Titles of the families of check rules, by the first digit of their codes."""

_PAGE = "docs/reference/rules.md"
_OLDEST = "0.13.0"

_LANGUAGES = {".py": "python", ".yaml": "yaml", ".yml": "yaml", ".toml": "toml", ".json": "json", ".md": "markdown"}
_MAX_WIDTH = 200

_RUNS = {
    "contract": "reads each release's contract",
    "load": "loads the plugin in a child process",
    "registration": "loads the plugin in a child process",
    "wheel": "builds the project's wheel in a child process",
    "trial": "runs the shell hook",
    "network": "uses the network, with `--online` only",
    "person": "prints a question",
}


class Entry(NamedTuple):
    """A row in the list of rules.

    Attributes:
        severity: ``test`` for a rule of a contract suite.
    """

    code: str
    family: str
    title: str
    severity: str


@cache
def list_rules() -> tuple[Entry, ...]:
    """Return the rules of the check and the contract suites, grouped by family."""
    checked = (Entry(rule.code, FAMILIES[rule.code[2]], rule.title, rule.severity) for rule in RULES)
    ordered = sorted(suite_rules(), key=lambda one: [*SUITES].index(one[0]))
    tested = (Entry(rule.code, f"Contract suite {name}", rule.title, "test") for name, rule in ordered)
    return (*checked, *tested)


def format_rules() -> str:
    """Format the list of rules for a terminal, at most 80 columns wide."""
    families = groupby(list_rules(), key=lambda entry: entry.family)
    return "\n".join("\n".join([family, *map(_format_entry, entries), ""]) for family, entries in families)


def _format_entry(entry: Entry) -> str:
    line = f"  {entry.code}  {entry.severity:7}  {entry.title}"
    return fill(line, 80, subsequent_indent=" " * 18, break_on_hyphens=False)


def explain(code: str) -> str:
    """Explain a rule in Markdown.

    Args:
        code: The code of the rule, in any case.

    Raises:
        UsageError: There is no such rule.
    """
    wanted = find_entry(code).code
    checked = next((rule for rule in RULES if rule.code == wanted), None)
    if checked:
        return format_rule(checked)
    return next(format_suite_rule(name, rule) for name, rule in suite_rules() if rule.code == wanted)


def find_entry(code: str) -> Entry:
    """Return the entry of a rule in the list of rules.

    Raises:
        UsageError: There is no such rule.
    """
    wanted = code.strip().upper()
    entries = {entry.code: entry for entry in list_rules()}
    if wanted in entries:
        return entries[wanted]
    close = [one for one in entries if one.startswith(wanted)] or get_close_matches(wanted, entries, n=len(entries))
    close.sort(key=lambda one: sum(map(str.__ne__, one, wanted)))  # get_close_matches ignores positions.
    nearest = f"Did you mean {close[0]} ({entries[close[0]].title})? " if wanted and close else ""
    fix = f"{nearest}`hermes-sdk explain` lists all rules; {_PAGE} describes those of the check."
    raise UsageError(f"There is no rule {code!r}.", fix=fix)


def format_rule(rule: Rule) -> str:
    """Format a rule as Markdown."""
    parts = [_format_title(rule), " · ".join(_list_facts(rule)), rule.why, f"**Fix.** {rule.fix}"]
    parts += [f"**To confirm.** {rule.question}"] * bool(rule.question)
    return "\n\n".join([*parts, *_list_details(rule)]) + "\n"


def summarize_rule(rule: Rule) -> str:
    """Format a rule as Markdown without its reason, examples and references."""
    return f"{_format_title(rule)}\n\n*{' · '.join(_list_facts(rule))}:* {rule.question or rule.fix}\n"


def _format_title(rule: Rule) -> str:
    return f"## {rule.code}: {rule.title}"


def _list_facts(rule: Rule) -> Iterator[str]:
    yield rule.severity
    yield from _format_range(rule)
    if rule.profile != "default":
        yield f"profile `{rule.profile}`"
    if rule.catalog:
        yield f"catalog rule {', '.join(map(str, rule.catalog))}"


def _list_details(rule: Rule) -> Iterator[str]:
    if rule.subject in _RUNS:
        yield f"To find this, the check {_RUNS[rule.subject]}."
    if not rule.question:
        yield f"Bad:\n\n{format_example(rule.bad, rule.good)}"
        yield f"Good:\n\n{format_example(rule.good, rule.bad)}"
    pages = [f"<{one}>" for one in rule.references if one.startswith("http")]
    if pages:
        yield f"References: {', '.join(pages)}."


def _format_range(rule: Rule) -> Iterator[str]:
    """Format the affected releases, unless the rule affects all."""
    if rule.since != _OLDEST:
        yield f"since Hermes {rule.since}"
    if rule.until:
        yield f"before Hermes {rule.until}"
    if rule.flag:
        word = "before" if rule.is_before_flag else "since"
        yield f"{word} Hermes {FLAGS[rule.flag].since}"


def format_example(files: Example, other: Example) -> str:
    """Format the files in which an example differs from the other one; all files if they are equal."""
    names = [name for name in files if files[name] != other.get(name)] or list(files)
    return "\n\n".join(_format_file(name, files[name]) for name in names)


def _format_file(name: str, content: str | bytes) -> str:
    text = content.decode("latin-1") if isinstance(content, bytes) else content
    language = _LANGUAGES.get(f".{name.rpartition('.')[2]}", "")
    return "\n".join([f"`{name}`", "", f"```{language}", *map(_escape_line, text.splitlines()[:40]), "```"])


def _escape_line(line: str) -> str:
    shown = "".join(one if one.isprintable() or one == "\t" else f"\\u{ord(one):04x}" for one in line[:_MAX_WIDTH])
    return shown if max(len(line), len(shown)) <= _MAX_WIDTH else f"{shown[:_MAX_WIDTH]}…"


def suite_rules() -> Iterator[tuple[str, SuiteRule]]:
    """Yield the rules of all suites by code, each with the name of its test class."""
    every = ((name, rule) for name, module in SUITES.items() for rule in suite(module).RULES)
    yield from sorted(every, key=lambda one: one[1].code)


def format_suite_rule(name: str, rule: SuiteRule) -> str:
    """Format a suite's rule as Markdown, with the name of the test class."""
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
