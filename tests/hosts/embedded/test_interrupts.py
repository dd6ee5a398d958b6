"""`tools.interrupt` in a stopped turn."""

from types import SimpleNamespace

import pytest

from hermes_sdk.hosts.embedded.approval.prompts import asker
from hermes_sdk.hosts.interface import NotSupported


@pytest.mark.parametrize("is_stopped", [False, True])
def test_interrupt_in_stopped_turn_is_not_supported(start, is_stopped: bool) -> None:
    start()
    from tools.interrupt import is_interrupted  # type: ignore[import-not-found]

    token = asker.set(SimpleNamespace(interrupted=lambda: is_stopped))  # type: ignore[arg-type]
    try:
        if is_stopped:
            with pytest.raises(NotSupported, match="tell a tool that its turn was stopped"):
                is_interrupted()
        else:
            assert is_interrupted() is False
    finally:
        asker.reset(token)
