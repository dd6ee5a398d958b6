"""A machine with an installed Hermes in its default configuration, whose model is a server on loopback."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from hermes_sdk import contract
from hermes_sdk.errors import UnavailableError
from hermes_sdk.home import Home
from hermes_sdk.hosts.environments import environment
from hermes_sdk.llm import Answer, ScriptedModel, call
from hermes_sdk.llm.server import Server

SDK = Path(sys.executable).with_name("hermes-sdk")
_KEPT = ("HERMES_SDK_CACHE", "HERMES_SDK_SOURCES", "PATH")
_LAUNCHER = """#!{python}
import sys
from hermes_cli.main import main
sys.exit(main())
"""


class Machine:
    """A home with one plugin, the program `hermes` and a scripted model."""

    def __init__(self, path: Path, release: str, name: str, code: str, config: str = "", manifest: str = "") -> None:
        try:
            python = environment(release).python
        except UnavailableError as error:
            pytest.skip(str(error))
        self.release = release
        self.path, self.home, self.user = path, path / "hermes", path / "user"
        self.plugin = self.home / "plugins" / name
        self.plugin.mkdir(parents=True)
        (self.plugin / "plugin.yaml").write_text(f"name: {name}\n{manifest}")
        (self.plugin / "__init__.py").write_text(code)
        (self.home / "config.yaml").write_text(f"plugins: {{enabled: [{name}]}}\n{config}")
        self.program = path / "hermes-program"
        self.program.write_text(_LAUNCHER.format(python=python))
        self.program.chmod(0o755)
        for folder in (self.user, path / "work", path / ".git"):
            folder.mkdir()
        self.model = ScriptedModel()
        self.server = Server(self.model)
        model = {"default": "nova-mini", "provider": "custom", "base_url": self.server.base_url, "api_key": "nova-key"}
        Home(self.home).update_config({"model": model})

    @property
    def variables(self) -> Mapping[str, str]:
        """The variables of a program on it."""
        kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
        own = {"HERMES_HOME": str(self.home), "HOME": str(self.user), "HERMES_DISABLE_LAZY_INSTALLS": "1"}
        return {**kept, **own}

    def call(self, tool: str, **arguments: object) -> Answer:
        """Return a call of a plugin's tool, which newer releases hide behind tool search."""
        is_hidden = contract.load(self.release).behaviour.searches_listed
        return call("tool_call", name=tool, arguments=arguments) if is_hidden else call(tool, **arguments)

    def run(self, *argv: object) -> "subprocess.CompletedProcess[str]":
        """Run a program on it."""
        command = [*map(str, argv)]
        return subprocess.run(
            command, env=self.variables, cwd=self.path / "work", capture_output=True, text=True, check=False
        )
