"""The settings form: values reach the plugin, and secrets are not shown again."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest
from inspector.browsing import Browser
from inspector.test_pages import open_pages

from hermes_sdk.inspector.settings import Field, Settings, parse_settings, read_fields
from hermes_sdk.manifest import locate

MANIFEST = """
name: sums
version: 1.0.0
kind: standalone
config_schema:
  limit: {type: int, default: 3, description: How many}
  unit: {type: str, enum: [metre, foot]}
  loud: {type: bool}
requires_env:
- {name: SUMS_KEY, description: The key, url: "https://keys.example", secret: true}
- {name: SUMS_PLACE, secret: false}
"""

BODY = """
import json
import os

SCHEMA = {"name": "told", "description": "Tells.", "parameters": {"type": "object", "properties": {}}}


def register(ctx):
    settings = {name: ctx.get_config(name, None) for name in ("limit", "unit", "loud")}
    variables = {name: os.environ.get(name) for name in ("SUMS_KEY", "SUMS_PLACE")}
    ctx.register_tool("told", "sums", SCHEMA, lambda args, **more: json.dumps({**settings, **variables}))
"""
CALL = {"kind": "call", "name": "told"}
SECRET = "s3cr3t-of-the-author"


@pytest.fixture
def client(plugin: Path) -> Generator[Browser]:
    (plugin / "plugin.yaml").write_text(MANIFEST)
    (plugin / "__init__.py").write_text(BODY)
    with open_pages(plugin) as client:
        yield client


def test_form_contains_the_declared_settings(client: Browser) -> None:
    page = client.get("/settings").text
    assert "Saved." not in page
    for name in ("settings.limit", "settings.unit", "settings.loud", "variables.SUMS_KEY", "variables.SUMS_PLACE"):
        assert f'name="{name}"' in page
    assert "How many · int; default: 3" in page
    assert "<option>metre</option><option>foot</option>" in page
    assert "The key https://keys.example" in page
    assert page.count('type="password"') == 1


def test_saved_settings_reach_the_reloaded_plugin(client: Browser) -> None:
    form = {"settings.limit": "7", "settings.unit": "foot", "settings.loud": "true", "variables.SUMS_PLACE": "here"}
    saved = client.post("/settings", data=form)
    assert (saved.status_code, saved.headers["hx-refresh"]) == (200, "true")
    told = client.post("/act", data=CALL).text
    for part in ("&#34;limit&#34;: 7", "&#34;unit&#34;: &#34;foot&#34;", "&#34;loud&#34;: true", "&#34;here&#34;"):
        assert part in told
    assert 'data-version="2"' in client.get("/").text
    page = client.get("/settings").text
    assert 'value="7"' in page
    assert "Saved. The plugin is loaded with these settings." in page


def test_secret_reaches_the_plugin_and_is_not_shown(client: Browser) -> None:
    client.post("/settings", data={"variables.SUMS_KEY": SECRET})
    answers = [client.get("/settings").text, client.get("/").text, client.post("/act", data=CALL).text]
    assert not any(SECRET in one for one in answers)
    assert "&#34;SUMS_KEY&#34;: &#34;&lt;redacted&gt;&#34;" in answers[2]
    assert "set (leave empty to keep it)" in answers[0]
    client.post("/settings", data={"settings.limit": "1"})
    assert "&#34;SUMS_KEY&#34;: &#34;&lt;redacted&gt;&#34;" in client.post("/act", data=CALL).text
    client.post("/settings", data={"forget.variables.SUMS_KEY": "on"})
    assert "&#34;SUMS_KEY&#34;: null" in client.post("/act", data=CALL).text


def test_secret_in_a_load_error_is_not_shown(plugin: Path) -> None:
    (plugin / "plugin.yaml").write_text(MANIFEST)
    (plugin / "__init__.py").write_text("import os\nraise ValueError(os.environ.get('SUMS_KEY'))\n")
    with open_pages(plugin) as client:
        client.post("/settings", data={"variables.SUMS_KEY": SECRET})
        page = client.get("/").text
    assert "SUMS_KEY" in page
    assert SECRET not in page


def test_value_of_the_wrong_type_is_rejected(client: Browser) -> None:
    told = client.post("/settings", data={"settings.limit": "many"}).text
    assert "limit must be of type integer, not &#39;many&#39;." in told
    assert 'data-version="1"' in client.get("/").text


@pytest.mark.parametrize(
    ("manifest", "keys"),
    [
        ("name: [\n", []),
        ("- a\n", []),
        ("config_schema: [a]\nrequires_env: KEY\n", []),
        ("requires_env: [KEY, 1, {name: 2}, {name: HERMES_HOME}, {name: 'a=b'}]\n", ["variables.KEY"]),
        ("name: my-notes\nconfig_schema: {token: {type: secret}, x: 1}\n", ["variables.MY_NOTES_TOKEN"]),
    ],
)
def test_malformed_manifest_shows_its_readable_fields(manifest: str, keys: list[str], plugin: Path) -> None:
    located = locate(plugin)
    (plugin / "plugin.yaml").write_text(manifest)
    assert [one.key for one in read_fields(located)] == keys


def test_variables_are_secret_by_default() -> None:
    secret = Field("variables", "KEY", "", secret=True)
    kept = parse_settings([secret], {}, Settings(variables={"KEY": "a"}))
    assert (kept.variables, kept.secrets) == ({"KEY": "a"}, {"KEY"})
    assert "a" not in repr(kept).replace("Settings(values={}, secrets=frozenset({'KEY'}))", "")
