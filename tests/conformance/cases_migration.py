"""Cases of section B: what the migration of an old home enables.

Only the real host has ``hermes config migrate``. The embedded host models the rule, which these cases compare with the
output of the command.
"""

import json

import yaml
from conformance.case import case, plugin

from hermes_sdk import contract
from hermes_sdk.home.grandfathering import list_grandfathered

INSTALLED = {
    "b": plugin(name="alpha"),
    "a": plugin(version="1"),
    "cat/nested": plugin(name="nested"),
    "broken": plugin(manifest="name: [\n"),
    "off": plugin(manifest="name: off\n"),
    "yml": {"plugin.yml": "name: other\n", "__init__.py": ""},
    "no-plugin": {"__init__.py": ""},
}


def _migrate(host):
    """Return the list that a migration writes, or None without one."""
    file = host.home / "config.yaml"
    if host.kind == "real":
        before = _read_enabled(file)
        host.cli("config", "migrate")
        return None if _read_enabled(file) == before else _read_enabled(file)
    config = yaml.safe_load(file.read_text()) if file.exists() else None
    return list_grandfathered(config, host.home / "plugins", contract.load(host.release).behaviour)


def _read_enabled(file):
    config = yaml.safe_load(file.read_text()) if file.exists() else {}
    section = config.get("plugins")
    return section.get("enabled") if isinstance(section, dict) else None


def _home(**config):
    return {"_config_version": 20, **config}


@case("B12", plugins=INSTALLED, config=_home())
def a_home_before_schema_21_gets_an_enabled_list(host):
    return _migrate(host)


@case("B12", plugins=INSTALLED, config=_home(_config_version=21), also=("N94",))
def a_home_of_schema_21_is_not_migrated(host):
    return _migrate(host)


@case("B12", plugins=INSTALLED)
def a_home_without_configuration_is_not_migrated(host):
    return _migrate(host)


@case("B12", plugins=INSTALLED, config={"timezone": ""})
def a_configuration_without_a_version_counts_as_old(host):
    return _migrate(host)


@case("B12", plugins=INSTALLED, config=_home(_config_version="20"))
def a_configuration_version_can_be_a_string(host):
    return _migrate(host)


@case("B12", plugins=INSTALLED, config=_home(_config_version="21"))
def a_new_configuration_version_can_be_a_string(host):
    return _migrate(host)


@case("B12", plugins=INSTALLED, config=_home(_config_version=[20]))
def an_invalid_configuration_version_counts_as_old(host):
    return _migrate(host)


@case("N93", plugins=INSTALLED, config=_home(_config_version=11))
def a_configuration_that_is_too_old_is_not_migrated(host):
    return _migrate(host)


@case("N93", plugins=INSTALLED, config=_home(_config_version=12))
def the_oldest_supported_configuration_is_migrated(host):
    return _migrate(host)


@case("B12", plugins=INSTALLED, config=_home())
def starting_the_host_does_not_migrate(host):
    host.rescan()
    return yaml.safe_load((host.home / "config.yaml").read_text())


@case("B13", plugins=INSTALLED, config=_home(plugins={"enabled": None}))
def a_null_blocks_the_migration(host):
    return _migrate(host)


@case("B13", plugins=INSTALLED, config=_home(plugins={"enabled": []}))
def an_empty_list_blocks_the_migration(host):
    return _migrate(host)


@case("B13", plugins=INSTALLED, config=_home(plugins={"disabled": ["alpha", "broken"]}))
def disabled_plugins_are_not_enabled_by_a_migration(host):
    return _migrate(host)


@case("B13", plugins=INSTALLED, config=_home(plugins={"disabled": "alpha"}))
def a_string_disables_nothing_in_a_migration(host):
    return _migrate(host)


@case("B13", plugins=INSTALLED, config=_home(plugins={"disabled": [{"q": 1}]}))
def an_unhashable_item_ends_the_migration(host):
    return _migrate(host)


@case("B13", plugins=INSTALLED, config=_home(plugins=["alpha"]))
def a_migration_replaces_a_plugins_section_that_is_not_a_mapping(host):
    return _migrate(host)


@case("B13", config=_home())
def without_plugins_the_list_is_empty(host):
    return _migrate(host)


@case("B14", plugins={**INSTALLED, "list": plugin(manifest="- a\n")}, config=_home())
def a_manifest_that_is_not_a_mapping_breaks_the_migration(host):
    return _migrate(host)


@case("B14", plugins={**INSTALLED, "odd": plugin(manifest="name: {a: b}\n")}, config=_home())
def a_mapping_as_a_name_breaks_the_migration(host):
    return _migrate(host)


READABLE = {name: files for name, files in INSTALLED.items() if name != "broken"}


@case("N93", plugins=READABLE, config=_home())
def homes_that_are_too_old_are_not_migrated(host):
    found = {}
    for version in (-1, 0, 11, 12, 20, 21, "11", "12", "abc", None, True, 11.9, [20]):
        (host.home / "config.yaml").write_text(json.dumps(_home(_config_version=version)), encoding="utf-8")
        found[json.dumps(version)] = _migrate(host)
    (host.home / "config.yaml").write_text(json.dumps({"timezone": ""}), encoding="utf-8")
    return found, _migrate(host)
