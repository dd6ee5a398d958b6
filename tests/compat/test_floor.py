"""The true range, and how it gets into the manifest."""

from __future__ import annotations

from pathlib import Path

import pytest
from compat.matrices import made

from hermes_sdk.compat.floor import true_range, write_floor
from hermes_sdk.errors import HermesSdkError, UsageError
from hermes_sdk.manifest import locate

OLD = {"real:0.15.0": "fails", "real:0.16.0": "lacks", "real:0.17.0": "passes", "real:0.18.0": "passes"}


@pytest.mark.parametrize(
    ("verdicts", "requires", "expected"),
    [
        (OLD, None, ">=0.17.0"),
        (OLD, "0.13", ">=0.17.0"),
        (OLD, ">=0.13, <0.20, !=0.18.1", ">=0.17.0, <0.20, !=0.18.1"),
        ({**OLD, "0.19.0": "fails"}, ">=0.13", ">=0.17.0, <0.19.0"),
        ({**OLD, "0.19.0": "fails"}, ">=0.13, <0.19", ">=0.17.0, <0.19"),
        ({**OLD, "0.19.0": "unknown"}, None, ">=0.17.0"),
        ({"0.19.0": "fails"}, None, None),
    ],
)
def test_the_true_range(verdicts, requires, expected):
    assert true_range(made(verdicts, requires)) == expected


@pytest.mark.parametrize(
    ("real", "not_run", "expected"),
    [
        ((), ("0.17.0", "0.18.2"), ">=0.19.0"),
        (("0.18.2",), ("0.17.0",), ">=0.18.2"),
        (("0.17.0",), ("0.18.2",), ">=0.19.0"),
        (("0.17.0", "0.18.2"), (), ">=0.17.0"),
    ],
)
def test_only_real_hosts_show_that_a_plugin_works_before_the_first_modelled_release(real, not_run, expected):
    verdicts = {**{f"real:{release}": "passes" for release in real}, "0.19.0": "passes", "0.22.2": "passes"}
    assert true_range(made(verdicts, ">=0.13", not_run=dict.fromkeys(not_run, ()))) == expected


def test_a_real_host_that_cannot_be_had_lowers_no_minimum_version():
    verdicts = {"real:0.17.0": "passes", "real:0.18.2": "unknown", "0.19.0": "passes"}
    assert true_range(made(verdicts)) == ">=0.19.0"


@pytest.mark.parametrize(
    ("missing", "reason"),
    [((), "0.18.2 was not run: add --real all"), (("hook pre_verify",), "0.18.2 lacks hook pre_verify")],
)
def test_the_reason_says_what_is_known_of_a_release_that_was_not_run(missing, reason, tmp_path):
    plugin(tmp_path, MANIFEST)
    done = write_floor(locate(tmp_path), made({"0.19.0": "passes"}, ">=0.13", not_run={"0.18.2": missing}))
    assert (done.after, done.reason) == (">=0.19.0", reason)


MANIFEST = """\
# What this is.
name: mine   # the name
kind: standalone

requires_hermes: ">=0.13"  # guessed
provides_tools:
  # the first
  - a
"""


def plugin(folder: Path, manifest: str) -> Path:
    (folder / "plugin.yaml").write_text(manifest)
    (folder / "__init__.py").write_text("def register(ctx): ...\n")
    return folder / "plugin.yaml"


def test_it_is_written_and_all_else_stays(tmp_path):
    file = plugin(tmp_path, MANIFEST)
    done = write_floor(locate(tmp_path), made(OLD, ">=0.13"))
    assert file.read_text() == MANIFEST.replace('">=0.13"', "'>=0.17.0'")
    assert (done.before, done.after, done.reason) == (">=0.13", ">=0.17.0", "0.16.0 lacks hook pre_verify")


def test_it_is_added_where_it_was_not(tmp_path):
    file = plugin(tmp_path, "name: mine # so\n")
    assert write_floor(locate(tmp_path), made(OLD)).before is None
    assert file.read_text() == "name: mine # so\nrequires_hermes: '>=0.17.0'\n"


def test_what_is_true_is_left_as_it_is(tmp_path):
    file = plugin(tmp_path, "requires_hermes: '>=0.17.0'\nname: mine\n")
    before = file.stat()
    write_floor(locate(tmp_path), made(OLD, ">=0.17.0"))
    assert file.stat() == before


def test_a_plugin_that_passes_nowhere_is_left_as_it_is(tmp_path):
    file = plugin(tmp_path, MANIFEST)
    with pytest.raises(HermesSdkError, match="does not pass on any release") as caught:
        write_floor(locate(tmp_path), made({"0.19.0": "fails"}))
    assert caught.value.exit_code == 1
    assert file.read_text() == MANIFEST


@pytest.mark.parametrize("manifest", ["{name: mine\n", "- a list\n", "name: &a mine\nrequires_hermes: *a\n"])
def test_a_manifest_that_cannot_be_changed_at_one_place_is_left_as_it_is(manifest, tmp_path):
    file = plugin(tmp_path, manifest)
    with pytest.raises(UsageError) as caught:
        write_floor(locate(tmp_path), made(OLD))
    assert (caught.value.where, file.read_text()) == (str(file), manifest)


def test_a_plugin_without_a_manifest_has_no_place_for_it(tmp_path):
    file = tmp_path / "tool.py"
    file.write_text("from tools.registry import registry\nregistry.register(name='a')\n")
    with pytest.raises(UsageError, match=r"no plugin\.yaml"):
        write_floor(locate(file), made(OLD))
