"""Count the plugins whose report is the same on the embedded and the real host: `python -m bench.agreement R [R…]`.

The plugins are those that Hermes 0.19.0 loads by itself; `tests/hosts/test_public_plugins.py` compares published ones.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

ROOT = Path(__file__).parents[1]
os.environ.setdefault("HERMES_SDK_SOURCES", str(ROOT / "tests" / "sources.toml"))
sys.path.append(str(ROOT / "tests"))

from hosts.comparing import verdict  # noqa: E402

from hermes_sdk.errors import HermesSdkError  # noqa: E402
from hermes_sdk.hosts.environments import environment  # noqa: E402
from hermes_sdk.hosts.inspection import show  # noqa: E402

BUNDLED_WITH = "0.19.0"


def main(releases: list[str]) -> None:
    """Print how many reports are equal, unsupported and different, and each difference."""
    plugins = list(find_bundled())
    for release in releases:
        with ThreadPoolExecutor(2) as pool:
            verdicts = dict(zip(plugins, pool.map(partial(_compare, release), plugins), strict=True))
        counts = Counter(told if told in ("equal", "unsupported") else "different" for told in verdicts.values())
        print(f"{release}: " + ", ".join(f"{count} {told}" for told, count in sorted(counts.items())))
        for plugin, told in verdicts.items():
            if told not in ("equal", "unsupported"):
                print(f"  {plugin.parent.name}/{plugin.name}: {told}", flush=True)


def find_bundled() -> Iterator[Path]:
    """Yield the bundled plugins that Hermes loads."""
    root = environment(BUNDLED_WITH).site_packages / "plugins"
    for manifest in sorted(root.rglob("plugin.yaml")):
        if show(manifest.parent, release=BUNDLED_WITH)["status"] != "failed":
            yield manifest.parent


def _compare(release: str, plugin: Path) -> str:
    try:
        return verdict(show(plugin, release=release), lambda: show(plugin, host="real", release=release))
    except (HermesSdkError, AssertionError) as error:
        return f"{type(error).__name__}: {error}"


if __name__ == "__main__":
    main(sys.argv[1:])
