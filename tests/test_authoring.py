"""Tasks of `python -m bench.authoring`: the scripted author solves each, and an untouched project solves none."""

from pathlib import Path

import pytest

from bench.authoring import TASKS, attempt, begin, find_failed_test, find_project, scripted_author
from hermes_sdk.scaffold.new import new


@pytest.mark.slow
@pytest.mark.parametrize("name", TASKS)
def test_scripted_author_solves_the_task_with_few_commands(name: str):
    result = attempt(TASKS[name], scripted_author(TASKS[name]), ["embedded"])
    assert result.problems == {"embedded": ""}, result.output
    assert 1 < result.commands <= 6
    assert result.read


@pytest.mark.slow
@pytest.mark.parametrize("name", TASKS)
def test_untouched_project_does_not_solve_the_task(name: str, tmp_path: Path):
    work = tmp_path / "work"
    begin(TASKS[name], work)
    if not list(work.iterdir()):
        new("plugin", work, name=name)
    # Checks that a test failed, and not pytest itself.
    assert find_failed_test(TASKS[name], find_project(work), "embedded").startswith("test_")


def test_author_receives_the_prompt_and_commands_are_counted(tmp_path: Path):
    task = TASKS["dice"]
    result = attempt(task, "cat && mkdir dice && hermes-sdk --version && pytest --version", ["embedded"])
    assert result.output.startswith((task / "prompt.md").read_text())
    assert (result.commands, result.problems["embedded"] != "") == (2, True)
    assert len(result.output) == len((task / "prompt.md").read_text()) + result.read
