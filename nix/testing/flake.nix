{
  # Stands in for nixpkgs where there is none. tests/nix/test_builds.py puts it into a directory with nix/testing,
  # pyproject.toml and machine.nix, which says where Python and PyYAML are.
  outputs =
    { self }:
    {
      lib = import ./nix/testing/lib.nix;
      legacyPackages.x86_64-linux = import ./nix/testing/pkgs.nix (
        import ./machine.nix // { system = "x86_64-linux"; }
      );
    };
}
