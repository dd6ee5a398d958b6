"""Stands in for ``tools.xai_http``: credentials of xAI. Calls are not supported."""

from hermes_sdk.hosts.embedded.standins.placeholders import make_placeholder

__all__ = [
    "build_xai_storage_options",
    "has_xai_credentials",
    "hermes_xai_user_agent",
    "maybe_mark_xai_storage_notice_seen",
    "read_xai_imagine_storage_config",
    "resolve_xai_http_credentials",
    "xai_storage_notice_text",
]

build_xai_storage_options = make_placeholder(__spec__, "build_xai_storage_options")
has_xai_credentials = make_placeholder(__spec__, "has_xai_credentials")
hermes_xai_user_agent = make_placeholder(__spec__, "hermes_xai_user_agent")
maybe_mark_xai_storage_notice_seen = make_placeholder(__spec__, "maybe_mark_xai_storage_notice_seen")
read_xai_imagine_storage_config = make_placeholder(__spec__, "read_xai_imagine_storage_config")
resolve_xai_http_credentials = make_placeholder(__spec__, "resolve_xai_http_credentials")
xai_storage_notice_text = make_placeholder(__spec__, "xai_storage_notice_text")
