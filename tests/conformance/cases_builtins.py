"""Cases of the host's own tools that plugins meet most, called as a model calls them."""

from conformance.case import case

SKILL = """\
---
name: mine
description: What it is for.
tags: [a, b]
metadata: {hermes: {related_skills: "other, [more]"}}
compatibility: all
---
# Head
In ${HERMES_SKILL_DIR}, of ${HERMES_SESSION_ID}.
"""
SKILLS = {
    "skills/cat/own/SKILL.md": SKILL,
    "skills/cat/own/references/deep.md": "# Deep\n",
    "skills/cat/own/scripts/run.py": "print()\n",
    "skills/cat/own/assets/a/picture.svg": "<svg/>\n",
    "skills/cat/own/templates/SKILL.md": "---\nname: part\n---\nA part of the other.\n",
    "skills/plain/SKILL.md": "# Plain\n\nNothing in front.\n",
    "skills/flat.md": "Flat.\n",
    "skills/one/same/SKILL.md": "One.\n",
    "skills/two/same/SKILL.md": "Two.\n",
    "skills/.git/hidden/SKILL.md": "Hidden.\n",
    "skills/elsewhere/SKILL.md": "---\nplatforms: [windows]\n---\nNot here.\n",
    "added/outside/SKILL.md": "---\ndescription: From elsewhere.\n---\nOutside.\n",
}


def answers(host, tool, *calls):
    """What the tool answers to each of these calls."""
    return [host.call_tool(tool, args).value for args in calls]


@case("F5", files=SKILLS, config={"skills": {"external_dirs": ["added", "none"], "disabled": ["plain"]}})
def the_skills_of_the_home_are_listed(host):
    return answers(host, "skills_list", {}, {"category": "cat"}, {"category": "none"})


@case("F5")
def a_home_without_skills_lists_none(host):
    return answers(host, "skills_list", {})


@case("F5", files=SKILLS, config={"skills": {"external_dirs": "added", "disabled": "plain"}})
def a_skill_of_the_home_is_found_by_path_folder_and_name(host):
    names = (
        "cat/own",
        "own",
        "cat:own",
        "mine",
        "plain",
        "flat",
        "outside",
        "elsewhere",
        "deep",
        "hidden",
        "none",
        "",
        7,
    )
    return answers(host, "skill_view", *({"name": name} for name in names[:-1]))


@case("F5", files=SKILLS, releases=["0.17.0", "0.19.0"])
def a_name_of_a_skill_is_text_and_names_one(host):
    return answers(host, "skill_view", {"name": 7}, {}, {"name": "same"}, {"name": "one/same"})


@case("F5", files={**SKILLS, "skills/cat/own/binary.md": "x"})
def a_linked_file_is_shown(host):
    (host.home / "skills/cat/own/binary.md").write_bytes(b"\xff\xfe")
    paths = ("references/deep.md", "binary.md", "none.md", "../../flat.md", "/etc/passwd")
    return answers(host, "skill_view", *({"name": "own", "file_path": path} for path in paths))
