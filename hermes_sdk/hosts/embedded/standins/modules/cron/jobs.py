"""Stands in for ``cron.jobs`` in a home without scheduled jobs."""

from hermes_sdk.hosts.embedded.services.scheduled_jobs import ScheduledJobs
from hermes_sdk.hosts.embedded.standins.placeholders import make_placeholder
from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager

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

_jobs = ScheduledJobs(find_plugin_manager(__spec__).state)
load_jobs = _jobs.load
list_jobs = _jobs.list_all
get_job = _jobs.get
remove_job = _jobs.remove
update_job = _jobs.update
pause_job = _jobs.pause
resume_job = _jobs.resume
trigger_job = _jobs.trigger
create_job = make_placeholder(__spec__, "create_job")
parse_schedule = make_placeholder(__spec__, "parse_schedule")
save_jobs = make_placeholder(__spec__, "save_jobs")
