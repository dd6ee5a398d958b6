"""The classes that a plugin calls or inherits from have in each release the members that the marks say."""

import inspect

import pytest
from api.described import NEWEST, RELEASES, Fact, class_since, described, member_facts, promised, there

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

# What the gateway wires an adapter up and drives it with; an author neither calls nor replaces it.
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
# What the host calls on the context of a memory plugin; the plugin does not.
COLLECTING = {"collect", "collect_in_host"}
# What an adapter's constructor sets.
INSTANCE = {"config", "platform"}


@pytest.mark.parametrize("release", RELEASES)
def test_the_context(release: str) -> None:
    ours, known = described("PluginContext", release), member_facts(dict(contract.load(release).context))

    assert {name: readable(fact) for name, fact in ours.items()} == {name: readable(one) for name, one in known.items()}


def readable(fact: Fact) -> Fact:
    """A property is an attribute to plugins; which of them the host makes of it changes."""
    return Fact("attribute") if fact.kind == "property" else fact


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("name", ["ContextReferenceProvider", "PluginState"])
def test_what_came_with_newer_releases(name: str, release: str) -> None:
    classes = contract.load(release).section("classes")

    assert (name in classes) == there(class_since(name), release)
    if name in classes:
        assert described(name, release) == promised(classes[name]["members"])


@pytest.mark.parametrize("release", RELEASES)
def test_a_registration(release: str) -> None:
    known = contract.load(release).section("dataclasses").get("PluginRegistration")

    assert (known is not None) == there(class_since("PluginRegistration"), release)
    if known:
        fields = {one["name"] for one in known["fields"] if not one["name"].startswith("_")} - {"release"}
        assert described("PluginRegistration", release).keys() == fields | promised(known["members"]).keys()


@pytest.mark.parametrize("release", RELEASES)
def test_the_context_of_a_memory_plugin(release: str) -> None:
    known = promised(contract.load(release).section("loader_contexts")["plugins.memory"])
    ours = described("MemoryPluginContext", release)
    passed_on = set(contract.load(release).context) if there("0.20.1", release) else set()

    assert known.keys() - COLLECTING <= ours.keys() <= known.keys() | passed_on
    assert {name: ours[name] for name in known.keys() - COLLECTING - passed_on} == {
        name: known[name] for name in known.keys() - COLLECTING - passed_on
    }


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("name", ["PluginLlm", *PROVIDERS])
def test_a_class(name: str, release: str) -> None:
    classes = contract.load(release).section("classes")

    assert (name in classes) == there(class_since(name), release)
    if name in classes:
        assert described(name, release) == promised(classes[name]["members"])


@pytest.mark.parametrize("release", RELEASES)
def test_the_adapter(release: str) -> None:
    known = promised(contract.load(release).section("classes")["BasePlatformAdapter"]["members"])
    ours = described("BasePlatformAdapter", release)

    assert ours.keys() ^ known.keys() == (WIRING & known.keys()) | INSTANCE
    assert {name: fact for name, fact in ours.items() if name in known} == {
        name: known[name] for name in ours if name in known
    }


def test_nothing_is_left_out_that_is_not_there() -> None:
    assert NEWEST.section("classes")["BasePlatformAdapter"]["members"].keys() >= WIRING


@pytest.mark.parametrize("name", [*PROVIDERS, "BasePlatformAdapter"])
def test_what_a_subclass_must_define(name: str) -> None:
    abstract = {
        key
        for key, value in inspect.getmembers_static(getattr(api, name))
        if getattr(value, "__isabstractmethod__", False)
    }

    assert abstract == set(NEWEST.section("classes")[name]["abstract"])


@pytest.mark.parametrize("name", [*PROVIDERS, "BasePlatformAdapter"])
def test_an_attribute_has_the_value_of_the_host(name: str) -> None:
    members = NEWEST.section("classes")[name]["members"]
    cls = getattr(api, name)
    ours = {
        key: repr(getattr(cls, key))
        for key, fact in members.items()
        if fact["kind"] == "attribute" and hasattr(cls, key)
    }

    assert ours == {key: members[key]["default"] for key in ours}
