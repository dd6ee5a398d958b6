def register(ctx):
    ctx.register_platform(name="nixchat", label="Nix chat", adapter_factory=lambda config: None, check_fn=lambda: True)
