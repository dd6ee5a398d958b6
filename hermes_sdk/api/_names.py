"""Public names of `hermes_sdk.api`: each module lists its own in ``__all__``."""

from hermes_sdk.api.adapters import *
from hermes_sdk.api.context import *
from hermes_sdk.api.gateway_events import *
from hermes_sdk.api.hooks import *
from hermes_sdk.api.llm import *
from hermes_sdk.api.manifest import *
from hermes_sdk.api.messages import *
from hermes_sdk.api.middleware import *
from hermes_sdk.api.providers import *
from hermes_sdk.api.registrations import *
from hermes_sdk.api.services import *
from hermes_sdk.api.shell_hooks import *
from hermes_sdk.api.tools import *
