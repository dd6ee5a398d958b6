"""What a check is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from hermes_sdk import contract
from hermes_sdk.check.model import Profile
from hermes_sdk.check.rule import Rule
from hermes_sdk.check.rules import RULES
from hermes_sdk.check.settings import Settings
from hermes_sdk.contract.supported import Supported
from hermes_sdk.errors import UsageError

if TYPE_CHECKING:
    from hermes_sdk.hosts.staging import HostChoice

TIME_LIMIT = 30.0
"""Seconds that a plugin has for loading."""


class Options(NamedTuple):
    """What to check, and how.

    Attributes:
        release: The release of Hermes Agent that the plugin is judged for; None for `target`, or for the newest proven
            one that its manifest admits.
        target: A range of releases such as ``>=0.16``, instead of one release; None for that of the project's settings.
        static: Whether to run no code of the plugin, and leave out what only that shows.
        online: Whether rules may use the network.
        profile: ``catalog`` adds the admission rules of the public catalog.
        strict: Whether a warning, or a rule that could not run, fails the check; else the project's settings say so.
        baseline: The baseline file of known findings; None for that of the project's settings.
        use_baseline: Whether to leave out known findings.
        require_isolation: ``full`` to run no code of the plugin when a layer of the isolation is missing here.
        cache: The directory that keeps what static rules found in plugins that did not change; None for no cache.
        time_limit: Seconds that the plugin has for loading.
        host: The host that loads the plugin; None for `default_choice`.
    """

    release: str | None = None
    target: str | None = None
    static: bool = False
    online: bool = False
    profile: Profile = "default"
    strict: bool = False
    baseline: Path | None = None
    use_baseline: bool = True
    require_isolation: Literal["full"] | None = None
    cache: Path | None = None
    time_limit: float = TIME_LIMIT
    host: HostChoice | None = None

    def rules(self) -> Iterator[Rule]:
        """The rules that these options ask for."""
        for rule in RULES:
            if (self.online or rule.subject != "network") and rule.profile in ("default", self.profile):
                yield rule

    def releases(self, settings: Settings, declared: object = None) -> tuple[str, ...]:
        """The releases that a plugin is judged for, oldest first, by its source and by loading it.

        Releases that the embedded host is not proven for are among them only when the range has no other ones.

        Args:
            declared: What its manifest says with ``requires_hermes``.

        Raises:
            UsageError: The range cannot be read, or no known release lies in it.
        """
        if self.release is not None and self.target is not None:
            raise UsageError("One release and a range of releases are asked for.", fix="Give one of them.")
        if self.release is not None:
            load = contract.load_modelled if self.host == "embedded" else contract.load
            return (load(self.release).release,)
        target = self.target if self.target is not None else settings.target
        if target is None:
            return (_choose_release(declared),)
        try:
            found = _list_admitted(target)
        except ValueError as error:
            raise UsageError(
                f"the target cannot be read: {error}.", fix="Write for instance '>=0.16, <0.19'."
            ) from None
        if not found:
            known = ", ".join(contract.api_releases())
            raise UsageError(f"no known release of Hermes is {target}.", fix=f"Known are {known}.")
        return found

    def later_releases(self, settings: Settings) -> tuple[str, ...]:
        """The rest of a range of releases, oldest first: those that a plugin is judged for by its source alone."""
        target = self.target if self.target is not None else settings.target
        if self.release is not None or target is None:
            return ()
        wanted = Supported.parse(target)
        rest = {*contract.api_releases()}.difference(self.releases(settings))
        return tuple(release for release in contract.api_releases() if release in rest and wanted.admits(release))


def _choose_release(declared: object) -> str:
    """Return the default release, or the newest one that the manifest admits when it excludes that one."""
    try:
        admitted = _list_admitted(declared) if isinstance(declared, str) else ()
    except ValueError:
        admitted = ()
    return contract.DEFAULT if not admitted or contract.DEFAULT in admitted else admitted[-1]


def _list_admitted(text: str) -> tuple[str, ...]:
    """List the proven releases in a range, or those whose APIs are known when it has no proven one."""
    wanted = Supported.parse(text)
    proven = tuple(release for release in contract.releases() if wanted.admits(release))
    return proven or tuple(release for release in contract.api_releases() if wanted.admits(release))
