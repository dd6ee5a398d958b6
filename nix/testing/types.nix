# Definitions and the types that merge them, for the module system of the stand-in.
{ lib }:
let
  inherit (builtins)
    all
    attrNames
    concatLists
    concatMap
    concatStringsSep
    elem
    elemAt
    filter
    foldl'
    genList
    head
    isAttrs
    isBool
    isFunction
    isInt
    isList
    isPath
    isString
    length
    listToAttrs
    map
    mapAttrs
    toJSON
    ;
  inherit (lib)
    evalModules
    isDerivation
    isStorePath
    isType
    last
    showOption
    unique
    ;

  mkIf = condition: content: { _type = "if"; inherit condition content; };
  mkMerge = contents: { _type = "merge"; inherit contents; };
  mkOverride = priority: content: { _type = "override"; inherit priority content; };

  # One level of a tree of attribute sets: properties move to the children, so
  # that a condition is evaluated only when a value is needed.
  pushDown =
    v:
    if isType "merge" v then
      concatMap pushDown v.contents
    else if isType "if" v then
      map (mapAttrs (_: mkIf v.condition)) (pushDown v.content)
    else if isType "override" v then
      map (mapAttrs (_: mkOverride v.priority)) (pushDown v.content)
    else
      [ v ];

  discharge =
    def:
    let
      v = def.value;
    in
    if isType "merge" v then
      concatMap (x: discharge (def // { value = x; })) v.contents
    else if isType "if" v then
      (if v.condition then discharge (def // { value = v.content; }) else [ ])
    else
      [ def ];

  prioOf = def: if isType "override" def.value then def.value.priority else 100;
  strip = def: if isType "override" def.value then def // { value = def.value.content; } else def;
  strongest =
    defs:
    let
      best = foldl' (a: d: if prioOf d < a then prioOf d else a) 9999 defs;
    in
    {
      inherit best;
      defs = map strip (filter (d: prioOf d == best) defs);
    };

  mergeDefs =
    loc: type: rawDefs:
    let
      s = strongest (concatMap discharge rawDefs);
      bad = filter (d: !(type.check d.value)) s.defs;
      value =
        if s.defs == [ ] then
          throw "The option `${showOption loc}' was accessed but has no value defined. Try setting the option."
        else if bad != [ ] then
          throw (
            "A definition for option `${showOption loc}' is not of type `${type.description}' (in ${(head bad).file})."
          )
        else
          type.merge loc s.defs;
    in
    {
      inherit value;
      inherit (s) defs;
      highestPrio = s.best;
      isDefined = s.defs != [ ];
    };

  one =
    loc: defs:
    if all (d: d.value == (head defs).value) defs then
      (head defs).value
    else
      throw (
        "The option `${showOption loc}' has conflicting definition values: "
        + "${concatStringsSep ", " (map (d: d.file) defs)}."
      );

  mkOptionType =
    {
      name,
      check ? (_: true),
      merge ? one,
      description ? name,
      nestedTypes ? { },
      getSubOptions ? (_: { }),
      functor ? { },
    }:
    {
      _type = "option-type";
      inherit name description check merge nestedTypes getSubOptions functor;
    };

  simple = name: check: mkOptionType { inherit name check; };

  types = {
    inherit mkOptionType;
    bool = simple "bool" isBool;
    int = simple "int" isInt;
    str = simple "str" isString;
    path = simple "path" (x: isPath x || (isString x && builtins.substring 0 1 x == "/"));
    attrs = mkOptionType {
      name = "attrs";
      check = isAttrs;
      merge = _: defs: foldl' (a: d: a // d.value) { } defs;
    };
    unspecified = mkOptionType {
      name = "unspecified";
      merge =
        loc: defs:
        if length defs == 1 then
          (head defs).value
        else if all (d: isList d.value) defs then
          concatLists (map (d: d.value) defs)
        else if all (d: isAttrs d.value) defs then
          foldl' (a: d: a // d.value) { } defs
        else
          one loc defs;
    };
    anything = mkOptionType {
      name = "anything";
      merge =
        loc: defs:
        if all (d: isAttrs d.value && !(isDerivation d.value)) defs then
          (types.attrsOf types.anything).merge loc defs
        else
          one loc defs;
    };
    package = mkOptionType {
      name = "package";
      check = x: isDerivation x || isStorePath x;
    };
    enum =
      values:
      mkOptionType {
        name = "enum";
        description = "one of ${concatStringsSep ", " (map toJSON values)}";
        check = x: elem x values;
        functor.payload = { inherit values; };
      };
    nullOr =
      t:
      mkOptionType {
        name = "nullOr";
        nestedTypes.elemType = t;
        inherit (t) getSubOptions;
        check = x: x == null || t.check x;
        merge = loc: defs: if all (d: d.value == null) defs then null else t.merge loc defs;
      };
    listOf =
      t:
      mkOptionType {
        name = "listOf";
        nestedTypes.elemType = t;
        getSubOptions = loc: t.getSubOptions (loc ++ [ "*" ]);
        check = isList;
        merge =
          loc: defs:
          concatLists (
            map (
              d:
              let
                at = i: mergeDefs (loc ++ [ "[${toString i}]" ]) t [ (d // { value = elemAt d.value i; }) ];
              in
              map (m: m.value) (filter (m: m.isDefined) (genList at (length d.value)))
            ) defs
          );
      };
    attrsOf =
      t:
      mkOptionType {
        name = "attrsOf";
        nestedTypes.elemType = t;
        getSubOptions = loc: t.getSubOptions (loc ++ [ "<name>" ]);
        check = isAttrs;
        merge =
          loc: defs:
          let
            flat = concatMap (d: map (v: { inherit (d) file; value = v; }) (pushDown d.value)) defs;
            names = unique (concatMap (d: attrNames d.value) flat);
            of =
              n:
              mergeDefs (loc ++ [ n ]) t (
                map (d: { inherit (d) file; value = d.value.${n}; }) (filter (d: d.value ? ${n}) flat)
              );
          in
          mapAttrs (_: m: m.value) (
            listToAttrs (filter (x: x.value.isDefined) (map (name: { inherit name; value = of name; }) names))
          );
      };
    submodule =
      module:
      mkOptionType {
        name = "submodule";
        getSubOptions =
          loc:
          removeAttrs
            (evalModules {
              prefix = loc;
              specialArgs.name = "<name>";
              modules = [ module ];
            }).options
            [ "_module" ];
        check = x: isAttrs x || isFunction x;
        merge =
          loc: defs:
          (evalModules {
            prefix = loc;
            specialArgs.name = last loc;
            modules = [ module ] ++ map (d: { _file = d.file; __def = d.value; }) defs;
          }).config;
      };
  };
in
{
  inherit
    discharge
    mergeDefs
    mkIf
    mkMerge
    mkOverride
    pushDown
    types
    ;
}
