"""Mutations of the Nix code, each of which a test must detect."""

import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from nix.running import ROOT


class Breakage(NamedTuple):
    """A change that breaks the code, and the test that must fail."""

    title: str
    file: str
    right: str
    wrong: str
    test: str


LINK, SETTINGS, BUILDER = "nix/tools/link.py", "nix/tools/settings.py", "nix/tools/builder.py"
WHOLE = "test_link.py -k the_old_or_new_set"
STAYS = "test_link.py -k created_by_the_user"

BREAKAGES = [
    Breakage(
        "old links stay", LINK, "        *_dropped_links(home, places, entries),\n", "", "test_link.py -k unlinking"
    ),
    Breakage(
        "links of the user go", LINK, "if target is not None and place not in places", "if place not in places", STAYS
    ),
    Breakage(
        "ours recognised by name",
        LINK,
        'if f"/{STATE}/current/links/" in f"/{target}"',
        'if "nix-" in entry.name',
        STAYS,
    ),
    Breakage(
        "conflicts overrun",
        LINK,
        'and on_conflict == "fail":',
        'and on_conflict == "never":',
        "test_linking.py -k conflicting",
    ),
    Breakage(
        "one name twice is no conflict",
        LINK,
        "in places and not Path(entry).parts[1:]:",
        'in places and "a" == "b":',
        "test_link.py -k hidden",
    ),
    Breakage(
        "the switch takes two steps",
        LINK,
        '        Step(f"rename it to',
        '        Step("", partial(home.current.unlink, missing_ok=True)),\n        Step(f"rename it to',
        WHOLE,
    ),
    Breakage(
        "old links go first",
        LINK,
        "        *_directories(home",
        "        *_dropped_links(home, places, entries),\n        *_directories(home",
        WHOLE,
    ),
    Breakage(
        "new names come last",
        LINK,
        "        *before,\n        *_switched(home, wanted),\n",
        "        *_switched(home, wanted),\n        *before,\n",
        WHOLE,
    ),
    Breakage(
        "links are absolute",
        LINK,
        "os.path.relpath(os.path.realpath(home.state), os.path.realpath(home.plugins / group))",
        "str(home.state)",
        "test_link.py -k can_be_moved",
    ),
    Breakage("no lock", LINK, "with lock_home(home.path, _report_waiting):", "if True:", "test_link.py -k interrupted"),
    Breakage("root goes anywhere", LINK, "os.geteuid() == 0", "os.geteuid() == -1", "test_link.py -k root_rejects"),
    Breakage(
        "names of the user go",
        SETTINGS,
        "if name in names or name not in others",
        "if name in names",
        "test_settings.py",
    ),
    Breakage("added is recorded late", SETTINGS, "**_enabled(recorded)", "**_enabled(others)", "test_settings.py"),
    Breakage("values of the user go", SETTINGS, "if _has(current, path, value)]", "]", "test_settings.py"),
    Breakage("no check", BUILDER, ".returncode:\n", '.returncode == "never":\n', "test_builds.py -k check_error"),
    Breakage(
        "any name will do",
        BUILDER,
        "if name not in (None, found.name)",
        "if not name",
        "test_builds.py -k invalid_plugin",
    ),
    Breakage(
        "links may lead away",
        BUILDER,
        "(path.exists() and path.resolve().is_relative_to(root))",
        "path.exists()",
        "test_builds.py -k out_of",
    ),
    Breakage(
        "tests are not cut",
        BUILDER,
        "ignore=shutil.ignore_patterns(*excluded)",
        "ignore=None",
        "test_builds.py -k excludes",
    ),
    Breakage(
        "model providers at the top",
        "nix/core.nix",
        '"model-providers/" + prefix providers',
        "prefix providers",
        "test_evaluation.py",
    ),
    Breakage(
        "memory providers renamed",
        "nix/core.nix",
        "exclusive = prefix providers",
        "exclusive = prefix managed",
        "test_evaluation.py",
    ),
    Breakage(
        "upstream deletes ours", "nix/common.nix", "managed = upstream == null", "managed = true", "test_evaluation.py"
    ),
    Breakage("one name twice", "nix/common.nix", "core.duplicates names", "[ ]", "test_evaluation.py"),
    Breakage("a list is lost", "nix/common.nix", "(refuse lost (", "(refuse [ ] (", "test_evaluation.py"),
    Breakage(
        "mixed versions of Python", "nix/common.nix", "(refuse pythonVersions (", "(refuse [ ] (", "test_evaluation.py"
    ),
    Breakage(
        "no restart",
        "nix/nixos.nix",
        '            wants = [ "hermes-plugins.service" ];\n            restartTriggers = [ cfg.pluginSet ];\n',
        '            wants = [ "hermes-plugins.service" ];\n',
        "test_evaluation.py",
    ),
    Breakage("runs as root", "nix/nixos.nix", "              User = cfg.user;\n", "", "test_evaluation.py"),
    Breakage(
        "paths without quotes",
        "nix/nixos.nix",
        "(core.systemdWord (dirOf cfg.hermesHome))",
        "(dirOf cfg.hermesHome)",
        "test_units.py",
    ),
    Breakage(
        "quoted where it may not be",
        "nix/hermes-agent.nix",
        "map core.systemdPath",
        "map core.systemdWord",
        "test_units.py",
    ),
    Breakage("a managed home lacks directories", "nix/hermes-agent.nix", '        "cron"\n', "", "test_evaluation.py"),
]


@pytest.mark.slow
@pytest.mark.usefixtures("nix")
@pytest.mark.parametrize("breakage", BREAKAGES, ids=lambda breakage: breakage.title)
def test_breakage_is_detected(breakage: Breakage, tmp_path: Path) -> None:
    for name in ("nix", "hermes_sdk", "tests/nix", "docs"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "flake.nix", "tests/conftest.py"):
        shutil.copy(ROOT / name, tmp_path / name)
    broken = tmp_path / breakage.file
    text = broken.read_text()
    assert text.count(breakage.right) == 1
    broken.write_text(text.replace(breakage.right, breakage.wrong))
    test, *selected = breakage.test.split()
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-x",
        "-p",
        "no:cacheprovider",
        "-m",
        "not slow",
        f"tests/nix/{test}",
    ]
    done = subprocess.run([*command, *selected], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stdout
    assert "\nFAILED " in done.stdout
