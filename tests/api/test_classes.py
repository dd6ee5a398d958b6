"""Classes that plugins call or inherit from have the members of each release's contract, according to their marks."""

import inspect

import pytest
from api.descriptions import (
    NEWEST,
    RELEASES,
    Fact,
    class_since,
    describe_members,
    exists_in,
    member_facts,
    read_promised,
)

from hermes_sdk import api, contract

PROVIDERS = [
    "BrowserProvider",
    "ContextEngine",
    "DashboardAuthProvider",
    "ImageGenProvider",
    "MemoryProvider",
    "SecretSource",
    "TTSProvider",
    "TranscriptionProvider",
    "VideoGenProvider",
    "WebSearchProvider",
]

# Members that only the gateway uses; authors neither call nor override them.
WIRING = {
    "cancel_background_tasks",
    "cancel_session_processing",
    "emit_media_warning",
    "emit_warning",
    "extract_images",
    "extract_local_files",
    "extract_media",
    "filter_local_delivery_paths",
    "filter_media_delivery_paths",
    "get_pending_message",
    "has_pending_interrupt",
    "interrupt_session_activity",
    "pause_typing_for_chat",
    "pop_post_delivery_callback",
    "register_post_delivery_callback",
    "render_message_event",
    "resume_typing_for_chat",
    "rewire_plugin_handlers",
    "send_exec_approval",
    "send_final_ledgered",
    "serves_profile_prefix",
    "set_authorization_check",
    "set_busy_session_handler",
    "set_fatal_error_handler",
    "set_message_handler",
    "set_owner_profile",
    "set_platform_event_handler",
    "set_reaction_handler",
    "set_session_store",
    "set_topic_recovery_fn",
    "strip_media_directives_for_display",
    "supports_exec_approval_buttons",
    "validate_media_delivery_path",
    "warning_notifications_enabled",
    "warning_text",
}
# Members of a memory plugin's context that only the host calls.
COLLECTING = {"collect", "collect_in_host"}
# Attributes set by an adapter's constructor.
INSTANCE = {"config", "platform"}


@pytest.mark.parametrize("release", RELEASES)
def test_context_members_match_the_contract(release: str) -> None:
    ours, known = describe_members("PluginContext", release), member_facts(dict(contract.load(release).context))

    assert {name: readable(fact) for name, fact in ours.items()} == {name: readable(one) for name, one in known.items()}


def readable(fact: Fact) -> Fact:
    """Treat properties as attributes: plugins do not see the difference, and releases change it."""
    return Fact("attribute") if fact.kind == "property" else fact


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("name", ["ContextReferenceProvider", "PluginState"])
def test_classes_of_newer_releases_match_the_contract(name: str, release: str) -> None:
    classes = contract.load(release).section("classes")

    assert (name in classes) == exists_in(class_since(name), release)
    if name in classes:
        assert describe_members(name, release) == read_promised(classes[name]["members"])


@pytest.mark.parametrize("release", RELEASES)
def test_registration_members_match_the_contract(release: str) -> None:
    known = contract.load(release).section("dataclasses").get("PluginRegistration")

    assert (known is not None) == exists_in(class_since("PluginRegistration"), release)
    if known:
        fields = {one["name"] for one in known["fields"] if not one["name"].startswith("_")} - {"release"}
        assert describe_members("PluginRegistration", release).keys() == fields | read_promised(known["members"]).keys()


@pytest.mark.parametrize("release", RELEASES)
def test_memory_plugin_context_matches_the_contract(release: str) -> None:
    known = read_promised(contract.load(release).section("loader_contexts")["plugins.memory"])
    ours = describe_members("MemoryPluginContext", release)
    passed_on = set(contract.load(release).context) if exists_in("0.20.1", release) else set()

    assert known.keys() - COLLECTING <= ours.keys() <= known.keys() | passed_on
    assert {name: ours[name] for name in known.keys() - COLLECTING - passed_on} == {
        name: known[name] for name in known.keys() - COLLECTING - passed_on
    }


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("name", ["PluginLlm", *PROVIDERS])
def test_class_members_match_the_contract(name: str, release: str) -> None:
    classes = contract.load(release).section("classes")

    assert (name in classes) == exists_in(class_since(name), release)
    if name in classes:
        assert describe_members(name, release) == read_promised(classes[name]["members"])


@pytest.mark.parametrize("release", RELEASES)
def test_adapter_members_match_the_contract(release: str) -> None:
    known = read_promised(contract.load(release).section("classes")["BasePlatformAdapter"]["members"])
    ours = describe_members("BasePlatformAdapter", release)

    assert ours.keys() ^ known.keys() == (WIRING & known.keys()) | INSTANCE
    assert {name: fact for name, fact in ours.items() if name in known} == {
        name: known[name] for name in ours if name in known
    }


def test_omitted_adapter_members_exist_in_the_contract() -> None:
    assert NEWEST.section("classes")["BasePlatformAdapter"]["members"].keys() >= WIRING


@pytest.mark.parametrize("name", [*PROVIDERS, "BasePlatformAdapter"])
def test_abstract_members_match_the_contract(name: str) -> None:
    abstract = {
        key
        for key, value in inspect.getmembers_static(getattr(api, name))
        if getattr(value, "__isabstractmethod__", False)
    }

    assert abstract == set(NEWEST.section("classes")[name]["abstract"])


@pytest.mark.parametrize("name", [*PROVIDERS, "BasePlatformAdapter"])
def test_class_attributes_have_the_default_of_the_host(name: str) -> None:
    members = NEWEST.section("classes")[name]["members"]
    cls = getattr(api, name)
    ours = {
        key: repr(getattr(cls, key))
        for key, fact in members.items()
        if fact["kind"] == "attribute" and hasattr(cls, key)
    }

    assert ours == {key: members[key]["default"] for key in ours}
