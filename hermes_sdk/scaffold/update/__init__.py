"""`hermes-sdk update`: bring a generated project to the current template, as commits in its own repository.

An update is a three-way merge of the base (the project as generated), the project as the current template generates it,
and the project with the user's changes. Other generators can lose the base: they fetch old templates by tag, which
fails without network or tags; they store it in Git, where a shallow clone or a squashed branch drops it; or they
generate it again with the current engine, which may give another result. Here every project carries its base:
``.hermes-sdk.base.zip`` contains every file as generated (about ten kilobytes; the template's last hook writes it, so
plain cookiecutter does too). The base is exact regardless of repository, release and machine, and needs no network.

Git does the merge: the difference between the base and the new template becomes a commit, which is cherry-picked. Git
thus handles renamed directories, deleted files, modes, binary files and conflicts. The merge runs in a temporary
worktree; the user's working tree changes in one step at the end.

Codemods (`codemods.CODEMODS`) run before the merge, each as a separate commit, for changes that a merge cannot make,
such as renaming a setting.

Must not import `check`, `testing` or `cli`.
"""
