"""The command `hermes-sdk submit`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hermes_sdk.cli.code_runs import GIT, HERMES_CHECKS, PACKAGES, PLUGIN, REAL_HOST, SHELL_HOOK, TESTS, WHEEL, Command
from hermes_sdk.cli.options import make_json_option, make_plain_release_option
from hermes_sdk.files import write_files

if TYPE_CHECKING:
    from hermes_sdk.submit import Submission

_SCHEMA = "hermes-sdk.submit/1"
_MARKS = {"passed": ("✓", "green"), "failed": ("✗", "red"), "not run": ("-", "yellow")}


@click.command("submit", cls=Command, runs=[PLUGIN, REAL_HOST, WHEEL, SHELL_HOOK, HERMES_CHECKS, TESTS, PACKAGES, GIT])
@click.argument("path", type=click.Path(path_type=Path), default=Path())
@make_plain_release_option(default="default: the newest installed one")
@click.option("--online", is_flag=True, help="Resolve the dependencies with the package index.")
@click.option(
    "--fix",
    is_flag=True,
    help="Only prepare the plugin's files for submission; commit the changes, then run `submit` again.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Write the entry and the text of the pull request to DIR.",
)
@make_json_option()
def command(path: Path, release: str | None, online: bool, fix: bool, output: Path | None, as_json: bool) -> int:
    """Prepare the entry of the plugin at PATH in the Hermes plugin catalog.

    The command uses the plugin's directory at the current commit of its Git repository. It runs `check`, the validator,
    doctor and scanner of an installed Hermes, and `compat`, resolves the dependencies without releases of the last 14
    days, and prints the entry and the text of the pull request. It does not push. Steps that did not run are listed,
    and do not count as passed. Exit code: 1 when a step failed.

    The plugin is loaded in an isolated process. Its tests run with the rights of your user, as in `pytest`.

    --fix completes the manifest. If the plugin is the root of its repository, it copies what users need to the
    directory plugin/. It does not move files, so tests, imports and installations of the root keep working.

    \b
    Examples:
      hermes-sdk submit
      hermes-sdk submit --online --output build/submission
      hermes-sdk submit --fix
    """
    from hermes_sdk.cli.host_options import choose_release
    from hermes_sdk.submit import prepare, submit

    release = release and choose_release("real", release)
    if fix:
        changes = prepare(path, release=release)
        document = {"schema": _SCHEMA, "changes": changes}
        click.echo(json.dumps(document, indent=2) if as_json else "\n".join(changes) or "Nothing to prepare.")
        return 0
    made = submit(path, release=release, online=online)
    if output is not None:
        write_files(_make_files(made, output))
    click.echo(json.dumps(_make_document(made), indent=2, ensure_ascii=False) if as_json else _describe(made, output))
    return int(made.failed)


def _make_files(made: Submission, folder: Path) -> dict[Path, bytes]:
    from hermes_sdk.submit.pull_request import write_pull_request

    return {
        folder / "plugin-catalog" / f"{made.entry['name']}.yaml": made.text.encode(),
        folder / "pull-request.md": write_pull_request(made).encode(),
    }


def _make_document(made: Submission) -> dict[str, Any]:
    from hermes_sdk.submit.pull_request import write_pull_request

    policy = made.policy
    return {
        "schema": _SCHEMA,
        "path": made.path,
        "source": made.source,
        "differing": list(made.differing),
        "policy": {
            "release": policy.release,
            "host": policy.host,
            "day": policy.day.isoformat(),
            "newest": policy.newest.isoformat(),
        },
        "ready": made.is_ready,
        "steps": [{**step._asdict(), "problems": list(step.problems)} for step in made.steps],
        "uses": made.uses._asdict(),
        "entry": made.entry,
        "entry_text": made.text,
        "pull_request": write_pull_request(made),
        "questions": [one.question for one in made.questions],
    }


def _describe(made: Submission, output: Path | None) -> str:
    from hermes_sdk.submit.pull_request import write_pull_request

    policy = made.policy
    lines = [
        f"{made.entry['name']}: {made.source}",
        f"Policy: Hermes {policy.release} ({policy.host}), {policy.day.isoformat()}; dependencies released until "
        f"{policy.newest.isoformat()}.",
    ]
    if made.differing:
        lines.append(f"Not in the commit, and not checked: {', '.join(made.differing)}.")
    for step in made.steps:
        mark, colour = _MARKS[step.state]
        state = f"{step.state}: " if step.state != "passed" else ""
        lines.append(f"  {click.style(mark, fg=colour)} {step.name}: {state}{step.detail}")
        lines += [f"      {problem}" for problem in step.problems]
    lines += [f"  ? {one.question}" for one in made.questions]
    if output is None:
        lines += ["", made.text, write_pull_request(made)]
    else:
        lines.append(f"Wrote {', '.join(str(file) for file in _make_files(made, output))}.")
    return "\n".join(lines)
