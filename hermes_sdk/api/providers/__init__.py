"""Providers: classes that implement a feature of the host.

Each class represents the host's class of the same name during type checking; at run time a plugin inherits from the
host's, because the host ignores any other object with a warning::

    if TYPE_CHECKING:
        from hermes_sdk.api import ImageGenProvider
    else:
        from agent.image_gen_provider import ImageGenProvider

A subclass must implement the abstract members and may override the others, whose texts describe the default of the
host's class. Members without a release are as old as their class. The host passes arguments by the names given here,
and newer releases add more, so keep ``**kwargs`` where it appears.
"""

from hermes_sdk.api.providers.conversation import *
from hermes_sdk.api.providers.dashboard import *
from hermes_sdk.api.providers.images import *
from hermes_sdk.api.providers.memory import *
from hermes_sdk.api.providers.references import *
from hermes_sdk.api.providers.secrets import *
from hermes_sdk.api.providers.speech import *
from hermes_sdk.api.providers.web import *
