"""Bundled plugins of Hermes Agent, loaded like plugins of authors on the embedded and on the real host."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest
from hosts.comparing import verdict

from hermes_sdk.hosts.environments import environment
from hermes_sdk.hosts.inspection import show

RELEASE = "0.19.0"

# Plugins per category that the embedded host does not support. Only lower these numbers.
UNSUPPORTED = {
    "browser": 3,
    "cron_providers": 0,
    "dashboard_auth": 2,
    "image_gen": 1,
    "memory": 2,
    "model-providers": 0,
    "observability": 0,
    "platforms": 7,
    "video_gen": 2,
    "web": 8,
    "without a category": 3,
}

RELEASES = ("0.19.0", "0.20.2", "0.22.2")


@pytest.fixture
def bundled_plugins(real_python) -> dict[str, list[Path]]:
    """Return the directories of the release's plugins by category."""
    real_python(RELEASE)
    root = environment(RELEASE).site_packages / "plugins"
    found: dict[str, list[Path]] = {}
    for manifest in sorted(root.rglob("plugin.yaml")):
        folder, *within = manifest.parent.relative_to(root).parts
        found.setdefault(folder if within else "without a category", []).append(manifest.parent)
    return found


def compare_reports(release: str, plugin: Path) -> str:
    return verdict(show(plugin, release=release), lambda: show(plugin, host="real", release=release))


@pytest.mark.real_host
def test_all_categories_are_tested(bundled_plugins) -> None:
    assert bundled_plugins.keys() == UNSUPPORTED.keys()
    assert sum(map(len, bundled_plugins.values())) == 93


@pytest.mark.real_host
@pytest.mark.parametrize("category", UNSUPPORTED)
def test_hosts_agree_on_one_plugin_of_each_category(category: str, bundled_plugins) -> None:
    # Other plugins need packages that Hermes installs when a user selects the plugin.
    complete = [
        one for one in bundled_plugins[category] if "pip_dependencies" not in (one / "plugin.yaml").read_text("utf-8")
    ]
    assert compare_reports(RELEASE, complete[-1]) in ("equal", "unsupported")


@pytest.mark.slow
@pytest.mark.real_host
@pytest.mark.parametrize("release", RELEASES)
def test_hosts_agree_on_memory_provider_with_name_of_bundled_one(release: str, tmp_path: Path, real_python) -> None:
    real_python(release)
    plugin = tmp_path / "byterover"
    plugin.mkdir()
    (plugin / "plugin.yaml").write_text("name: byterover\n", encoding="utf-8")
    (plugin / "__init__.py").write_text("# MemoryProvider\nimport nonsense\n", encoding="utf-8")
    assert show(plugin, host="real", release=release)["memory_provider"] == "byterover"
    assert compare_reports(release, plugin) == "equal"


@pytest.mark.slow
@pytest.mark.real_host
@pytest.mark.parametrize("category", UNSUPPORTED)
@pytest.mark.parametrize("release", RELEASES)
def test_hosts_agree_on_all_plugins_of_category(
    release: str, category: str, bundled_plugins, real_python, tally
) -> None:
    real_python(release)
    with ThreadPoolExecutor(2) as pool:
        verdicts = dict(
            zip(
                bundled_plugins[category],
                pool.map(partial(compare_reports, release), bundled_plugins[category]),
                strict=True,
            )
        )
    counts = Counter(verdicts.values())
    tally(f"plugins of {RELEASE} on {release}", counts)
    differing = {path.name: told for path, told in verdicts.items() if told not in ("equal", "unsupported")}
    assert differing == {}
    assert counts["unsupported"] <= UNSUPPORTED[category]
