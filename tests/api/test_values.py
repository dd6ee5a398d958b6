"""Fields of the host's objects match the contract of each release; their docstrings say since when they exist."""

import inspect
from typing import Any

import pytest
from api.descriptions import (
    NEWEST,
    RELEASES,
    attributes,
    class_since,
    describe_members,
    exists_in,
    read_promised,
    since,
)

from hermes_sdk import api, contract

DATACLASSES = [
    "FetchResult",
    "HomeChannel",
    "LoginStart",
    "MessageEvent",
    "PlatformConfig",
    "PluginLlmCompleteResult",
    "PluginLlmImageInput",
    "PluginLlmStructuredResult",
    "PluginLlmTextInput",
    "PluginLlmUsage",
    "PluginManifest",
    "SendResult",
    "Session",
    "SessionSource",
    "TokenPrincipal",
]
READ_ONLY = {"PluginLlmCompleteResult", "PluginLlmStructuredResult", "PluginLlmUsage", "PluginManifest"}
# Methods that the host uses to store an object.
STORAGE = {"from_dict", "to_dict"}


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("name", DATACLASSES)
def test_dataclass_fields_match_the_contract(name: str, release: str) -> None:
    known = contract.load(release).section("dataclasses")
    fields = list(inspect.get_annotations(getattr(api, name)))
    texts = attributes(name)

    assert (name in known) == exists_in(class_since(name), release)
    if name in known:
        ours = [one for one in fields if exists_in(since(texts[one]), release)]
        theirs = [one["name"] for one in known[name]["fields"] if not one["name"].startswith("_")]
        read = contract.load(release).base == release  # A derived contract adds fields at the end.
        assert (ours if read else sorted(ours)) == (theirs if read else sorted(theirs))
        functions = {key: fact for key, fact in describe_members(name, release).items() if fact.kind != "attribute"}
        assert functions == {k: v for k, v in read_promised(known[name]["members"]).items() if k not in STORAGE}


@pytest.mark.parametrize("release", RELEASES)
def test_recall_status_fields_match_the_contract(release: str) -> None:
    known = contract.load(release).section("dataclasses").get("RecallStatus")

    assert (known is not None) == exists_in(class_since("RecallStatus"), release)
    if known:
        assert list(inspect.get_annotations(api.RecallStatus)) == [one["name"] for one in known["fields"]]


@pytest.mark.parametrize("name", [name for name in DATACLASSES if name not in READ_ONLY])
def test_dataclass_fields_have_the_defaults_of_the_host(name: str) -> None:
    defaults = {
        one["name"]: one["default"]
        for one in NEWEST.section("dataclasses")[name]["fields"]
        if "default" in one and not one["name"].startswith("_")
    }
    ours = {key: text(value) for key, value in vars(getattr(api, name)).items() if key in defaults}

    assert ours == {**defaults, **({"timestamp": "Ellipsis"} if "timestamp" in defaults else {})}


def text(value: Any) -> str:
    return str(value) if isinstance(value, api.MessageType) else repr(value)


def test_platform_options_are_the_remaining_fields_of_a_platform_entry() -> None:
    texts = attributes("PlatformOptions")
    for release in RELEASES:
        known = contract.load(release)
        entry = {field["name"] for field in known.section("dataclasses")["PlatformEntry"]["fields"]}
        own = {p.name for p in known.context["register_platform"].parameters}
        ours = {name for name in api.PlatformOptions.__annotations__ if exists_in(since(texts[name]), release)}

        assert ours == entry - own - {"source"}


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("name", ["ErrorKind", "MessageType", "ProcessingOutcome"])
def test_enumeration_values_match_the_contract(name: str, release: str) -> None:
    known = contract.load(release).section("enums")
    ours = getattr(api, name)

    assert (name in known) == exists_in(class_since(name), release)
    if name in known:
        assert {one.name: one.value for one in ours} == known[name]["values"]


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize(
    "name",
    [
        "InvalidCodeError",
        "InvalidCredentialsError",
        "PluginLlmTrustError",
        "PluginToolOverrideError",
        "ProviderError",
        "RefreshExpiredError",
    ],
)
def test_exception_bases_match_the_contract(name: str, release: str) -> None:
    known = contract.load(release).section("exceptions")

    assert (name in known) == exists_in(class_since(name), release)
    if name in known:
        assert [base.__name__ for base in getattr(api, name).__bases__] == known[name]["bases"]
