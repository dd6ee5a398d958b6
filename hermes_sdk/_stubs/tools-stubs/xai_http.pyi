"""Types of ``tools.xai_http``."""

from hermes_sdk.hosts.embedded.standins.modules.tools.xai_http import (
    build_xai_storage_options as build_xai_storage_options,
    has_xai_credentials as has_xai_credentials,
    hermes_xai_user_agent as hermes_xai_user_agent,
    maybe_mark_xai_storage_notice_seen as maybe_mark_xai_storage_notice_seen,
    read_xai_imagine_storage_config as read_xai_imagine_storage_config,
    resolve_xai_http_credentials as resolve_xai_http_credentials,
    xai_storage_notice_text as xai_storage_notice_text,
)
