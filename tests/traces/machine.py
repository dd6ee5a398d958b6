"""A machine with an installed Hermes in its default configuration and a local model server."""

import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from traces.model_server import NAME, ModelServer

from hermes_sdk import contract
from hermes_sdk.errors import UnavailableError
from hermes_sdk.home import Home
from hermes_sdk.hosts.environments import environment
from hermes_sdk.llm import Answer, ScriptedModel, call

SDK = Path(sys.executable).with_name("hermes-sdk")
_KEPT = ("HERMES_SDK_CACHE", "HERMES_SDK_SOURCES", "PATH")
_CRASHES = (-signal.SIGSEGV, 128 + signal.SIGSEGV)
_ANSWERED = "telemetry: {shared_metrics: {enabled: false, send: false, offer_version: 2}}\n"
"""The answer to the prompt of Hermes 0.22.2 in its first terminal session."""

_LAUNCHER = """#!{python}
import sys
from hermes_cli.main import main
sys.exit(main())
"""


class Machine:
    """A home with plugins, a working directory, the program `hermes` and a scripted model.

    Args:
        plugins: The source of each plugin by its name; they are in the working directory, and linked in the home.
    """

    def __init__(
        self, path: Path, release: str, plugins: Mapping[str, str], config: str = "", manifest: str = ""
    ) -> None:
        try:
            python = environment(release).python
        except UnavailableError as error:
            pytest.skip(str(error))
        self.release = release
        self.path, self.home, self.user, self.work = path, path / "hermes", path / "user", path / "work"
        for folder in (self.user, self.work / ".git", self.home / "plugins"):
            folder.mkdir(parents=True)
        for name, code in plugins.items():
            self.add_plugin(name, code, manifest)
        (self.home / "config.yaml").write_text(f"plugins: {{enabled: [{', '.join(plugins)}]}}\n{_ANSWERED}{config}")
        self.program = path / "hermes-program"
        self.program.write_text(_LAUNCHER.format(python=python))
        self.program.chmod(0o755)
        self.model = ScriptedModel()
        self.server = ModelServer(self.model)
        model = {"default": NAME, "provider": "custom", "base_url": self.server.base_url, "api_key": "nova-key"}
        Home(self.home).update_config({"model": model})

    def add_plugin(self, name: str, code: str, manifest: str = "") -> None:
        """Add a plugin to the working directory, and a link to the home."""
        plugin = self.work / name
        plugin.mkdir()
        (plugin / "plugin.yaml").write_text(f"name: {name}\n{manifest}")
        (plugin / "__init__.py").write_text(code)
        (self.home / "plugins" / name).symlink_to(plugin)

    @property
    def searches_tools(self) -> bool:
        """Return whether the release defers tools of plugins to tool search."""
        return contract.load(self.release).behaviour.searches_listed

    @property
    def variables(self) -> Mapping[str, str]:
        """Return the environment variables for a program that runs on this machine."""
        kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
        own = {"HERMES_HOME": str(self.home), "HOME": str(self.user), "HERMES_DISABLE_LAZY_INSTALLS": "1"}
        return {**kept, **own}

    def call(self, tool: str, **arguments: object) -> Answer:
        """Return a call of a plugin's tool, through tool search in newer releases."""
        return call("tool_call", name=tool, arguments=arguments) if self.searches_tools else call(tool, **arguments)

    def run(self, *argv: object) -> "subprocess.CompletedProcess[str]":
        """Run a program on this machine, and return 0 for a Hermes that crashed at its exit.

        About one `chat -q` in a hundred ends with SIGSEGV on a busy machine, when Python finalizes while threads of
        Hermes run. By then, it has printed its answer. The same happens without a recorder.
        """
        command = [*map(str, argv)]
        done = subprocess.run(command, env=self.variables, cwd=self.work, capture_output=True, text=True, check=False)
        if done.returncode in _CRASHES:
            done.returncode = 0
        return done
