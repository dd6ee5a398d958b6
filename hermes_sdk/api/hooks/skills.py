"""Hook for uses and changes of skills. It only observes."""

from typing import Protocol, Unpack

from hermes_sdk.api.hooks.base import HookArguments

__all__ = ["OnSkillLifecycleArguments", "OnSkillLifecycleCallback"]


class OnSkillLifecycleArguments(HookArguments):
    """After a skill was loaded, created, changed or installed. Since 0.20.1.

    Attributes:
        action: Such as ``loaded``, ``created``, ``edited``, ``patched`` or ``installed``.
        skill_name: The skill's name.
        provenance: Origin, such as ``installed``, ``agent_created``, ``external`` or ``local``.
        task_id: Identifies the run of the agent.
        session_id: Identifies the session.
        use_count: How often the skill was loaded, or None.
        reused: Whether it had been loaded before, or None.
        reuse_after_patch: Whether this is the first use after a change, or None.
    """

    action: str
    skill_name: str
    provenance: str
    task_id: str
    session_id: str
    use_count: int | None
    reused: bool | None
    reuse_after_patch: bool | None


class OnSkillLifecycleCallback(Protocol):
    """A callback of ``on_skill_lifecycle``. Its return value is ignored."""

    def __call__(self, **kwargs: Unpack[OnSkillLifecycleArguments]) -> None: ...
