"""YAML as each release of the host reads it."""

from __future__ import annotations

from typing import Any

from hermes_sdk.contract import Behaviour
from hermes_sdk.manifest.load import YamlReader, load_yaml


def read_yaml(text: str, behaviour: Behaviour, *, in_python: bool = False) -> Any:
    """Read one document; see `hermes_sdk.manifest.load.load_yaml`.

    Args:
        in_python: Whether releases that use PyYAML read it with the parser in Python.
    """
    return load_yaml(text, choose_reader(behaviour, in_python=in_python))


def choose_reader(behaviour: Behaviour, *, in_python: bool = False) -> YamlReader:
    """Return what reads a document in a release; see `read_yaml`."""
    if behaviour.yaml_read_by_ruamel:
        return "ruamel"
    return "libyaml" if behaviour.libyaml and not in_python else "pyyaml"
