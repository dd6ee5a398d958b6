"""Brings a project that `new` made to today's template, as commits in its own repository.

An update is a merge of three trees: the project as it was made, the project as it would be made today, and the project
as it is. The first is what other generators lose. They fetch old templates by tag, which fails without network and
without tags; they keep it in Git, where a shallow clone or a squashed branch drops it; or they make it again with
today's engine, which is not what was made then. A project of ours carries it: ``.hermes-sdk.base.zip`` holds every file
as the template wrote it (about ten kilobytes; the template's last hook makes it, so plain cookiecutter does too). The
base is exact whatever happened to the repository, the release and the machine, and nothing needs network.

Merging is Git's: the way from the old tree to the new one is a commit, and it is cherry-picked. So renamed directories,
deleted files, modes and binary files are what they are for Git, and so are conflicts. Everything happens in a worktree
in a temporary directory first; the user's own changes in one step at the end.

Before the merge come codemods (`codemods.CODEMODS`), each a commit of its own: what a merge cannot know, such as that a
setting got another name.

Must not import `check`, `testing` or `cli`.
"""
