# A small stand-in for the `lib` of nixpkgs: its module system and the helpers that the modules and their tests use, so
# that the modules can be evaluated without nixpkgs. tests/nix/agree.nix compares it with the real lib.
let
  inherit (builtins)
    attrNames
    concatMap
    concatStringsSep
    elem
    elemAt
    filter
    foldl'
    head
    isAttrs
    isPath
    isString
    length
    listToAttrs
    mapAttrs
    replaceStrings
    substring
    tail
    ;

  types = import ./types.nix { inherit lib; };
  modules = import ./modules.nix { inherit lib; };

  lib = types // modules // rec {
    # The builtins that the lib of nixpkgs re-exports and that are used here.
    inherit (builtins)
      all
      attrNames
      attrValues
      concatMap
      concatStringsSep
      elem
      elemAt
      filter
      foldl'
      genList
      head
      isList
      length
      listToAttrs
      mapAttrs
      tail
      ;

    showOption = concatStringsSep ".";
    isType = t: x: isAttrs x && (x._type or "") == t;
    isDerivation = x: (x.type or null) == "derivation";
    isStorePath =
      x:
      (isString x || isPath x || x ? outPath)
      && substring 0 1 (toString x) == "/"
      && dirOf (toString x) == builtins.storeDir;
    licenses.mit.spdxId = "MIT";

    mkOption = option: { _type = "option"; } // option;
    mkDefault = types.mkOverride 1000;
    mkForce = types.mkOverride 50;
    mkEnableOption =
      text:
      mkOption {
        type = types.types.bool;
        default = false;
        example = true;
        description = "Whether to enable ${text}.";
      };
    literalExpression = text: {
      _type = "literalExpression";
      inherit text;
    };

    last = xs: elemAt xs (length xs - 1);
    unique = foldl' (acc: x: if elem x acc then acc else acc ++ [ x ]) [ ];
    optional = c: x: if c then [ x ] else [ ];
    optionals = c: xs: if c then xs else [ ];

    genAttrs =
      names: f:
      listToAttrs (
        map (name: {
          inherit name;
          value = f name;
        }) names
      );
    hasAttrByPath = path: a: path == [ ] || (isAttrs a && a ? ${head path} && hasAttrByPath (tail path) a.${head path});
    mapAttrsToList = f: a: map (n: f n a.${n}) (attrNames a);
    optionalAttrs = c: a: if c then a else { };
    recursiveUpdate =
      a: b: a // mapAttrs (n: v: if a ? ${n} && isAttrs a.${n} && isAttrs v then recursiveUpdate a.${n} v else v) b;

    concatMapStrings = f: xs: concatStringsSep "" (map f xs);
    escapeShellArg =
      x:
      let
        s = toString x;
      in
      if builtins.match "[[:alnum:],._+:@%/-]+" s != null then s else "'${replaceStrings [ "'" ] [ "'\\''" ] s}'";
    escapeShellArgs = xs: concatStringsSep " " (map escapeShellArg xs);
    getName = x: if isString x then (builtins.parseDrvName x).name else x.pname or (getName x.name);
    hasPrefix = p: s: substring 0 (builtins.stringLength p) s == p;
    removeSuffix =
      suffix: s:
      let
        rest = builtins.stringLength s - builtins.stringLength suffix;
      in
      if rest >= 0 && substring rest (-1) s == suffix then substring 0 rest s else s;
    optionalString = c: s: if c then s else "";
    removePrefix = p: s: if hasPrefix p s then substring (builtins.stringLength p) (-1) s else s;

    # The tests that fail, as in nixpkgs.
    runTests =
      tests:
      concatMap (
        name:
        let
          t = tests.${name};
        in
        if t.expr == t.expected then
          [ ]
        else
          [
            {
              inherit name;
              inherit (t) expected;
              result = t.expr;
            }
          ]
      ) (filter (hasPrefix "test") (attrNames tests));
  };
in
lib
