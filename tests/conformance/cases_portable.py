"""Cases of portable plugins: a ``plugin.json``, and skills (N16, N17)."""

import json

from conformance.case import case, plugin

RELEASES = ("0.19.0", "0.20.2", "0.22.2")
SCHEMA = "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json"
NAMESPACE = "agent-plugin-p-148de9c5"


def portable(*skills, **fields):
    """The files of a portable plugin with these skills, each of them valid."""
    texts = {f"skills/{name}/SKILL.md": f"---\nname: {name}\ndescription: About {name}\n---\n{TEXT}" for name in skills}
    return {"plugin.json": json.dumps({"$schema": SCHEMA, "name": "p", **fields}), **texts}


TEXT = "In ${HERMES_SKILL_DIR} and ${PLUGIN_ROOT}.\n"
RAISING = {"__init__.py": "raise ValueError('imported')\n"}


@case(
    "N16",
    plugins={
        "p": {**portable("howto", version="1", description="d", author={"name": "Ada", "url": "u"}), **RAISING},
        "q": portable(name="q", more=1, extensions=5),
        "group/r": portable(name="r"),
        "both": {**portable(name="other"), **plugin(name="both")},
    },
    enable=["p", "q", "group/r", "both"],
    releases=RELEASES,
)
def a_portable_plugin(host):
    return host.skills


@case("N16", plugins={"p": portable()}, enable=[], releases=RELEASES)
def a_portable_plugin_must_be_enabled(host): ...


@case(
    "N16",
    plugins={
        "schema": {"plugin.json": "{}"},
        "json": {"plugin.json": "{"},
        "list": {"plugin.json": "[]"},
        "name": portable(name="A b"),
        "text": portable(version=1),
        "keywords": portable(keywords=[1]),
        "author": portable(author="Ada"),
        "field": portable(author={"nick": "a"}),
        "extensions": portable(extensions={"a": 1}),
    },
    enable=["p"],
    releases=RELEASES,
)
def a_manifest_that_is_no_portable_plugin(host): ...


@case("N17", plugins={"p": portable("howto", "what")}, enable=["p"], releases=["0.19.0", "0.20.2"])
def a_skill_of_a_portable_plugin(host):
    return [host.skill(f"{NAMESPACE}:{name}") for name in ("howto", "nothing")]


BAD = {
    "empty": "",
    "open": "---\nname: open\n",
    "text": "---\ntext\n---\n",
    "name": "---\nname: other\ndescription: d\n---\n",
    "described": "---\nname: described\n---\n",
    "license": "---\nname: license\ndescription: d\nlicense: 5\n---\n",
    "compatibility": "---\nname: compatibility\ndescription: d\ncompatibility: ''\n---\n",
    "metadata": "---\nname: metadata\ndescription: d\nmetadata: {a: 1}\n---\n",
    "tools": "---\nname: tools\ndescription: d\nallowed-tools: [a]\n---\n",
}


@case(
    "N17",
    plugins={"p": {**portable("good"), **{f"skills/{name}/SKILL.md": text for name, text in BAD.items()}}},
    enable=["p"],
    releases=RELEASES,
)
def skills_that_cannot_be_used_are_skipped(host):
    return host.skills
