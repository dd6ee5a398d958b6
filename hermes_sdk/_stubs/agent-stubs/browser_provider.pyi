"""Types of ``agent.browser_provider``."""

from hermes_sdk.api import BrowserProvider as BrowserProvider
