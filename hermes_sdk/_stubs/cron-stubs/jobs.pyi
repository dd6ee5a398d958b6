"""Types of ``cron.jobs``."""

from typing import Any

from hermes_sdk.hosts.embedded.standins.modules.cron.jobs import (
    create_job as create_job,
    list_jobs as list_jobs,
    load_jobs as load_jobs,
    parse_schedule as parse_schedule,
    remove_job as remove_job,
    save_jobs as save_jobs,
)

def get_job(job_id: str) -> dict[str, Any] | None:
    """Return a job; None if it does not exist."""

def update_job(job_id: str, updates: dict[str, Any]) -> dict[str, Any] | None:
    """Change a job and return it; None if it does not exist."""

def pause_job(job_id: str, reason: str | None = None) -> dict[str, Any] | None:
    """Pause a job and return it; None if it does not exist."""

def resume_job(job_id: str) -> dict[str, Any] | None:
    """Resume a job and return it; None if it does not exist."""

def trigger_job(job_id: str) -> dict[str, Any] | None:
    """Run a job and return it; None if it does not exist."""
