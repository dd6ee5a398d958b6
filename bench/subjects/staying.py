"""A pytest plugin that keeps servers of real hosts in a directory of the benchmark, including in CI and for root."""

from __future__ import annotations

import os
from pathlib import Path

from hermes_sdk.hosts.real import warm

VARIABLE = "HERMES_SDK_BENCH_SERVERS"


def pytest_configure() -> None:
    warm.is_allowed, warm.find_folder = _allow, _find_folder


def _allow(_: object, __: object) -> bool:
    return True


def _find_folder() -> Path:
    return Path(os.environ[VARIABLE])
