"""Rules about skills."""

import pytest

from hermes_sdk.check.engine import check
from hermes_sdk.check.options import Options

SKILL = "---\nname: roll\ndescription: How to roll.\n---\nRoll.\n"


REGISTERING = "def register(ctx): ctx.register_skill('roll', Path(__file__).parent / 'skills/roll/SKILL.md')\n"


@pytest.fixture
def codes(plugin):
    def find_codes(source: str = REGISTERING, skill: str = SKILL) -> list[str]:
        directory = plugin({"__init__.py": f"from pathlib import Path\n{source}", "skills/roll/SKILL.md": skill})
        return [one.code for one in check(directory, Options(static=True)).findings if one.code.startswith("HS75")]

    return find_codes


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("Path(__file__).parent / 'skills' / 'roll' / 'SKILL.md'", []),
        ("Path(__file__).resolve().parent / 'skills/roll'", ["HS752"]),
        ("HERE / 'skills' / 'roll'", ["HS752"]),
        ("HERE / name / 'SKILL.md'", []),
        ("HERE / name", []),
        ("LOOP / 'x'", []),
        ("find('roll')", []),
    ],
)
def test_skill_path_must_be_a_file(codes, path, expected):
    source = (
        f"HERE = Path(__file__).parent\nLOOP = LOOP\n\ndef register(ctx):\n    ctx.register_skill('roll', {path})\n"
    )
    assert codes(source) == expected


@pytest.mark.parametrize(
    ("skill", "expected"),
    [
        (SKILL, []),
        (SKILL.replace("\n", "\r\n"), []),
        ("Roll.\n", ["HS753"]),
        ("---\nname: roll\n---\n", ["HS753"]),
        ("---\nname: [roll\n---\n", ["HS753"]),
        ("---\n- roll\n---\n", ["HS753"]),
        ("---\nname: roll\ndescription: never ends\n", ["HS753"]),
        ("", ["HS753"]),
    ],
)
def test_skill_needs_front_matter(codes, skill, expected):
    assert codes(skill=skill) == expected
