"""Types of ``agent.auxiliary_client``."""

from hermes_sdk.hosts.embedded.standins.modules.agent.auxiliary_client import (
    async_call_llm as async_call_llm,
    call_llm as call_llm,
    extract_content_or_reasoning as extract_content_or_reasoning,
    get_async_text_auxiliary_client as get_async_text_auxiliary_client,
    get_text_auxiliary_client as get_text_auxiliary_client,
)
