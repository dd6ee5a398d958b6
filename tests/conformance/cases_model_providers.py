"""Cases of G20 and G21: plugins that bring providers of models."""

from conformance.case import case, plugin

from hermes_sdk.hosts.base import HostExited

MINE = """
    from providers import register_provider
    from providers.base import ProviderProfile
    register_provider(ProviderProfile(name="mine", aliases=("my",), base_url="https://api.mine.com/v1"))
"""


def providers(**bodies):
    """Plugins under ``model-providers``."""
    return {f"model-providers/{name}": plugin(body, name=name, kind="model-provider") for name, body in bodies.items()}


@case("G20", plugins=providers(mine=MINE, _hidden="1/0\n"))
def a_provider_of_models_counts_without_being_enabled(host):
    return {key: host.report(key)["model_providers"] for key in host.plugins}


@case("G20", plugins={"mine": plugin(MINE, name="mine", kind="model-provider")}, enable=["mine"])
def elsewhere_a_provider_of_models_is_never_imported(host):
    return host.report("mine")["model_providers"]


@case("G20", plugins=providers(broken="raise ValueError('no')\n", mine=MINE))
def a_provider_of_models_that_fails_does_not_keep_others(host):
    return [one.message for one in host.log if one.logger == "providers"]


@case("G21", plugins=providers(ends="raise SystemExit(3)\n"), ends=HostExited)
def a_provider_of_models_may_end_the_host(host):
    return None
