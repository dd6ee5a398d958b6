"""Notes about a plugin that passed: what to do before it is published, although nothing fails."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from hermes_sdk.check.plugin import Plugin
from hermes_sdk.errors import HermesSdkError
from hermes_sdk.scaffold import template
from hermes_sdk.scaffold.git import Tree
from hermes_sdk.scaffold.update.engine import Project as GeneratedProject
from hermes_sdk.terminal import format_count
from hermes_sdk.verify.judgement import Project


def find_notes(base: Path, projects: Sequence[Project]) -> Iterator[str]:
    """Yield a note about placeholders of the template, and one about uncommitted work."""
    if places := [place for project in projects for place in _find_placeholders(project)]:
        yield f"still as in the template: {', '.join(places)}"
    yield from _describe_repository(base)


def _find_placeholders(project: Project) -> Iterator[str]:
    """Yield the author, the description and the URL if they are defaults of the template, with their first places."""
    located = project.plugin
    try:
        defaults = template.variables(GeneratedProject.at(located.project).template).defined
    except HermesSdkError:
        return  # The project was not generated from a template.
    plugin = Plugin(located, project.base)
    files = filter(None, (located.manifest, located.event_hook, located.portable, plugin.pyproject_file))
    lines = [
        (f"{plugin.relative(file)}:{number}", line)
        for file in files
        for number, line in enumerate(plugin.read(file).splitlines(), 1)
    ]
    # A default with a condition has a text for each of its cases.
    descriptions = "|".join(re.escape(text) for text in re.split(r"\{%.*?%\}", defaults["description"]) if text)
    patterns = {
        "author": re.escape(defaults["author"]),
        "description": descriptions,
        "URL": rf"/{re.escape(defaults['github_owner'])}/",
    }
    for name, pattern in patterns.items():
        place = next((place for place, line in lines if re.search(pattern, line)), None)
        if place:
            yield f"{name} ({place})"


def _describe_repository(base: Path) -> Iterator[str]:
    """Yield a note if the Git repository of a directory has no commit, or lacks changes of the directory."""
    tree = Tree(base)
    options = ("--porcelain", "--branch", "--ignore-submodules=dirty")
    try:
        tree.refuse_commands()
        branch, *changes = tree.git("status", *options, ".", environment={"GIT_OPTIONAL_LOCKS": "0"}).splitlines()
    except HermesSdkError:
        return  # There is no Git or no repository, or Git would run commands.
    if branch.startswith("## No commits yet"):
        yield "nothing is committed to the Git repository yet"
    elif changes:
        yield f"{format_count(len(changes), 'file')} with uncommitted changes, such as {changes[0][3:]}"
