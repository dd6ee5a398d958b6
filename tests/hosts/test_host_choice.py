"""Choice between the embedded and the real host."""

from __future__ import annotations

import pytest
from conftest import RealPython

from hermes_sdk.errors import HermesSdkError, UnavailableError
from hermes_sdk.hosts.interface import HostKind, NotSupported
from hermes_sdk.hosts.staging import Ran, run_on_host

RELEASE = "0.19.0"


def reaching(*reasons: str, real: HermesSdkError | None = None) -> Ran[str]:
    """Run a function with ``auto`` that uses unsupported features on the embedded host."""

    def run(kind: HostKind, _: str) -> str:
        if kind == "real" and real is not None:
            raise real
        return kind

    return run_on_host("auto", RELEASE, run, lambda _: reasons)


@pytest.mark.real_host
def test_note_names_each_reason_once(real_python: RealPython) -> None:
    real_python(RELEASE)
    ran = reaching("a is not modelled", "b is not modelled", "a is not modelled")
    assert ran == Ran("real", "real", RELEASE, rerun=True, reasons=("a is not modelled", "b is not modelled"))
    assert ran.note == f"Ran in the real Hermes {RELEASE}, because a is not modelled; b is not modelled."


@pytest.mark.real_host
def test_embedded_outcome_counts_when_real_host_is_unavailable(real_python: RealPython) -> None:
    real_python(RELEASE)
    ran = reaching("a is not modelled", real=UnavailableError("Something is missing.", fix="Install it."))
    assert (ran.outcome, ran.host, ran.rerun) == ("embedded", "embedded", False)
    assert ran.note == "A is not modelled; something is missing: install it."


@pytest.mark.real_host
def test_error_of_real_host_propagates(real_python: RealPython) -> None:
    real_python(RELEASE)
    with pytest.raises(HermesSdkError, match="no"):
        reaching("a is not modelled", real=HermesSdkError("no"))


def test_not_supported_propagates_without_real_host() -> None:
    def run(kind: HostKind, _: str) -> str:
        raise NotSupported("fly", kind)

    with pytest.raises(NotSupported) as caught:
        run_on_host("embedded", RELEASE, run, lambda _: ())
    assert str(caught.value) == "The embedded host does not fly.\n  Run this on the real host."
