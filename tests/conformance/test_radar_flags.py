"""What the radar says of the flags: where a release behaves differently, imitated functions changed."""

import ast
from collections import defaultdict
from functools import cache
from itertools import pairwise
from pathlib import Path

import hermes_sdk
from hermes_sdk import contract
from hermes_sdk.contract import parse_release
from hermes_sdk.contract.behaviour import FLAGS
from hermes_sdk.contract.imitated import find_suspects, read_imitated

PACKAGE = Path(hermes_sdk.__file__).parent
AFTER = "0.20.2"
"""The measured flags came with a later release than this one."""
SHARE = 0.85


@cache
def list_readers() -> dict[str, set[str]]:
    """The modules that read each flag and imitate a function, as `imitated.toml` names them."""
    found = defaultdict(set)
    for name in {module for modules in read_imitated().values() for module in modules}:
        path = name.removeprefix("hermes_sdk.") if name.startswith("hermes_sdk.") else f"hosts.embedded.{name}"
        file = PACKAGE.joinpath(*path.split("."))
        text = (file / "__init__.py" if file.is_dir() else file.with_suffix(".py")).read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Attribute) and node.attr in FLAGS:
                found[node.attr].add(name)
    return found


def test_the_radar_sees_most_flags_that_came_between_adjacent_releases() -> None:
    seen, missed = [], []
    releases = [one for one in contract.api_releases() if contract.load(one).base == one]
    for before, after in pairwise(releases):
        if parse_release(after) <= parse_release(AFTER):
            continue
        old, new = (contract.load(one).section("fingerprints") for one in (before, after))
        in_doubt = {module for one in find_suspects(old, new) for module in one.modules}
        for name, flag in FLAGS.items():
            if after in (flag.since, flag.until):
                (seen if list_readers()[name] & in_doubt else missed).append(f"{after} {name}")
    share = len(seen) / len(seen + missed)
    print(f"the radar sees {share:.1%} of {len(seen + missed)} flags; not: {', '.join(missed)}")
    assert share >= SHARE, missed
