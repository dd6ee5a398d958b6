"""Evaluation of the modules and the library, with a stand-in for the lib of nixpkgs and, if available, the real one."""

import json
import os
from pathlib import Path

import pytest
from nix.running import PLUGINS, ROOT, Nix, expression, load

NIXPKGS_LIB = os.environ.get("NIXPKGS_LIB", "")
LIBS = [
    pytest.param(Nix.lib, id="stand-in"),
    pytest.param(
        f"(import {NIXPKGS_LIB})",
        id="nixpkgs",
        marks=pytest.mark.skipif(not NIXPKGS_LIB, reason="NIXPKGS_LIB does not name the lib of a nixpkgs"),
    ),
]


@pytest.mark.parametrize("lib", LIBS)
def test_modules_have_the_expected_values(nix: Nix, lib: str) -> None:
    assert nix.evaluate(f"{load('tests/nix/eval.nix')} {{ lib = {lib}; pkgs = {nix.pkgs}; }}") == []


@pytest.mark.parametrize("lib", LIBS)
def test_stand_in_for_nixpkgs_has_the_same_results(nix: Nix, lib: str) -> None:
    recorded = json.loads((ROOT / "tests" / "nix" / "agree.json").read_text(encoding="utf-8"))
    assert nix.evaluate(f"{load('tests/nix/agree.nix')} {{ lib = {lib}; }}") == recorded


def test_conflicting_modules_are_rejected_with_advice(nix: Nix) -> None:
    stubs = f"({load('nix/testing/stubs.nix')} {{ lib = {nix.lib}; }})"
    code = (
        f"({nix.lib}.evalModules {{ modules = [ {load('nix/hermes-agent.nix')} {stubs}.upstream {stubs}.nixos"
        f" {{ _module.args.pkgs = {nix.pkgs}; services.hermes-agent.enable = true; }} ]; }}).config.systemd.services"
    )
    done = nix.evaluate(code, check=False)
    assert "services.hermes-agent.enable" in done.stderr
    assert "beside that, import nixosModules.default of hermes-sdk" in done.stderr


def test_missing_source_is_reported_with_option_and_plugin(nix: Nix) -> None:
    options = f"({load('nix/options.nix')} {{ lib = {nix.lib}; sdk.toPlugin = src: src; }})"
    code = (
        f"({nix.lib}.evalModules {{ modules = [ {{ options.hermes = {options}; config.hermes.plugins.notes.src ="
        " /nowhere/notes; } ]; }).config.hermes.plugins.notes.package"
    )
    done = nix.evaluate(code, check=False)
    assert "the option `plugins.notes.src` names /nowhere/notes, which does not exist" in done.stderr


@pytest.mark.parametrize(
    ("manifest", "name"),
    [
        ("name: plain\n", "plain"),
        ("# first\nname:   spaced out  # why\n", "spaced out"),
        ('name: "double"\n', "double"),
        ("name: 'single' # why\n", "single"),
        ("version: 1\r\nname: windows\r\n", "windows"),
        ("nested:\n  name: inner\nname: outer\n", "outer"),
        ("name: !tag x\n", None),
        ("name:\n", None),
        ("title: x\n", None),
    ],
)
def test_manifest_name_is_read_during_evaluation(nix: Nix, tmp_path: Path, manifest: str, name: str | None) -> None:
    (tmp_path / "plugin.yml").write_text(manifest, newline="")
    code = f"(({load('nix/core.nix')}).readManifest (/. + {expression(tmp_path)})).name"
    assert nix.evaluate(code) == name


def test_nix_files_are_valid(nix: Nix) -> None:
    files = [*ROOT.glob("nix/**/*.nix"), *PLUGINS.parent.glob("*.nix"), ROOT / "flake.nix"]
    assert len(files) > 10
    nix.run("nix-instantiate", "--parse", *map(str, files))
