"""Stands in for ``tools.xai_http``, which finds the credentials of xAI; calls are refused."""

from hermes_sdk.hosts.embedded.standins.refused import refused

__all__ = [
    "build_xai_storage_options",
    "has_xai_credentials",
    "hermes_xai_user_agent",
    "maybe_mark_xai_storage_notice_seen",
    "read_xai_imagine_storage_config",
    "resolve_xai_http_credentials",
    "xai_storage_notice_text",
]

build_xai_storage_options = refused(__spec__, "build_xai_storage_options")
has_xai_credentials = refused(__spec__, "has_xai_credentials")
hermes_xai_user_agent = refused(__spec__, "hermes_xai_user_agent")
maybe_mark_xai_storage_notice_seen = refused(__spec__, "maybe_mark_xai_storage_notice_seen")
read_xai_imagine_storage_config = refused(__spec__, "read_xai_imagine_storage_config")
resolve_xai_http_credentials = refused(__spec__, "resolve_xai_http_credentials")
xai_storage_notice_text = refused(__spec__, "xai_storage_notice_text")
