import logging

from . import schemas, tools

logger = logging.getLogger(__name__)


def _on_post_tool_call(tool_name, args, result, task_id, **kwargs):
    logger.info("called %s in %s", tool_name, task_id)


def register(ctx):
    ctx.register_tool(name="calculate", toolset="calculator", schema=schemas.CALCULATE, handler=tools.calculate)
    ctx.register_tool(
        name="unit_convert", toolset="calculator", schema=schemas.UNIT_CONVERT, handler=tools.unit_convert
    )
    ctx.register_hook("post_tool_call", _on_post_tool_call)
