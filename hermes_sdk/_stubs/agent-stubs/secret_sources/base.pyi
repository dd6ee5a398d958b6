"""Types of ``agent.secret_sources.base``."""

import subprocess
from collections.abc import Sequence
from typing import Any

from hermes_sdk.api import (
    ErrorKind as ErrorKind,
    FetchResult as FetchResult,
    SecretSource as SecretSource,
)
from hermes_sdk.hosts.embedded.standins.modules.agent.secret_sources.base import (
    DEFAULT_CLI_TIMEOUT_SECONDS as DEFAULT_CLI_TIMEOUT_SECONDS,
    DEFAULT_FETCH_TIMEOUT_SECONDS as DEFAULT_FETCH_TIMEOUT_SECONDS,
    SECRET_SOURCE_API_VERSION as SECRET_SOURCE_API_VERSION,
    is_valid_env_name as is_valid_env_name,
    scrub_ansi as scrub_ansi,
)

def run_secret_cli(
    argv: Sequence[str],
    *,
    allow_env: Sequence[str] = (),
    extra_env: dict[str, str] | None = None,
    timeout: float = 30.0,
) -> subprocess.CompletedProcess[Any]: ...
