"""Compares `hermes-sdk check --upstream` with the real commands: `python -m bench.upstream [--write] [RELEASE…]`.

It takes the published plugins of `tests/hosts/test_public_plugins.py` that have a manifest, each as a repository with
the plugin in a subdirectory. The real commands run as a user would run them, in a home of their own, without our
sandbox (but without network): `hermes plugins validate --json`, `hermes plugins doctor` and `hermes plugins install`.
Every verdict has to be the same. Then it counts on how many checks our rules agree with the judges.

With --write, the figures go to docs/reference/upstream.md, with the reasons in bench/upstream.toml for disagreements.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
os.environ.setdefault("HERMES_SDK_SOURCES", str(ROOT / "tests" / "sources.toml"))
sys.path.append(str(ROOT / "tests"))

from hosts.test_public_plugins import PLUGINS, declared  # noqa: E402

from hermes_sdk.documents import parse_toml, read_text  # noqa: E402
from hermes_sdk.errors import UnavailableError  # noqa: E402
from hermes_sdk.hosts.environments import environment, overlay  # noqa: E402
from hermes_sdk.manifest import load_yaml, manifest_file  # noqa: E402

RELEASES = ("0.20.2", "0.22.2")
REASONS = ROOT / "bench" / "upstream.toml"
PAGE = ROOT / "docs" / "reference" / "upstream.md"

_GIT = ("git", "-c", "user.name=Bench", "-c", "user.email=bench@example.org", "-c", "core.hooksPath=/dev/null")
_FOUND = re.compile(r"^  (CRITICAL|HIGH|MEDIUM|LOW)\s+\S+\s+(\S+)", re.MULTILINE)
_VERDICT = re.compile(r"^Scan: .*Verdict: (\w+)", re.MULTILINE)

Verdicts = dict[str, Any]
"""What the judges say about a plugin, in a form that both sides can take."""


@dataclass
class Compared:
    """One plugin on one release.

    Attributes:
        equal: How many verdicts are the same.
        different: Those that are not: the judge and check, the real one's words and ours.
        agreement: For each check that our rules decide too, whether they agree.
        passes: For each judge that ran, whether it accepts the plugin, and whether our rules do.
    """

    package: str
    equal: int = 0
    different: list[str] = field(default_factory=list)
    agreement: dict[str, bool] = field(default_factory=dict)


def main(argv: list[str]) -> int:
    """Compare on some releases, and return 1 when a verdict differs or our rules agree on too few."""
    write, releases = "--write" in argv, [one for one in argv if not one.startswith("--")] or RELEASES
    reasons = parse_toml(read_text(REASONS))
    page: list[str] = []
    failed = False
    for release in releases:
        with ThreadPoolExecutor(2) as pool:
            compared = [one for one in pool.map(partial(_compare, release), PLUGINS) if one is not None]
        lines, good = _summarise(release, compared, reasons)
        print("\n".join(lines), flush=True)
        page += [*lines, ""]
        failed |= not good
    if write:
        _write(page)
    return int(failed)


def _compare(release: str, package: str) -> Compared | None:
    try:
        (site,) = overlay(release, [package], may_install=True)
    except UnavailableError as error:
        print(f"{package} on {release}: {error.message}", file=sys.stderr)
        return None
    module = declared(site).value.partition(":")[0]
    plugin = site.joinpath(*module.split("."))
    if manifest_file(plugin) is None:
        return None
    with tempfile.TemporaryDirectory(prefix="hermes-sdk-bench-", ignore_cleanup_errors=True) as name:
        repository = _make_repository(Path(name) / "repository", plugin, package)
        document = _check(repository, release, site)
        (upstream,) = document["upstream"]
        ours, theirs = _normalise(upstream), _run_by_hand(Path(name), repository, release, site)
    print(f"{package} on {release}", file=sys.stderr, flush=True)
    done = Compared(package)
    for key in sorted({*ours, *theirs}):
        if ours.get(key) == theirs.get(key):
            done.equal += 1
        else:
            done.different.append(f"{key}: by hand {theirs.get(key)!r}, here {ours.get(key)!r}")
    for verdict in upstream["verdicts"]:
        if verdict["agrees"] is not None:
            key = f"{verdict['judge']} {verdict['check']}"
            done.agreement[key] = done.agreement.get(key, True) and verdict["agrees"]
    return done


def _make_repository(repository: Path, plugin: Path, package: str) -> Path:
    shutil.copytree(plugin, repository / "plugin", ignore=shutil.ignore_patterns("__pycache__"))
    project = f'[project]\nname = "published"\nversion = "0"\ndependencies = ["{package}"]\n'
    (repository / "pyproject.toml").write_text(project, encoding="utf-8")
    for words in (["init", "--quiet"], ["add", "--force", "."], ["commit", "--quiet", "-m", "Publish"]):
        subprocess.run([*_GIT, *words], cwd=repository, check=True)
    return repository


def _check(repository: Path, release: str, site: Path) -> Any:
    """Run our command in a Python that has the plugin's requirements, for the embedded host."""
    code = f"import sys; sys.path.append({str(site)!r}); from hermes_sdk.cli.main import run; run(sys.argv[1:])"
    command = [sys.executable, "-c", code, "check", repository, "--upstream", "--json", "--release", release]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=False).stdout)


def _normalise(upstream: Any) -> Verdicts:
    """Bring what our command prints into the form of what the real commands print."""
    found: Verdicts = {}
    scan: list[str] = []
    for one in upstream["verdicts"]:
        judge, check, level, detail = one["judge"], one["check"], one["level"], one["detail"]
        if judge == "validate":
            key = detail if level == "warning" else check
            found[f"validate {key}"] = (level, detail)
        elif judge == "doctor" and level != "pass":
            found[f"doctor {level} {detail}"] = True
        elif check == "verdict":
            found["scan verdict"] = detail.partition(" ")[0]
        elif judge == "scan":
            severity = detail.rpartition("(")[2].rstrip(")").upper()
            scan.append(f"{severity} {detail.partition(': ')[0]}")
    if found.get("scan verdict") != "safe":
        found["scan findings"] = sorted(scan)
    return found


def _run_by_hand(scratch: Path, repository: Path, release: str, site: Path) -> Verdicts:
    """Run the three real commands, and read what they print."""
    home = scratch / "home"
    home.mkdir()
    name = load_yaml(read_text(repository / "plugin" / "plugin.yaml")).get("name")
    clone = scratch / "clone"
    subprocess.run([*_GIT, "clone", "--quiet", repository, clone], check=True)
    directory = (clone / "plugin").rename(clone / str(name))
    variables = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "HERMES_HOME": str(home / ".hermes"),
        "HERMES_DISABLE_LAZY_INSTALLS": "1",
        "COLUMNS": "100000",
        "PYTHONPATH": str(site),
    }

    def run(*words: str | Path) -> str:
        python = environment(release).python
        command = ["unshare", "--map-root-user", "--net", python, "-P", "-m", "hermes_cli.main", "plugins", *words]
        done = subprocess.run(
            command, env=variables, cwd=home, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False
        )
        return done.stdout

    found: Verdicts = {}
    if validated := run("validate", directory, "--json"):
        document = json.loads(validated[validated.index("{") :])
        for check in document["checks"]:
            found[f"validate {check['name']}"] = ("pass" if check["ok"] else "error", check["detail"])
        found |= {f"validate {warning}": ("warning", warning) for warning in document["warnings"]}
    found |= dict.fromkeys(_read_doctor(run("doctor", directory)), True)
    printed = run("install", f"file://{repository}#plugin", "--no-enable")
    verdict = _VERDICT.search(printed)
    found["scan verdict"] = verdict[1].lower() if verdict else "safe"
    if verdict:
        report = printed[: printed.find("Decision:")]
        found["scan findings"] = sorted(f"{severity} {place}" for severity, place in _FOUND.findall(report))
    return found


def _read_doctor(printed: str) -> Iterator[str]:
    """Yield the findings of the doctor; one of several lines goes on without indentation of its own."""
    current = ""
    for line in printed.splitlines():
        started = re.match(r"  (ERROR|WARN|OK|manifest|registrations): ?(.*)", line)
        if started:
            if current:
                yield current
            level = {"ERROR": "error", "WARN": "warning"}.get(started[1])
            current = f"doctor {level} {started[2]}" if level else ""
        elif current:
            current += f"\n{line}"
    if current:
        yield current


def _summarise(release: str, compared: list[Compared], reasons: Any) -> tuple[list[str], bool]:
    equal = sum(one.equal for one in compared)
    different = [f"- `{one.package}`: {text}" for one in compared for text in one.different]
    checks = [(one.package, check, agrees) for one in compared for check, agrees in one.agreement.items()]
    disagreed = [(package, check) for package, check, agrees in checks if not agrees]
    share = 1 - len(disagreed) / max(len(checks), 1)
    lines = [
        f"## Hermes {release}",
        "",
        f"- Plugins: {len(compared)}",
        f"- Verdicts that are the same as by hand: {equal} of {equal + len(different)}",
        f"- Checks on which our rules agree with the judges: {len(checks) - len(disagreed)} of {len(checks)} "
        f"({share:.1%})",
        *different,
        *(f"- `{package}`, {check}: {_explain(package, check, reasons)}" for package, check in disagreed),
    ]
    return lines, not different and share >= 0.95


def _explain(package: str, check: str, reasons: Any) -> str:
    by_check = reasons.get(check, {})
    return str(by_check.get(package.partition("==")[0]) or by_check.get("every plugin") or "no reason is known")


def _write(lines: list[str]) -> None:
    PAGE.write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
