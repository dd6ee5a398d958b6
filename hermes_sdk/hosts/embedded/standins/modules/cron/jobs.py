"""Stands in for ``cron.jobs`` in a home without scheduled jobs."""

from __future__ import annotations

from typing import Any

from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager
from hermes_sdk.hosts.embedded.standins.refused import refused

__all__ = [
    "create_job",
    "get_job",
    "list_jobs",
    "load_jobs",
    "parse_schedule",
    "pause_job",
    "remove_job",
    "resume_job",
    "save_jobs",
    "trigger_job",
    "update_job",
]

_state = find_plugin_manager(__spec__).state
create_job = refused(__spec__, "create_job")
parse_schedule = refused(__spec__, "parse_schedule")
save_jobs = refused(__spec__, "save_jobs")


def load_jobs() -> list[dict[str, Any]]:
    """Return the jobs.

    Raises:
        NotSupported: There may be some.
    """
    if (_state.home_path() / "cron" / "jobs.json").exists():
        raise _state.unsupported("read the scheduled jobs of a home")
    return []


def list_jobs(include_disabled: bool = False) -> list[dict[str, Any]]:  # noqa: ARG001
    """Return the jobs."""
    return load_jobs()


def get_job(job_id: str) -> None:  # noqa: ARG001
    """Return a job, or None."""
    load_jobs()


def remove_job(job_id: str) -> bool:
    """Remove a job; tells whether there was one."""
    get_job(job_id)
    return False


def update_job(job_id: str, updates: dict[str, Any]) -> None:  # noqa: ARG001
    """Change a job and return it, or None."""
    get_job(job_id)


def pause_job(job_id: str, reason: str | None = None) -> None:  # noqa: ARG001
    """Pause a job and return it, or None."""
    get_job(job_id)


def resume_job(job_id: str) -> None:
    """Resume a job and return it, or None."""
    get_job(job_id)


def trigger_job(job_id: str) -> None:
    """Run a job and return it, or None."""
    get_job(job_id)
