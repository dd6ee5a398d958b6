"""The text of the pull request that adds an entry to the catalog."""

from __future__ import annotations

from collections.abc import Iterator

from hermes_sdk.submit.submission import Submission

_MARKS = {"passed": "x", "failed": " ", "not run": " "}


def write_pull_request(submission: Submission) -> str:
    """Return title and text as Markdown; only passed steps are ticked."""
    return "\n".join(_format_lines(submission)).rstrip() + "\n"


def _format_lines(submission: Submission) -> Iterator[str]:
    entry, policy = submission.entry, submission.policy
    version = f" {entry['version']}" if "version" in entry else ""
    yield f"# Add {entry['name']}{version} to the plugin catalog"
    yield ""
    yield str(entry.get("description", ""))
    yield ""
    yield f"- Repository: {entry['repo']}"
    yield f"- Commit: `{entry['sha']}`"
    yield f"- Subdirectory: {entry.get('subdir') or 'the root of the repository'}"
    yield f"- Hermes: {entry.get('requires_hermes') or 'every release'}"
    yield ""
    yield "## Used features and grants"
    yield ""
    yield from _list_uses(submission)
    yield ""
    yield "## Checks"
    yield ""
    yield (
        f"Hermes {policy.release} ({policy.host}), {policy.day.isoformat()}; "
        f"dependencies released until {policy.newest.isoformat()}."
    )
    yield ""
    for step in submission.steps:
        state = "" if step.state == "passed" else f"**{step.state}**: "
        yield f"- [{_MARKS[step.state]}] {step.name}: {state}{step.detail}"
        yield from (f"  - {problem}" for problem in step.problems)
    yield ""
    yield "## To be confirmed by the submitter"
    yield ""
    yield from (f"- [ ] {one.question}" for one in submission.questions)


def _list_uses(submission: Submission) -> Iterator[str]:
    found = False
    labels = {"provides_tools": "Tools", "provides_hooks": "Hooks", "provides_middleware": "Middleware"}
    for key, names in (*submission.uses.provides.items(), ("requires_env", submission.uses.variables)):
        if names:
            found = True
            yield f"- {labels.get(key, 'Environment variables')}: {', '.join(f'`{name}`' for name in names)}"
    for grant, place in submission.uses.grants.items():
        found = True
        yield f"- Needs the grant `{grant}` ({place})"
    if not found:
        yield "No tools, hooks, middleware, environment variables or grants."
