"""Shared code of `call`, `fire` and `chat`: loads the plugin, and prints the results of actions."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from hermes_sdk import contract, manifest, terminal
from hermes_sdk.cli.form_options import PLUGIN_HELP, FormChoice, add_form_option, select_forms
from hermes_sdk.cli.host_options import add_host_option, choose_release, parse_variables, print_note
from hermes_sdk.cli.options import make_json_option, make_release_option, make_variable_option
from hermes_sdk.errors import HermesSdkError, UsageError
from hermes_sdk.hosts.interface import HostKind, Report, find_form
from hermes_sdk.hosts.staging import HostChoice, Ran, run_on_host

if TYPE_CHECKING:
    from hermes_sdk.hosts.inspection import Action, LoadedPlugin
    from hermes_sdk.manifest import Form
    from hermes_sdk.redaction import Redactor

Result = TypeVar("Result")

_OPTIONS = (
    click.option(
        "--plugin",
        default=".",
        metavar="PATH|NAME",
        help=f"{PLUGIN_HELP}  [default: the project in the current directory]",
    ),
    add_form_option,
    add_host_option,
    make_release_option(),
    make_variable_option("variables"),
    click.option(
        "--config",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="YAML file to merge into the config.yaml of the host.",
    ),
    make_json_option(),
)


class Done(NamedTuple):
    """An action on a plugin: its kind, name, arguments and outcome."""

    action: str
    name: str
    arguments: Mapping[str, Any]
    outcome: Action


class Chosen(NamedTuple):
    """Selection of a plugin and a host by the options of a command."""

    plugin: str
    form: FormChoice | None
    host: HostChoice
    release: str | None
    variables: Sequence[str]
    config: Path | None

    def run(self, act: Callable[[LoadedPlugin], Iterator[Done]]) -> list[Run]:
        """Load the plugin in a child process, in one form or in each, and run actions on it.

        Args:
            act: Runs the actions, and yields each when it is done.

        Returns:
            The runs, those without an error first.

        Raises:
            HermesSdkError: The plugin has one form, and it does not load or an action is not possible.
        """
        release = choose_release(self.host, self.release)
        is_path = Path(self.plugin).exists()
        path, name = (Path(self.plugin), "") if is_path else (Path(), self.plugin)
        forms = select_forms(path, self.form, name, release or contract.DEFAULT)
        if len(forms) == 1:
            return [Run(forms[0], self._run(path, name, forms[0], release, act))]
        runs = list[Run]()
        for form in forms:
            try:
                runs.append(Run(form, self._run(path, name, form, release, act)))
            except HermesSdkError as error:
                runs.append(Run(form, None, error))
        return sorted(runs, key=lambda run: run.ran is None)

    def _run(
        self, path: Path, name: str, form: Form, release: str | None, act: Callable[[LoadedPlugin], Iterator[Done]]
    ) -> Ran[Session]:
        use = partial(self._use, path, name, form, act)
        plugins = [manifest.locate(path, form, name)]
        ran = run_on_host(self.host, release, use, _list_unsupported, plugins)
        print_note(ran)
        if ran.outcome.error is not None:
            raise ran.outcome.error
        return ran

    def _use(
        self,
        path: Path,
        name: str,
        form: Form,
        act: Callable[[LoadedPlugin], Iterator[Done]],
        kind: HostKind,
        release: str,
    ) -> Session:
        from hermes_sdk.hosts.inspection import LoadedPlugin

        variables = parse_variables(self.variables)
        done: list[Done] = []
        error = None
        with LoadedPlugin(
            path,
            host=kind,
            release=release,
            form=form,
            plugin=name,
            config=read_config(self.config) if self.config else {},
            variables=variables,
            secrets=[name for name in self.variables if name in variables],
        ) as plugin:
            try:
                _require_loaded(plugin)
                done.extend(_redact(one, plugin.redactor) for one in act(plugin))
            except HermesSdkError as raised:
                error = raised
            return Session(plugin.key, plugin.inspection["report"], done, plugin.unsupported, error)


class Session(NamedTuple):
    """Actions on a plugin that was loaded on one host.

    Attributes:
        key: Key of the plugin.
        report: Report on the plugin.
        done: The completed actions.
        unsupported: Used features that the embedded host does not model.
        error: The error that ended the session early, or None.
    """

    key: str
    report: Report
    done: Sequence[Done]
    unsupported: Sequence[str]
    error: HermesSdkError | None


class Run(NamedTuple):
    """Run of one form of a plugin, with its result or its error."""

    form: Form
    ran: Ran[Session] | None
    error: HermesSdkError | None = None


def _redact(one: Done, redactor: Redactor) -> Done:
    """Redact the name and the arguments of an action; its outcome is already redacted."""
    return one._replace(name=redactor.text(one.name), arguments=redactor.value(one.arguments))


def _list_unsupported(session: Session) -> Sequence[str]:
    return session.unsupported


def add_options(function: Callable[..., Result]) -> Callable[..., Result]:
    """Add the options for the plugin, the host and the output; the first two kinds are passed as a `Chosen`."""

    @functools.wraps(function)
    def call(**values: Any) -> Result:
        chosen = Chosen(**{name: values.pop(name) for name in Chosen._fields})
        return function(chosen=chosen, **values)

    command: Callable[..., Result] = call
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def read_config(path: Path) -> dict[str, Any]:
    """Read the file of ``--config``.

    Raises:
        UsageError: The file cannot be read, or is not a YAML mapping.
    """
    import yaml

    from hermes_sdk.manifest import load_yaml
    from hermes_sdk.manifest.document import explain_syntax

    text = ""
    try:
        text = path.read_text(encoding="utf-8-sig")
        value = load_yaml(text) or {}
    except OSError as error:
        raise UsageError(f"--config cannot be read: {error.strerror or error}", where=str(path)) from None
    except yaml.MarkedYAMLError as error:
        message, (line, column) = explain_syntax(error, text)
        raise UsageError(f"--config is not YAML: {message}", where=f"{path}:{line}:{column}") from None
    except (yaml.YAMLError, ValueError) as error:
        raise UsageError(f"--config is not YAML: {error}", where=str(path)) from None
    if not isinstance(value, dict):
        raise UsageError("--config is not a mapping.", where=str(path), fix="Use the format of Hermes' config.yaml.")
    return value


def parse_arguments(text: str) -> dict[str, Any]:
    """Parse the value of ``--args``.

    Raises:
        UsageError: The value is not a JSON object.
    """
    from hermes_sdk.documents import parse_json

    try:
        value = parse_json(text)
    except ValueError as error:
        raise UsageError(
            f"--args is not valid JSON: {error}", fix="""Quote the JSON for the shell: --args '{"n": 1}'"""
        ) from None
    if not isinstance(value, dict):
        raise UsageError(
            f"--args must be a JSON object, not {text[:60]}",
            fix="""Pass an object: --args '{"n": 1}'""",
        )
    return value


def _require_loaded(plugin: LoadedPlugin) -> None:
    report, failure = plugin.inspection["report"], plugin.inspection["failure"]
    if not plugin.has_failed:
        return
    raise HermesSdkError(
        f"plugin '{plugin.key}' does not load: {report['error'] or report['status']}",
        where=plugin.failure_place,
        fix=(failure["fix"] if failure else "") or "Run `hermes-sdk check` to see why.",
    )


def print_done(runs: Sequence[Run], *, as_json: bool) -> int:
    """Print the results, and return the exit code: 0, 1 for a failed action, or the highest exit code of the errors."""
    if as_json:
        first, *others = map(_document, runs)
        click.echo(json.dumps({**first, **({"others": others} if others else {})}, indent=2, ensure_ascii=False))
    for number, run in enumerate(() if as_json else runs):
        if number:
            click.echo()
        if run.ran:
            _print(run.ran.outcome, run.ran.release, names_form=len(runs) > 1)
        else:
            click.echo(f"As a {run.form}: {run.error}")
    has_failed = any(_has_failed(one) for run in runs if run.ran for one in run.ran.outcome.done)
    return max([int(has_failed), *(run.error.exit_code for run in runs if run.error)])


def _has_failed(one: Done) -> bool:
    value = one.outcome["value"]
    failed = isinstance(value, dict) and (value.get("status") == "error" or bool(value.get("error")))
    return failed or bool(one.outcome["swallowed"] or one.outcome["unsupported"])


def _document(run: Run) -> dict[str, Any]:
    from hermes_sdk.traces import Trace

    about_run = {"schema": "hermes-sdk.action/1", "form": run.form}
    if run.error:
        error = {"message": run.error.message, "where": run.error.where, "fix": run.error.fix}
        return {**about_run, "error": error}
    assert run.ran
    session = run.ran.outcome
    host, release = session.report["host"], session.report["release"]
    actions = []
    for one in session.done:
        events = Trace.of(one.outcome["events"], host=host, release=release, scenario="", problems=()).events
        about = {"action": one.action, "name": one.name, "arguments": one.arguments}
        actions.append({**about, **one.outcome, "events": events})
    return {
        **about_run,
        **run.ran.as_json(),
        "release": release,
        "grade": session.report["grade"],
        "plugin": session.key,
        "actions": actions,
    }


def _print(session: Session, ran_on: str, *, names_form: bool) -> None:
    from rich.text import Text

    from hermes_sdk.cli.picture import print_events
    from hermes_sdk.traces import Trace

    console = terminal.console()
    host, release = session.report["host"], session.report["release"]
    where = f"  on {host} {contract.format_release(ran_on, host)}"
    if names_form:
        where = f" as a {find_form(session.report)}{where}"
    console.print(Text.assemble((session.key, "bold"), (where, "dim")))
    for one in session.done:
        console.print(Text.assemble("\n", ("❯ ", "bold green"), (f"{one.action} {one.name}", "bold")))
        print_events(Trace.of(one.outcome["events"], host=host, release=release, scenario="", problems=()).events)
        console.print(Text.assemble(("❮ ", "bold red" if _has_failed(one) else "bold green"), _format(one)))
        for hidden in one.outcome["swallowed"]:
            console.print(
                Text.assemble(("swallowed ", "bold red"), f"{hidden['where']}\n{hidden['traceback'].rstrip()}")
            )
        for refused in one.outcome["unsupported"]:
            console.print(
                Text.assemble(("unsupported ", "bold yellow"), f"{refused['what']} {refused['fix']}".rstrip())
            )


def _format(one: Done) -> str:
    """Format the text that the user or the model receives."""
    value = one.outcome["value"]
    if one.action == "call":
        value = value["text"]
    elif one.action == "chat":
        value = value["error"] or value["reply"]
    return value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)
