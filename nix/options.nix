# The options that the NixOS module and the home-manager module have in common.
{ lib, sdk }:
let
  inherit (lib) literalExpression mkOption types;
  core = import ./core.nix;

  plugin =
    { name, config, ... }:
    let
      known = config.package.hermesPlugin or { };
    in
    {
      options = {
        src = mkOption {
          type = types.unspecified;
          default = null;
          example = literalExpression "inputs.team-notes";
          description = "The source: a directory with `plugin.yaml`, or a project that holds one; a path or a flake input.";
        };
        package = mkOption {
          type = types.package;
          default =
            if config.src == null then
              throw "the Hermes plugin '${name}' has neither `src` nor `package`"
            else if builtins.isPath config.src && !(builtins.pathExists config.src) then
              throw "the option `plugins.${name}.src` names ${toString config.src}, which does not exist"
            else
              sdk.toPlugin config.src;
          defaultText = literalExpression "buildHermesPlugin { inherit src; }";
          example = literalExpression "pkgs.fetchFromGitHub { … }";
          description = "The plugin as a package. One that `buildHermesPlugin` did not make goes through it, too.";
        };
        name = mkOption {
          type = types.nullOr types.str;
          default = if known.name or null != null then known.name else name;
          defaultText = literalExpression "the name in the manifest where it can be read without a build, else the attribute's";
          description = "The name in `plugin.yaml`; null reads it when the plugin is built.";
        };
        kind = mkOption {
          type = types.nullOr (types.enum core.kinds);
          default =
            if known.kind or null != null then
              known.kind
            else if config.activate then
              "standalone"
            else
              null;
          defaultText = literalExpression "the kind in the manifest where it can be read without a build, else \"standalone\"";
          description = "The kind of the plugin; null reads it from the manifest when the plugin is built.";
        };
        activate = mkOption {
          type = types.bool;
          default = true;
          description = "Whether to name the plugin in `plugins.enabled`; for a memory provider, in `memory.provider`.";
        };
        settings = mkOption {
          type = types.attrsOf types.anything;
          default = { };
          example = {
            allow_tool_override = true;
          };
          description = "Contents of `plugins.entries` for the plugin.";
        };
        pythonPackages = mkOption {
          type = types.listOf types.package;
          default = known.pythonPackages or [ ];
          defaultText = literalExpression "what the package asks for";
          description = "Python packages that the plugin imports and the host does not have.";
        };
      };
    };
in
{
  enable = lib.mkEnableOption "plugins for Hermes Agent that Nix builds, checks and links";

  plugins = mkOption {
    type = types.attrsOf (types.submodule plugin);
    default = { };
    example = literalExpression "{ calculator.src = ./plugins/calculator; }";
    description = "The plugins.";
  };

  alsoEnable = mkOption {
    type = types.listOf types.str;
    default = [ ];
    example = [ "disk-cleanup" ];
    description = "More names for `plugins.enabled`: entry points of `extraPythonPackages`, bundled plugins.";
  };

  extraPythonPackages = mkOption {
    type = types.listOf types.package;
    default = [ ];
    description = "Python packages for the host, built for its version of Python: plugins that are entry points, and what they import.";
  };

  onConflict = mkOption {
    type = types.enum [
      "fail"
      "keep"
      "move"
    ];
    default = "fail";
    description = ''
      What to do where a plugin of yours stands in the way of one from Nix or has the same name: "fail" changes nothing,
      "keep" leaves yours and hides the one from Nix, "move" puts yours into `.nix-plugins/replaced`.
    '';
  };

  prefixProviders = mkOption {
    type = types.bool;
    default = false;
    description = ''
      Whether links of memory and model providers have the prefix `nix-managed-`, too. The host names a memory provider
      by its directory, so that it is then called `nix-managed-<name>`; `memory.provider` is set to that.
    '';
  };

  # Internal options, which other modules of this project set and read.
  package = mkOption {
    type = types.nullOr types.package;
    default = null;
    internal = true;
    description = "The host, where it is known.";
  };
  baseConfig = mkOption {
    type = types.attrsOf types.anything;
    default = { };
    internal = true;
    description = "Further settings for the home's config.yaml.";
  };
  directories = mkOption {
    type = types.listOf types.str;
    default = [ ];
    internal = true;
    description = "Directories to make in the home.";
  };
  hostConfig = mkOption {
    type = types.attrsOf types.anything;
    readOnly = true;
    internal = true;
    description = "What the host's configuration has to say for these plugins.";
  };
  pluginSet = mkOption {
    type = types.package;
    readOnly = true;
    internal = true;
    description = "The built set.";
  };
  linkCommand = mkOption {
    type = types.listOf types.str;
    readOnly = true;
    internal = true;
    description = "The command that brings a home in line with the set.";
  };
}
