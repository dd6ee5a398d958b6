"""YAML as each release of the host reads it: the values are the same, the errors are worded differently."""

from __future__ import annotations

import re
from typing import Any

from hermes_sdk.contract import Behaviour
from hermes_sdk.manifest.load import load_yaml, yaml_error


def read_yaml(text: str, behaviour: Behaviour) -> Any:
    """Read one document.

    Raises:
        yaml.YAMLError: It is none, in the words of the release but for `word_error`.
    """
    if not behaviour.libyaml:
        return load_yaml(text, pure=True)
    try:
        return load_yaml(text)
    except yaml_error():
        if not behaviour.yaml_errors_numbered:
            raise
    return load_yaml(text, pure=True)


def word_error(error: Exception, behaviour: Behaviour) -> str:
    """Return what the host says of an error; some releases add its number to each line of the file that they show."""
    if not behaviour.yaml_errors_numbered:
        return str(error)
    return re.sub(r"(line (\d+), column \d+:\n.*\n *\^)", r"\1 (line: \2)", str(error))
