"""Groups of commands."""

from __future__ import annotations

import click


class Group(click.Group):
    """Group that suggests the most similar command for an unknown one."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the first argument names.

        Raises:
            click.UsageError: There is no such command.
        """
        name = args[0]
        if not name.startswith("-") and self.get_command(ctx, name) is None:
            from hermes_sdk.contract.suggestions import suggest_name

            ctx.fail(f"No such command '{name}'{suggest_name(name, self.list_commands(ctx)) or '.'}")
        return super().resolve_command(ctx, args)
