"""The docstrings of `ctx`, which editors show, and HS214 agree on the members of each release."""

import re

from api.descriptions import RELEASES, describe_members

from hermes_sdk.check.engine import check
from hermes_sdk.check.options import Options
from hermes_sdk.check.rule import example


def test_members_reported_as_missing_match_the_docstrings(plugin):
    members = sorted(describe_members("PluginContext", RELEASES[-1]))
    reads = "".join(f"    ctx.{name}\n" for name in members)

    result = check(plugin(example(f"def register(ctx):\n{reads}")), Options(static=True, target=f">={RELEASES[0]}"))

    lacking = {
        re.match(r"ctx\.(\w+) does not exist", finding.message)[1]: list(finding.releases)
        for finding in result.findings
        if finding.code == "HS214"
    }
    # The check accepts the members of any loader, because it does not know which one loads the plugin.
    unmarked = {
        release: {*describe_members("PluginContext", release), *describe_members("MemoryPluginContext", release)}
        for release in RELEASES
    }
    absent = {name: [release for release in RELEASES if name not in unmarked[release]] for name in members}
    assert lacking == {name: releases for name, releases in absent.items() if releases}
    assert "register_middleware" in lacking
