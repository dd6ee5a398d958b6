"""The decision between the embedded and the real host."""

from __future__ import annotations

import pytest
from conftest import RealPython

from hermes_sdk.errors import HermesSdkError, UnavailableError
from hermes_sdk.hosts.interface import HostKind, NotSupported
from hermes_sdk.hosts.staging import Ran, run_on_host

RELEASE = "0.19.0"


def reaching(*reasons: str, real: HermesSdkError | None = None) -> Ran[str]:
    """Run something with ``auto`` that reaches something unsupported on the embedded host."""

    def run(kind: HostKind, _: str) -> str:
        if kind == "real" and real is not None:
            raise real
        return kind

    return run_on_host("auto", RELEASE, run, lambda _: reasons)


@pytest.mark.real_host
def test_each_reason_is_named_once(real_python: RealPython) -> None:
    real_python(RELEASE)
    ran = reaching("a is not modelled", "b is not modelled", "a is not modelled")
    assert ran == Ran("real", "real", RELEASE, rerun=True, reasons=("a is not modelled", "b is not modelled"))
    assert ran.note == f"Ran in the real Hermes {RELEASE}, because a is not modelled; b is not modelled."


@pytest.mark.real_host
def test_what_the_real_host_lacks_leaves_the_first_outcome(real_python: RealPython) -> None:
    real_python(RELEASE)
    ran = reaching("a is not modelled", real=UnavailableError("Something is missing.", fix="Install it."))
    assert (ran.outcome, ran.host, ran.rerun) == ("embedded", "embedded", False)
    assert ran.note == "A is not modelled; something is missing: install it."


@pytest.mark.real_host
def test_an_error_of_the_real_host_counts(real_python: RealPython) -> None:
    real_python(RELEASE)
    with pytest.raises(HermesSdkError, match="no"):
        reaching("a is not modelled", real=HermesSdkError("no"))


def test_the_embedded_host_alone_says_what_it_cannot_do() -> None:
    def run(kind: HostKind, _: str) -> str:
        raise NotSupported("fly", kind)

    with pytest.raises(NotSupported) as caught:
        run_on_host("embedded", RELEASE, run, lambda _: ())
    assert str(caught.value) == "The embedded host does not fly.\n  Run this on the real host."
