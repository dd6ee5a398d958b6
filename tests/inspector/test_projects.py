"""Projects of every template, examples and published plugins, in the inspector."""

from __future__ import annotations

from pathlib import Path

import pytest
from examples.irc_plugin import plain_irc
from hosts.test_public_plugins import install_package
from inspector.test_pages import open_pages
from templates.baking import KINDS, bake

from hermes_sdk import contract
from hermes_sdk.errors import UsageError
from hermes_sdk.inspector.pages import PANES

EXAMPLES = Path(__file__).parents[1] / "examples"
# `workspace` has several plugins, and `shell-hook` has none.
OTHERS = {"workspace", "shell-hook"}


def assert_every_pane_works(plugin: Path) -> None:
    with open_pages(plugin) as client:
        for pane in PANES:
            answer = client.get("/" if pane == "overview" else f"/{pane}")
            assert answer.status_code == 200
            assert 'id="problem"' not in answer.text, answer.text
        turn = client.post("/act", data={"kind": "chat", "name": "hello"}).text
        assert "Timeline" in turn
        assert 'class="error"' not in turn, turn


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in OTHERS])
def test_project_of_template_loads(kind: str, tmp_path: Path) -> None:
    assert_every_pane_works(bake(kind, tmp_path, "notes", {}))


def test_each_plugin_of_a_workspace_loads(tmp_path: Path) -> None:
    project = bake("workspace", tmp_path, "notes", {})
    with pytest.raises(UsageError, match="contains more than one plugin"), open_pages(project):
        pass
    for plugin in (project / "plugins").iterdir():
        assert_every_pane_works(plugin)


def test_project_of_shell_hooks_is_rejected(tmp_path: Path) -> None:
    project = bake("shell-hook", tmp_path, "notes", {})
    with pytest.raises(UsageError, match="contains shell hooks but no plugin"), open_pages(project):
        pass


@pytest.mark.parametrize("name", sorted(path.parent.name for path in EXAMPLES.glob("*/plugin.yaml")))
def test_example_loads(name: str) -> None:
    assert_every_pane_works(EXAMPLES / name)


def test_irc_platform_loads() -> None:
    assert_every_pane_works(plain_irc())


@pytest.mark.slow
@pytest.mark.real_host
@pytest.mark.parametrize(
    ("package", "folder"),
    [
        ("serpapi-hermes-plugin==1.1.1", "serpapi_hermes_plugin"),
        ("hermes-yandex-mail==0.4.2", "hermes_yandex_mail"),
        ("tabstack-hermes==0.0.1", "tabstack_hermes"),
    ],
)
def test_published_plugin_loads(package: str, folder: str) -> None:
    assert_every_pane_works(install_package(contract.DEFAULT, package) / folder)
