"""Functions for scheduled jobs, for a home without jobs."""

from __future__ import annotations

from typing import Any

from hermes_sdk.hosts.embedded.state import HostState


class ScheduledJobs:
    """Functions of ``cron.jobs``."""

    def __init__(self, state: HostState) -> None:
        self._state = state

    def load(self) -> list[dict[str, Any]]:
        """Return the jobs.

        Raises:
            NotSupported: The home may have jobs.
        """
        if (self._state.home_path() / "cron" / "jobs.json").exists():
            raise self._state.unsupported("read the scheduled jobs of a home")
        return []

    def list_all(self, include_disabled: bool = False) -> list[dict[str, Any]]:
        """Return the jobs."""
        return self.load()

    def get(self, job_id: str) -> None:
        """Return a job, or None."""
        self.load()

    def remove(self, job_id: str) -> bool:
        """Remove a job; return whether there was one."""
        self.get(job_id)
        return False

    def update(self, job_id: str, updates: dict[str, Any]) -> None:
        """Change a job and return it, or None."""
        self.get(job_id)

    def pause(self, job_id: str, reason: str | None = None) -> None:
        """Pause a job and return it, or None."""
        self.get(job_id)

    def resume(self, job_id: str) -> None:
        """Resume a job and return it, or None."""
        self.get(job_id)

    def trigger(self, job_id: str) -> None:
        """Run a job and return it, or None."""
        self.get(job_id)
