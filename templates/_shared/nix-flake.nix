{% from "text.jinja" import quoted %}
{
  description = {{ quoted(cookiecutter.description) | replace("${", "\\${") }};

  inputs = {
    # An entry of the registry: `nix registry add hermes-sdk <address>`, or --override-input hermes-sdk <address>.
    hermes-sdk.url = "flake:hermes-sdk";
    nixpkgs.follows = "hermes-sdk/nixpkgs";
  };

  outputs =
    { hermes-sdk, nixpkgs, ... }:
    {
      packages = builtins.mapAttrs (_system: pkgs: {
{% if cookiecutter.__kind == "workspace" %}
        default = (hermes-sdk.lib.mkLib pkgs).buildPluginSet {
          plugins = [
            ./plugins/{{ cookiecutter.__package }}_clock
            ./plugins/{{ cookiecutter.__package }}_dice
          ];
        };
{% else %}
        default = (hermes-sdk.lib.mkLib pkgs).buildHermesPlugin { src = ./.; };
{% endif %}
      }) nixpkgs.legacyPackages;
    };
}
