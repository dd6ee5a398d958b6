"""Types of ``gateway.session``."""

from hermes_sdk.api import SessionSource as SessionSource
from hermes_sdk.hosts.embedded.standins.modules.gateway.session import build_session_key as build_session_key
