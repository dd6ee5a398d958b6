"""Runs the rules over one plugin: one parse a file, one pass over its tree, one child process."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from hermes_sdk import contract
from hermes_sdk.check.model import Finding, NotRun, Result
from hermes_sdk.check.plugin import Plugin
from hermes_sdk.check.rules import RULES
from hermes_sdk.check.rules.base import Load, LoadRule, PluginRule, RuntimeRule, SourceRule
from hermes_sdk.errors import HermesSdkError, UnavailableError, UsageError
from hermes_sdk.hosts.show import TIME_LIMIT, inspect_plugin
from hermes_sdk.manifest import locate


def check(path: Path, *, release: str = contract.DEFAULT, time_limit: float = TIME_LIMIT) -> Result:
    """Check one plugin.

    Static rules only read its files. For the other rules a child process loads the plugin on the embedded host, in a
    temporary home and with a time limit; what that does to the child becomes a finding.

    Args:
        path: A plugin directory, or a project that holds one (see `hermes_sdk.manifest.locate`).
        release: The release of Hermes Agent that the plugin is judged for.
        time_limit: Seconds that the plugin has for loading.

    Returns:
        The findings, and the rules that could not be decided.

    Raises:
        UsageError: There is no plugin at the path, or the release is not known.
        UnavailableError: The machine cannot run the child process.
    """
    judged_for = contract.load(release)
    located = locate(path)
    base = path if path.is_dir() else path.parent
    plugin = Plugin(located, base, judged_for)
    runtime, not_run = _runtime(plugin, time_limit)
    findings = {*static_findings(plugin), *runtime}
    return Result(path.as_posix(), base, tuple(sorted(findings, key=_order)), tuple(not_run))


def _order(finding: Finding) -> tuple[str, int, str, int, str]:
    return finding.path, finding.line, finding.code, finding.column, finding.message


def static_findings(plugin: Plugin) -> Iterator[Finding]:
    """What the rules find that never run the plugin."""
    watching: defaultdict[type[ast.AST], list[SourceRule]] = defaultdict(list)
    for rule in RULES:
        if isinstance(rule, PluginRule):
            yield from rule.check(plugin)
        elif isinstance(rule, SourceRule):
            for node_type in rule.nodes:
                watching[node_type].append(rule)
    for source in plugin.sources:
        for node in ast.walk(source.tree) if source.tree else ():
            for rule in watching.get(type(node), ()):
                yield from rule.visit(node, source, plugin)


def _runtime(plugin: Plugin, time_limit: float) -> tuple[list[Finding], list[NotRun]]:
    """What the rules find that need the plugin to load, and which of them could not be decided."""
    load_rules = [rule for rule in RULES if isinstance(rule, LoadRule)]
    runtime_rules = [rule for rule in RULES if isinstance(rule, RuntimeRule)]
    if plugin.manifest and not isinstance(plugin.manifest.value, dict):
        return [], _not_run([*load_rules, *runtime_rules], "the host cannot read the manifest")
    load = _load(plugin, time_limit)
    reason = _undecided(load)
    if reason:
        return [], _not_run([*load_rules, *runtime_rules], reason)
    findings = [finding for rule in load_rules for finding in rule.check(plugin, load)]
    if isinstance(load, HermesSdkError) or load["report"]["status"] != "loaded":
        return findings, _not_run(runtime_rules, "the plugin does not load")
    return [*findings, *(finding for rule in runtime_rules for finding in rule.check(plugin, load))], []


def _load(plugin: Plugin, time_limit: float) -> Load:
    try:
        return inspect_plugin(plugin.base, release=plugin.contract.release, time_limit=time_limit)
    except UnavailableError:
        raise
    except HermesSdkError as error:
        return error


def _undecided(load: Load) -> str | None:
    """Why the load tells nothing about the plugin, None when it does."""
    if isinstance(load, UsageError):
        return load.message
    if isinstance(load, HermesSdkError) or load["report"]["status"] in ("loaded", "failed"):
        return None
    report = load["report"]
    return f"{report['status']}: {report['error'] or 'the host does not import the plugin when it starts'}"


def _not_run(rules: Sequence[LoadRule | RuntimeRule], reason: str) -> list[NotRun]:
    return [NotRun(code, reason) for code in sorted(rule.code for rule in rules)]
