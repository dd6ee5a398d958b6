"""Update plugins from their repositories: local changes are preserved, and no plugin code runs."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from hermes_sdk.errors import HermesSdkError, UnavailableError, UsageError
from hermes_sdk.home import Home
from hermes_sdk.operate import git
from hermes_sdk.operate.install import (
    NEW,
    Installed,
    LeftAloneError,
    changing_plugins,
    describe_installed,
    find_installed_directory,
    find_subdirectory,
)
from hermes_sdk.operate.origins import Origin, find_origin, record_origin
from hermes_sdk.operate.place import put
from hermes_sdk.operate.state import link_target, user_plugins
from hermes_sdk.operate.tree import check_tree, copy_tree, make_examples

_REINSTALL = "Reinstall the plugin with --force."


class Outcome(NamedTuple):
    """Result of updating one of several plugins: the updated plugin, or the error that prevented the update."""

    name: str
    result: Installed | HermesSdkError


def update(home: Home, name: str) -> Installed:
    """Update a plugin from a repository to the newest commit of its branch (statement J14).

    Args:
        name: The plugin's directory below `plugins/`, with or without a category.

    Raises:
        UsageError: There is no such plugin, or the new version is not safe.
        LeftAloneError: The plugin is linked, pinned, or not from a repository.
        UnavailableError: The home is managed or cannot be written, or Git cannot fetch the new commit.
    """
    with changing_plugins(home) as folder:
        new = folder / NEW
        with home.lock():
            target, origin = _find_updatable(home, name)
            copy_tree(target, new, lambda folder, _: [".git"] if folder == target else [])
        check_tree(new)
        commit = _merge(new, origin)
        changed, origin = commit != origin.commit, replace(origin, commit=commit)
        check_tree(new)
        examples = make_examples(new)
        if changed or examples:
            with home.lock():
                target, _ = _find_updatable(home, name)
                if origin.subdirectory:
                    record_origin(home, new, origin)
                put(home, new, target)
    return describe_installed(target, examples, changed=changed)


def update_all(home: Home) -> Iterator[Outcome]:
    """Update all plugins of the user one by one, continuing after failures.

    Raises:
        UnavailableError: The home is managed.
    """
    home.refuse_managed()
    directories = [plugin.directory for plugin in user_plugins(home) if plugin.directory]
    for name in (directory.relative_to(home.plugins_dir).as_posix() for directory in directories):
        try:
            yield Outcome(name, update(home, name))
        except HermesSdkError as error:
            yield Outcome(name, error)


def _find_updatable(home: Home, name: str) -> tuple[Path, Origin]:
    """Return the directory of a plugin and its origin; the origin of a clone has no subdirectory."""
    target = find_installed_directory(home, name)
    link = link_target(target)
    if link is not None:
        raise LeftAloneError(
            f"'{name}' is a link to {link}",
            fix="Update the linked directory, for example with `git pull`.",
        )
    if os.path.lexists(target / ".git"):
        clone = git.read_clone(target)
        origin = Origin(clone.url, "", clone.branch, clone.commit)
    elif (recorded := find_origin(home, target)) is not None:
        origin = recorded
    else:
        raise LeftAloneError(f"'{name}' was not installed from a Git repository", fix=_REINSTALL)
    if not origin.branch:
        raise LeftAloneError(
            f"'{name}' is pinned to {origin.commit}",
            fix="To update, reinstall the plugin with --force and either a newer --ref or none.",
        )
    return target, origin


def _merge(plugin: Path, origin: Origin) -> str:
    """Update a copy of an installed plugin to the newest commit, preserving local changes.

    Git checks out the new commit in a temporary clone with the plugin's files; it keeps changed and additional files,
    and fails instead of overwriting one. The copy has no repository; if the plugin is a clone, it gets that of the
    temporary clone.

    Returns:
        The newest commit.
    """
    clone = plugin.with_name("clone")
    git.clone(origin.url, clone, origin.branch)
    commit = git.head(clone)
    if commit == origin.commit:
        if not origin.subdirectory:
            (clone / ".git").rename(plugin / ".git")
        return commit
    directory = find_subdirectory(clone, origin.subdirectory)
    try:
        git.fetch(clone, origin.commit)
    except UnavailableError as error:
        raise UnavailableError(
            f"the repository no longer has the installed commit {origin.commit}", fix=_REINSTALL
        ) from error
    git.checkout(clone, origin.commit)
    if find_subdirectory(clone, origin.subdirectory) != directory:
        raise UsageError("the plugin is now in another directory of its repository", fix=_REINSTALL)
    if not origin.subdirectory:
        (clone / ".git").rename(plugin / ".git")
    shutil.rmtree(directory)
    plugin.rename(directory)
    git.checkout(clone, origin.branch)
    directory.rename(plugin)
    return commit
