"""The reference and the guide describe the options correctly."""

import importlib.util
import os
import re
from pathlib import Path
from types import ModuleType

import pytest
from nix.running import ROOT, Nix

HOW_TO = ROOT / "docs" / "how-to" / "nix.md"


@pytest.fixture
def pages() -> ModuleType:
    spec = importlib.util.spec_from_file_location("nix_options", ROOT / "docs" / "nix_options.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.usefixtures("nix")
def test_reference_is_up_to_date(pages: ModuleType) -> None:
    page = Path(pages.PAGE).read_text(encoding="utf-8")
    assert page == pages.render(), "python docs/nix_options.py writes it anew"


@pytest.mark.usefixtures("nix")
@pytest.mark.skipif("NIXPKGS_LIB" not in os.environ, reason="NIXPKGS_LIB does not name the lib of a nixpkgs")
def test_reference_is_the_same_with_nixpkgs(pages: ModuleType) -> None:
    assert pages.render() == pages.render(os.environ["NIXPKGS_LIB"])


def test_guide_names_only_existing_options(pages: ModuleType) -> None:
    there = set(re.findall(r"^### `(.+)`", Path(pages.PAGE).read_text(encoding="utf-8"), re.MULTILINE))
    last = {option.rpartition(".")[2] for option in there}
    named = set(re.findall(r"`([a-z]+[A-Z]\w+)`", HOW_TO.read_text(encoding="utf-8")))
    assert named <= last | {"buildHermesPlugin", "buildPluginSet", "mkLib"}


def examples() -> list[str]:
    return re.findall(r"^```nix\n(.*?)^```", HOW_TO.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("example", examples())
def test_examples_of_the_guide_are_valid_nix(nix: Nix, tmp_path: Path, example: str) -> None:
    (tmp_path / "example.nix").write_text(example)
    nix.run("nix-instantiate", "--parse", str(tmp_path / "example.nix"))
