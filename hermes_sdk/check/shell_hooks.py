"""Shell hooks in the example configurations of a plugin or project, and trial runs of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from hermes_sdk.check.plugin import Plugin
from hermes_sdk.manifest.load import choose_reader
from hermes_sdk.manifest.shell_hook import CONFIGURATIONS

if TYPE_CHECKING:
    from hermes_sdk.contract import Contract
    from hermes_sdk.hosts.shell_hooks import Run, ShellHook

_ARGUMENTS = {
    "command": "echo hello",
    "content": "hello",
    "path": "notes.txt",
    "query": "hello",
    "url": "https://example.org",
}
"""Arguments of a sample call: those that the command of a hook may look for."""


class ConfiguredHook(NamedTuple):
    """Shell hook in a configuration.

    Attributes:
        place: The path and the line of the entry.
        script: The file of the plugin that the command runs; None if there is none.
        starts_alone: Whether the command is the script itself, without an interpreter.
    """

    hook: ShellHook
    place: tuple[str, int]
    script: Path | None
    starts_alone: bool


class Trial(NamedTuple):
    """Trial run of a configured command on a sample call.

    Attributes:
        path: The path of the script, as in `Finding.path`.
        problem: The reason why the host cannot read the output; empty if it can.
        limit: The time limit in seconds.
    """

    configured: ConfiguredHook
    path: str
    run: Run
    problem: str
    limit: int


def find_configurations(plugin: Plugin, contract: Contract) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    """Find the example configurations with shell hooks."""
    for file in plugin.files:
        if file.name in CONFIGURATIONS:
            fields = plugin.read_yaml(file, choose_reader(contract.behaviour))
            if isinstance(fields, Mapping) and isinstance(fields.get("hooks"), Mapping):
                yield file, fields


def find_shell_hooks(plugin: Plugin, contract: Contract) -> Iterator[ConfiguredHook]:
    """Find the hooks that a release reads from the configurations, or a hook for a script without a configuration."""
    lone = plugin.located.shell_hook
    if lone is not None and lone.name not in CONFIGURATIONS:
        import shlex

        from hermes_sdk.hosts.shell_hooks import ShellHook

        hook = ShellHook("pre_tool_call", shlex.quote(str(lone)), None, 60, None)
        yield ConfiguredHook(hook, (plugin.relative(lone), 1), lone, starts_alone=True)
        return
    for file, config in find_configurations(plugin, contract):
        from hermes_sdk.errors import UsageError
        from hermes_sdk.hosts.shell_hooks import read_hooks

        try:
            hooks, _ = read_hooks(config, contract)
        except UsageError:  # The host ignores all hooks of the file, which HS741 reports.
            continue
        lines = plugin.read(file).splitlines()
        for hook in hooks:
            line = next((number for number, text in enumerate(lines, 1) if hook.command in text), 1)
            yield _locate_script(plugin, hook, (plugin.relative(file), line))


def _locate_script(plugin: Plugin, hook: ShellHook, place: tuple[str, int]) -> ConfiguredHook:
    """Return a configured hook with the plugin's file for its script; the command names the installed copy."""
    from hermes_sdk.home.allowlist import script_word

    word, starts_alone = script_word(hook.command)
    wanted = Path(word).parts[::-1]
    named = [file for file in plugin.files if file.name == wanted[0]] if wanted else []

    def count_common(file: Path) -> int:
        pairs = zip(file.parts[::-1], wanted, strict=False)
        return next((count for count, (ours, theirs) in enumerate(pairs) if ours != theirs), len(wanted))

    return ConfiguredHook(hook, place, max(named, key=count_common, default=None), starts_alone)


def choose_tool(hook: ShellHook, contract: Contract) -> str | None:
    """Return a tool of the release that matches a hook; None if no tool does."""
    return next((tool for tool in ("terminal", *sorted(contract.tools)) if hook.matches(tool)), None)


def try_hook(
    plugin: Plugin, configured: ConfiguredHook, contract: Contract, *, time_limit: float, full_isolation: bool
) -> tuple[Trial, list[str]] | None:
    """Run the script of a hook on a sample call, with the isolation of plugin code.

    Returns:
        The trial, and the isolation layers; None if the matcher matches no tool of the release, or the script is not a
        file of the plugin.

    Raises:
        UnavailableError: A required isolation layer is missing.
        HermesSdkError: The child process crashed.
    """
    import dataclasses
    import shlex

    from hermes_sdk.home.allowlist import script_word
    from hermes_sdk.hosts.inspection import run_shell_hook
    from hermes_sdk.hosts.shell_hook_answers import judge_run
    from hermes_sdk.hosts.shell_hooks import sample_payload

    hook, script = configured.hook, configured.script
    tool = choose_tool(hook, contract)
    if tool is None or script is None:
        return None
    named, _ = script_word(hook.command)
    words = [str(script) if word == named else word for word in shlex.split(hook.command)]
    limit = max(1, min(hook.timeout, int(time_limit)))
    started = dataclasses.replace(hook, command=shlex.join(words), timeout=limit)
    payload = sample_payload(hook.event, contract, {"tool_name": tool, "args": _ARGUMENTS})
    strict = not contract.behaviour.shell_hook_output_replaced
    run, layers = run_shell_hook(
        started, payload, project=plugin.located.project, strict=strict, full_isolation=full_isolation
    )
    problem = judge_run(started, run, contract).problem
    return Trial(configured, plugin.relative(script), run, problem, limit), layers
