"""A rule has the same findings for a range of releases as for each of its releases alone."""

import pytest

from hermes_sdk.check.plugin import Plugin
from hermes_sdk.check.releases import UnloadedReleases
from hermes_sdk.check.rules import RULES
from hermes_sdk.check.source_registrations import SourceReader
from hermes_sdk.check.static import check_registrations
from hermes_sdk.contract import api_releases, load
from hermes_sdk.manifest import locate_all

BY_RELEASE = [rule for rule in RULES if rule.subject in ("contract", "registration")]


@pytest.mark.parametrize("rule", BY_RELEASE, ids=[rule.code for rule in BY_RELEASE])
def test_rule_has_the_same_findings_for_a_range_and_for_each_release(rule, tmp_path):
    for name, content in rule.bad.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
    plugin = Plugin(locate_all(tmp_path)[0], tmp_path)

    def find(*releases):
        reader = SourceReader(plugin)
        judge = check_registrations if rule.subject == "registration" else check_contract
        return UnloadedReleases(reader, map(load, releases)).find(rule, judge)

    alone = {name: found for release in api_releases() for name, found in find(release).items()}
    assert find(*api_releases()) == alone


def check_contract(rule, load):
    return rule.findings(load.plugin, load.contract)


def test_rule_that_reads_the_release_runs_for_each_release(plugin):
    rule = RULES[0]._replace(
        subject="contract", since="0.13.0", check=lambda plugin, contract: report_release(contract.release)
    )
    directory = plugin({"__init__.py": ""})
    reader = SourceReader(Plugin(locate_all(directory)[0], directory))
    found = UnloadedReleases(reader, [load("0.18.0"), load("0.18.1")]).find(rule, check_contract)
    assert [one.message for outcomes in found.values() for one in outcomes] == ["0.18.0", "0.18.1"]


def report_release(text):
    from hermes_sdk.check.rule import Problem

    yield Problem(text, "x")
