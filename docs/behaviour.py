"""Write `hermes_sdk/contract/behaviour.py`: `Behaviour`, with an attribute for each flag of `behaviour.toml`."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping

from writing import ROOT, publish

from hermes_sdk.contract.loader import behaviour_flags

PAGE = ROOT / "hermes_sdk" / "contract" / "behaviour.py"

_HEAD = '''\
"""What a release does where releases differ. `python docs` writes this file from `behaviour.toml`.

One file because it is one class with an attribute for each flag.
"""

from __future__ import annotations

from collections.abc import Mapping


class Behaviour:
    """What a release does; each attribute is a flag of `behaviour.toml`.

    Not a dataclass, whose decorator takes longer than everything else that loads a contract.

    Args:
        flags: A value for each attribute.
    """

    def __init__(self, flags: Mapping[str, bool]) -> None:
        vars(self).update(flags)

'''

_SPANS = '''

SPANS: Mapping[str, tuple[str, str | None]] = {{
{}}}
"""The first release with each flag, and the first one without it again; read at every start, when TOML takes long."""
'''


def page() -> str:
    """The module."""
    flags = sorted(behaviour_flags(), key=lambda flag: flag["name"])
    spans = "".join(f"    {flag['name']!r}: ({flag['since']!r}, {flag.get('until')!r}),\n" for flag in flags)
    return _HEAD + "".join(map(_attribute, flags)) + _SPANS.format(spans.replace("'", '"'))


def _attribute(flag: Mapping[str, str]) -> str:
    escaped = flag["meaning"].replace("\\", "\\\\")
    first, *rest = textwrap.wrap(f'"""{escaped}"""', 116, break_long_words=False, break_on_hyphens=False)
    return f"    {flag['name']}: bool\n" + "".join(f"    {line}\n" for line in (first, *rest))


if __name__ == "__main__":
    publish(PAGE, page())
