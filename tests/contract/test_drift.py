"""Known changes between releases: values in the contract before and after each change."""

import pytest

from hermes_sdk import contract
from hermes_sdk.contract.model import member

FACTS = [
    ("0.14.0", "0.15.0", "classes/WebSearchProvider/members/crawl", "(url, **kwargs)", None),
    ("0.14.0", "0.15.0", "classes/WebSearchProvider/members/supports_crawl", "()", None),
    ("0.14.0", "0.15.0", "host_modules/tools.browser_providers.base", True, None),
    ("0.14.0", "0.15.0", "host_modules/gateway.platforms.discord", True, None),
    ("0.14.0", "0.15.0", "host_modules/gateway.platforms.mattermost", True, None),
    (
        "0.14.0",
        "0.15.0",
        "host_calls/ContextEngine.compress/0/always",
        ["current_tokens", "focus_topic"],
        ["current_tokens", "focus_topic", "force"],
    ),
    ("0.14.0", "0.15.0", "classes/ContextEngine/members/update_model/parameters/api_mode/default", None, "''"),
    ("0.18.2", "0.19.0", "host_calls/ContextEngine.compress/#", 2, 0),
    (
        "0.18.2",
        "0.19.0",
        "host_calls/ContextEngine.compress, if accepted/0/always",
        None,
        ["current_tokens", "focus_topic", "force", "memory_context"],
    ),
    (
        "0.18.2",
        "0.19.0",
        "classes/ContextEngine/members/compress",
        "(messages, current_tokens=None, focus_topic=None)",
        "(messages, current_tokens=None, focus_topic=None, force=False, memory_context='')",
    ),
    ("0.15.2", "0.16.0", "injected_hook_arguments/telemetry_schema_version", None, "hermes.observer.v1"),
    ("0.15.2", "0.16.0", "host_calls/VideoGenProvider.generate/0/sometimes/_model_override_explicit", None, True),
    ("0.16.0", "0.17.0", "host_modules/gateway.platforms.homeassistant", True, None),
    ("0.17.0", "0.18.0", "host_calls/platform adapter connect/0/always", [], ["is_reconnect"]),
    ("0.17.0", "0.18.0", "classes/BasePlatformAdapter/members/connect", "()", "(*, is_reconnect=False)"),
    ("0.17.0", "0.18.0", "host_modules/gateway.platforms.dingtalk", True, None),
    ("0.17.0", "0.18.0", "host_modules/gateway.platforms.email", True, None),
    ("0.17.0", "0.18.0", "host_modules/gateway.platforms.feishu", True, None),
    ("0.17.0", "0.18.0", "host_modules/gateway.platforms.matrix", True, None),
    ("0.17.0", "0.18.0", "host_modules/gateway.platforms.slack", True, None),
    ("0.17.0", "0.18.0", "host_modules/gateway.platforms.sms", True, None),
    ("0.17.0", "0.18.0", "host_modules/gateway.platforms.telegram", True, None),
    ("0.17.0", "0.18.0", "host_modules/gateway.platforms.wecom", True, None),
    ("0.17.0", "0.18.0", "host_modules/gateway.platforms.whatsapp", True, None),
    ("0.17.0", "0.18.0", "host_modules/plugins.cron", True, None),
    ("0.18.0", "0.18.1", "host_modules/tools.hook_output_spill", None, True),
    ("0.18.0", "0.18.1", "constants/tools.hook_output_spill/DEFAULT_MAX_CHARS", None, 10000),
    ("0.18.0", "0.18.1", "keys_read/config hooks.output_spill/#", None, 5),
    (
        "0.15.2",
        "0.16.0",
        "dataclasses/ProviderProfile/fields/supports_health_check..fallback_models",
        ["supports_health_check", "fallback_models"],
        ["supports_health_check", "supports_vision", "fallback_models"],
    ),
    (
        "0.17.0",
        "0.18.0",
        "dataclasses/SendResult/fields/retryable..continuation_message_ids",
        ["retryable", "continuation_message_ids"],
        ["retryable", "retry_after", "continuation_message_ids"],
    ),
    (
        "0.17.0",
        "0.18.0",
        "dataclasses/SessionSource/fields/is_bot..guild_id",
        ["is_bot", "guild_id"],
        ["is_bot", "scope_id", "guild_id"],
    ),
    (
        "0.17.0",
        "0.18.0",
        "dataclasses/PlatformConfig/fields/gateway_restart_notification..extra",
        ["gateway_restart_notification", "extra"],
        ["gateway_restart_notification", "typing_indicator", "extra"],
    ),
    (
        "0.17.0",
        "0.18.0",
        "dataclasses/MessageEvent/fields/reply_to_text..auto_skill",
        ["reply_to_text", "auto_skill"],
        ["reply_to_text", "reply_to_author_id", "reply_to_author_name", "reply_to_is_own_message", "auto_skill"],
    ),
    (
        "0.18.2",
        "0.19.0",
        "dataclasses/PlatformConfig/fields/typing_indicator..channel_overrides",
        ["typing_indicator", "channel_overrides"],
        ["typing_indicator", "typing_status_text", "channel_overrides"],
    ),
    ("0.15.2", "0.16.0", "classes/PluginManager/members/has_hook", None, "(hook_name)"),
    ("0.14.0", "0.15.0", "shell_hooks/default_block_message", None, "Blocked by shell hook."),
    ("0.17.0", "0.18.0", "hooks/pre_verify/always/#", None, 7),
    (
        "0.14.0",
        "0.15.0",
        "loader_contexts/plugins.context_engine/register_command",
        None,
        "(name, handler, description='', args_hint='')",
    ),
    ("0.15.1", "0.15.2", "bundled_plugins/#", 0, 69),
    ("0.17.0", "0.18.0", "dataclasses/LoadedPlugin/fields/deferred/default", None, "False"),
    ("0.15.2", "0.16.0", "requires_python", ">=3.11", "<3.14,>=3.11"),
    ("0.13.0", "0.14.0", "tools/rl_list_runs", "rl", None),
    ("0.16.0", "0.17.0", "tools/send_message", "messaging", None),
    ("0.17.0", "0.18.0", "tools/mixture_of_agents", "moa", None),
]
"""The last release before a change, the first after it, a path in the contract, and the values in both."""

UNCHANGED = (
    "entry_point_group",
    "plugin_kinds",
    "keys_read/plugin.yaml of the loader",
    "dataclasses/PluginManifest",
)

RELEASES = contract.api_releases()[: contract.api_releases().index("0.19.0") + 1]
"""The releases of these facts."""


def fact(release, path):
    """Return the value at a path in the contract, or None.

    A step of the path is a name or an index; ``a..b`` is a range of names, and ``#`` is the number of entries. The
    value of a method is its signature.
    """
    loaded = contract.load(release)
    section, *steps = path.split("/")
    found = loaded.section(section) if section in loaded.sections else None
    for step in steps:
        found = None if found is None else below(found, step)
    if isinstance(found, dict) and found.get("kind") == "method":
        return member(steps[-1], found).signature
    return found


def below(found, step):
    if step == "#":
        return len(found)
    if isinstance(found, dict):
        return found.get(step)
    if step.isdigit():
        return found[int(step)] if int(step) < len(found) else None
    names = [one["name"] if isinstance(one, dict) else one for one in found]
    if ".." in step:
        first, last = (names.index(name) for name in step.split(".."))
        return names[first : last + 1]
    if step not in names:
        return None
    one = found[names.index(step)]
    return one if isinstance(one, dict) else True


@pytest.mark.parametrize(("release", "later", "path", "before", "after"), FACTS)
def test_fact_changes_between_two_releases(release, later, path, before, after):
    assert [fact(release, path), fact(later, path)] == [before, after]
    assert before != after


@pytest.mark.parametrize("path", UNCHANGED)
def test_unchanged_facts_are_equal_in_all_releases(path):
    first, *others = (fact(release, path) for release in RELEASES)
    assert first is not None
    assert all(one == first for one in others)


def test_no_release_installs_jsonschema():
    assert not any("jsonschema" in contract.load(release).third_party_modules for release in RELEASES)
