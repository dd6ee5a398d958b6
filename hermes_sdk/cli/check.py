"""``hermes-sdk check``: the validator."""

from __future__ import annotations

import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from hermes_sdk.cache import cache_dir
from hermes_sdk.check.baseline import write_baseline
from hermes_sdk.check.engine import check
from hermes_sdk.check.fixes import fix as fix_all
from hermes_sdk.check.fixes import plan_fixes
from hermes_sdk.check.model import Result
from hermes_sdk.check.options import Options
from hermes_sdk.cli.built_wheels import build_wheel
from hermes_sdk.cli.code_runs import HERMES_CHECKS, PACKAGES, PLUGIN, REAL_HOST, SHELL_HOOK, WHEEL, Command
from hermes_sdk.cli.form_options import FormChoice, add_form_options, choose_form
from hermes_sdk.cli.host_options import CHOICES, HOST_HELP, choose_release
from hermes_sdk.cli.options import make_json_option, make_release_option
from hermes_sdk.errors import UsageError
from hermes_sdk.manifest import MissingModuleError
from hermes_sdk.system import require_posix
from hermes_sdk.terminal import format_count

FORMATS = ("text", "json", "sarif", "github", "junit")


@click.command("check", cls=Command, runs=[PLUGIN, REAL_HOST, WHEEL, SHELL_HOOK, HERMES_CHECKS, PACKAGES])
@click.argument("path", type=click.Path(path_type=Path), default=Path())
@click.option(
    "--format", "output", type=click.Choice(FORMATS), default="text", show_default=True, help="Output format."
)
@make_json_option()
@add_form_options
@make_release_option(default="default: the newest proven one that the manifest admits")
@click.option("--target", metavar="RANGE", help="Check against all releases in a range, such as '>=0.16'.")
@click.option("--host", type=click.Choice(CHOICES), help=HOST_HELP)
@click.option("--static", is_flag=True, help="Do not run the plugin's code; report only what the source proves.")
@click.option("--online", is_flag=True, help="Allow rules to use the network.")
@click.option(
    "--profile",
    type=click.Choice(["default", "catalog"]),
    default="default",
    help="`catalog` also applies the catalog's admission rules.",
)
@click.option("--select", multiple=True, metavar="CODE", help="Run only this rule. Repeatable.")
@click.option("--strict", is_flag=True, help="Also fail on warnings and on rules that could not run.")
@click.option("--fix", is_flag=True, help="Apply safe fixes.")
@click.option("--unsafe-fixes", is_flag=True, help="With --fix or --diff, also apply unsafe fixes.")
@click.option("--diff", is_flag=True, help="Print the changes of --fix without writing them.")
@click.option("--baseline", type=click.Path(path_type=Path), help="Baseline file of known findings.")
@click.option("--update-baseline", is_flag=True, help="Write all current findings to the baseline.")
@click.option(
    "--require-isolation",
    type=click.Choice(["full"]),
    help="Do not run the plugin's code unless every isolation layer is available.",
)
@click.option(
    "--upstream",
    is_flag=True,
    help="Also run `hermes plugins validate`, `hermes plugins doctor` and the install scanner of the installed Hermes.",
)
@click.option("--quality", is_flag=True, help="Report the tier of the quality scale that the project reaches.")
@click.option(
    "--badge", type=click.Path(path_type=Path, dir_okay=False), help="With --quality, write a badge: SVG or JSON."
)
@click.option("-v", "--verbose", is_flag=True, help="Print the isolation layers that were used.")
def command(
    path: Path,
    output: str,
    form: FormChoice,
    as_json: bool,
    fix: bool,
    unsafe_fixes: bool,
    diff: bool,
    update_baseline: bool,
    upstream: bool,
    quality: bool,
    badge: Path | None,
    verbose: bool,
    **options: Any,
) -> None:
    """Find problems that break the plugin at PATH, and explain how to fix them.

    PATH is a plugin, a project with plugins, a directory of plugins, a core-tool file, a gateway event hook or a shell
    hook. A plugin is loaded in each of its forms. Exit code: 1 when there are errors.

    With --quality, the command evaluates the rules of the quality scale instead and verifies the claims in
    quality.yaml. Exit code: 1 when a claim is false.
    """
    if unsafe_fixes and not (fix or diff):
        raise UsageError("--unsafe-fixes has no effect on its own.", fix="Add --fix or --diff.")
    if upstream and (options["static"] or update_baseline):
        raise UsageError(
            "--upstream cannot be used with --static or --update-baseline.", fix="Drop --static or --update-baseline."
        )
    if options["select"] and (update_baseline or quality):
        raise UsageError("--update-baseline and --quality need all rules.", fix="Drop --select.")
    if badge and not quality:
        raise UsageError("--badge has no effect on its own.", fix="Add --quality.")
    if not options["static"]:
        require_posix("`hermes-sdk check` without `--static`")
    if options["release"]:
        options["release"] = choose_release(options["host"] or "auto", options["release"])
    wanted = Options(cache=cache_dir() / "check", use_baseline=not update_baseline, form=choose_form(form), **options)
    if fix and not diff:
        result, count = fix_all(path, wanted, unsafe=unsafe_fixes)
        click.echo(f"Fixed {format_count(count, 'finding')}.", err=True)
    elif diff:
        plan = plan_fixes(path, wanted, unsafe=unsafe_fixes)
        click.echo(plan.changes.diff(), nl=False)
        sys.exit(0 if plan.before.passes() else 1)
    else:
        try:
            result = check(path, wanted)
        except MissingModuleError as missing:
            if wanted.static or update_baseline:
                raise
            full = wanted.require_isolation == "full"
            path = build_wheel(missing, online=wanted.online, full_isolation=full)
            result = check(path, wanted)
    if upstream:
        result = _ask_upstream(path, wanted, result)
    if quality:
        sys.exit(_print_quality(path, result, badge, as_json=as_json or output == "json"))
    if update_baseline:
        click.echo(f"Wrote {format_count(len(result.findings), 'finding')} to {write_baseline(result)}.")
        return
    output = "json" if as_json else output
    details = {"verbose": verbose} if output == "text" else {}
    import_module(f"hermes_sdk.check.report.{output}").write(result, sys.stdout, **details)
    sys.exit(0 if result.passes() else 1)


def _ask_upstream(path: Path, options: Options, result: Result) -> Result:
    """Add the results of Hermes' own checks for each plugin."""
    from hermes_sdk.check.plugin import Plugin
    from hermes_sdk.check.upstream import add_verdicts, choose_release, judge
    from hermes_sdk.manifest import find_plugins
    from hermes_sdk.operate.tree import ship

    for found in find_plugins(path, options.form, options.plugin):
        located = found.forms[0]
        if located.core_tool or located.event_hook or located.shell_hook:
            raise UsageError(
                "Hermes' own checks apply only to plugins.", where=str(located.path), fix="Drop --upstream."
            )
        plugin = Plugin(located, result.base)
        release = choose_release(options.release, plugin.fields.get("requires_hermes"))
        full = options.require_isolation == "full"
        with ship(located) as shipped:
            said = judge(plugin, shipped, release, install=options.online, full_isolation=full)
        result = add_verdicts(result, plugin, said)
    return result


def _print_quality(path: Path, result: Result, badge: Path | None, *, as_json: bool) -> int:
    """Print the quality of the project, and return the exit code: 1 for a false claim."""
    from hermes_sdk.check.quality import report
    from hermes_sdk.check.quality.judge import judge

    found = judge(path, result)
    if badge:
        report.write_badge(found, badge)
    if as_json:
        click.echo(json.dumps(report.as_json(found), indent=2, ensure_ascii=False))
    else:
        report.print_text(found, sys.stdout)
    return int(bool(found.contradictions))
