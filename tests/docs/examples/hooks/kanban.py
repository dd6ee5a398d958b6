import logging


def log_done(task_id, summary, **kwargs):
    logging.getLogger(__name__).info("%s: %s", task_id, summary)


def register(ctx):
    ctx.register_hook("kanban_task_completed", log_done)


def test_completed_tasks_are_logged(hermes):
    hermes.fire("kanban_task_completed", task_id="t1", summary="Fixed.")
    assert "t1: Fixed." in [one.message for one in hermes.log]
