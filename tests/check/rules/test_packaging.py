"""Rules about projects and their wheels."""

import pytest

from hermes_sdk.check.engine import check
from hermes_sdk.check.options import Options
from hermes_sdk.check.plugin import Plugin
from hermes_sdk.check.rules.packaging import RULES
from hermes_sdk.check.wheel import Wheel
from hermes_sdk.manifest import locate

GROUP = "hermes_agent.plugins"
MANIFEST = "name: example\nkind: standalone\nversion: '1.0.0'\ndescription: x\n"
SOURCE = "def register(ctx):\n    ctx.register_command('example', print)\n"
STATIC = Options(static=True)


def pyproject(dependencies: str = "", points: str = f'[project.entry-points."{GROUP}"]\nexample = "example"\n') -> str:
    return f'[project]\nname = "example"\nversion = "1"\ndependencies = [{dependencies}]\n{points}'


@pytest.fixture
def find(write):
    def find_problems(toml: str, **files: str) -> list[tuple[str, str, int]]:
        made = {"pyproject.toml": toml, "example/plugin.yaml": MANIFEST, "example/__init__.py": SOURCE, **files}
        return [(one.code, one.path, one.line) for one in check(write(made), STATIC).findings if one.code[:3] == "HS6"]

    return find_problems


@pytest.mark.parametrize(
    ("requirement", "expected"),
    [
        ("httpx>=0.27,<1", []),
        ("httpx ~= 0.27", []),
        ("httpx[http2]==0.27.0; python_version > '3.11'", []),
        ("httpx", ["HS604"]),
        ("httpx[http2]", ["HS604"]),
        ("httpx; python_version > '3.11'", ["HS604"]),
        ("httpx @ https://example.org/httpx.whl", ["HS604"]),
    ],
)
def test_unbounded_dependency_is_reported(find, requirement, expected):
    findings = find(pyproject(f'\n    "{requirement}",\n'))
    assert [code for code, _, _ in findings] == expected
    assert all((path, line) == ("pyproject.toml", 5) for _, path, line in findings)


@pytest.mark.parametrize(
    ("points", "expected"),
    [
        ('[project.entry-points."hermes_agent.plugins"]\nexample = "example"\n', []),
        ('[project.entry-points."hermes_agent.plugins"]\nexample = "example:register"\n', [("HS601", 6)]),
        ('[project.entry-points."hermes-agent.plugins"]\nexample = "example"\n', [("HS602", 5)]),
        ('[project.entry-points."hermes_otel.exporters"]\nexample = "example:Exporter"\n', []),
    ],
)
def test_entry_point_needs_a_module_and_a_known_group(find, points, expected):
    assert [(code, line) for code, _, line in find(pyproject(points=points))] == expected


def test_memory_provider_may_use_the_group_of_newer_releases(find):
    source = "def register(ctx):\n    ctx.register_memory_provider(None)\n"
    both = '[project.entry-points."hermes_agent.memory_providers"]\nexample = "example"\n'
    assert [code for code, _, _ in find(pyproject(), **{"example/__init__.py": source})] == ["HS603"]
    assert find(pyproject() + both, **{"example/__init__.py": source}) == []


def test_malformed_project_tables_are_ignored(find):
    assert find('[project]\nname = "example"\ndependencies = "httpx"\nentry-points = ["x"]\n') == []


@pytest.mark.parametrize(
    ("line", "dependency", "expected"),
    [
        ("import humanize", "", ["HS611"]),
        ("import humanize", '"humanize>=4,<5"', []),
        ("from PIL import Image", '"Pillow>=10"', []),
        ("import google.cloud", '"google-cloud-storage>=2"', []),
        ("import json", "", []),
        ("import httpx", "", []),
        ("from agent import memory_provider", "", []),
        ("from example import other", "", []),
        ("try:\n    import humanize\nexcept ImportError:\n    humanize = None", "", []),
        ("def f():\n    import humanize", "", ["HS611"]),
        ("def f():\n    import jsonschema", "", ["HS611"]),
        ("def f():\n    import jsonschema", '"jsonschema>=4,<5"', []),
        ("def f():\n    import jinja2", "", []),
        ("def f():\n    try:\n        import humanize\n    except ImportError:\n        return", "", []),
        (
            "import importlib.util\n\nif importlib.util.find_spec('humanize'):\n    import humanize",
            "",
            [],
        ),
        (
            "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    import humanize",
            "",
            [],
        ),
    ],
)
def test_undeclared_import_is_reported(find, line, dependency, expected):
    findings = find(pyproject(dependency), **{"example/__init__.py": f"{line}\n\n\n{SOURCE}"})
    assert [code for code, _, _ in findings] == expected


@pytest.fixture
def in_wheel(write):
    def find_problems(*names: str, sources: tuple[str, ...] | None = None, points: dict | None = None) -> list[str]:
        made = {
            "pyproject.toml": pyproject(),
            "src/example/plugin.yaml": MANIFEST,
            "src/example/__init__.py": SOURCE,
            "src/example/skills/roll/SKILL.md": "",
        }
        root = write(made)
        given = sources if sources is not None else tuple(f"src/{name}" for name in names)
        entry_points = {GROUP: {"example": "example"} if points is None else points}
        wheel = Wheel(dict.fromkeys(names, b""), "", entry_points, frozenset(given))
        plugin = Plugin(locate(root), root)
        return [one.code for rule in RULES if rule.subject == "wheel" for one in rule.findings(plugin, wheel)]

    return find_problems


WHOLE = ("example/__init__.py", "example/plugin.yaml", "example/skills/roll/SKILL.md", "example-1.dist-info/METADATA")


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (WHOLE, []),
        (WHOLE[:2], ["HS605"]),
        (WHOLE[1:], ["HS605", "HS606"]),
        ((*WHOLE, "plugins/__init__.py"), ["HS607"]),
        ((*WHOLE, "utils.py"), ["HS607"]),
        ((*WHOLE, "example/tests/test_a.py", "example/tests/test_b.py"), ["HS608"]),
        ((*WHOLE, "example/.env"), ["HS608"]),
        ((*WHOLE, "example/testing.py"), []),
    ],
)
def test_contents_of_the_wheel_are_checked(in_wheel, names, expected):
    assert in_wheel(*names) == expected


def test_source_distribution_without_files_of_the_wheel_is_reported(in_wheel):
    assert in_wheel(*WHOLE, sources=("src/example/__init__.py", "src/example/plugin.yaml")) == ["HS609"]


def test_entry_point_to_a_missing_submodule_is_reported(in_wheel):
    assert in_wheel(*WHOLE, points={"example": "example.no_such"}) == ["HS606"]
