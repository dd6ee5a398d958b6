"""What the host says around a turn, in its own words: to the model, and to the user."""

CONTINUE = (
    "[System: Your previous response was truncated by the output length limit. Continue exactly where you left off. Do"
    " not restart or repeat prior text. Finish the answer directly.]"
)
"""To the model, after an answer that was cut off."""

USE_RESULTS = (
    "You just executed tool calls but returned an empty response. Please process the tool results above and continue"
    " with the task."
)
"""To the model, after an empty answer to the results of tools."""

SUMMARISE = (
    "You've reached the maximum number of tool-calling iterations allowed. Please provide a final response summarizing"
    " what you've found and accomplished so far, without calling any more tools."
)
"""To the model, when it may make no more calls."""

NO_REPLY = (
    "⚠️ No reply: the model returned empty content after retries and any fallback providers. Try `continue`, switch"
    " model/provider, or inspect the tool output above."
)
"""To the user, when the model said nothing."""

NO_ROOM = (
    "⚠️ No reply: the maximum tool-iteration limit was reached before a final answer. Send `continue` to keep going, or"
    " raise `max_iterations`."
)
"""To the user, after the summary of a model that may make no more calls."""

INTERRUPTED = "Operation interrupted: waiting for model response (0.0s elapsed)."
"""To the user who stopped the agent while it waited for the model."""

STOPPED = "Operation interrupted."
"""To the model, in the place of an answer, when the user stopped the agent while a tool ran."""

TRUNCATED = "Response truncated due to output length limit"
"""To the user, when tool calls could not be read."""
