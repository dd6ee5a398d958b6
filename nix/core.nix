# Facts about plugins, computed only with the builtins of Nix 2.8: fields of manifests, places of links, and quoting for
# systemd.
let
  inherit (builtins)
    attrNames
    attrValues
    elem
    filter
    groupBy
    head
    isString
    length
    listToAttrs
    match
    pathExists
    readDir
    readFile
    replaceStrings
    split
    substring
    ;

  lines = text: filter isString (split "\r?\n" text);

  # A YAML scalar on one line: plain, 'single' or "double" quoted, with an optional comment; null for other YAML.
  scalar =
    text:
    let
      double = match "[ \t]*\"([^\"\\]*)\"[ \t]*(#.*)?" text;
      single = match "[ \t]*'([^']*)'[ \t]*(#.*)?" text;
      first = "[^][ \t\"'#&*!|>%@`{},]";
      plain = match "[ \t]*(${first}[^#]*[^# \t]|${first})([ \t]+#.*)?[ \t]*" text;
      found = filter (x: x != null) [ double single plain ];
    in
    if found == [ ] then null else head (head found);

  # The value of a top-level key of a manifest, or null if the key is missing or its value is not a scalar on one line.
  field =
    key: text:
    let
      found = filter (x: x != null) (map (match "${key}:([ \t].*)?") (lines text));
    in
    if found == [ ] || head (head found) == null then null else scalar (head (head found));

  manifestFile =
    directory:
    let
      found = filter pathExists [ (directory + "/plugin.yaml") (directory + "/plugin.yml") ];
    in
    if found == [ ] then null else head found;

  # The plugin in a source: the source itself, or the only directory in it that has a manifest.
  pluginDirectory =
    source:
    let
      entries = readDir source;
      isPlugin = name: entries.${name} == "directory" && manifestFile (source + "/${name}") != null;
      found = filter isPlugin (attrNames entries);
    in
    if manifestFile source != null then
      source
    else if length found == 1 then
      source + "/${head found}"
    else
      null;

  # The host's guess for a manifest without `kind`, from the first 8192 characters of the code (statement A28).
  guessedKind =
    directory:
    let
      file = directory + "/__init__.py";
      code = if pathExists file then substring 0 8192 (readFile file) else "";
      has = word: length (split word code) > 1;
    in
    if has "register_memory_provider" || has "MemoryProvider" then
      "exclusive"
    else if has "register_provider" && has "ProviderProfile" then
      "model-provider"
    else
      "standalone";

  # The fields of the manifest in a source, which is not built; null if there is no manifest.
  readManifest =
    source:
    let
      directory = pluginDirectory source;
      text = readFile (manifestFile directory);
      kind = field "kind" text;
    in
    if directory == null then
      null
    else
      {
        name = field "name" text;
        version = field "version" text;
        kind = if kind != null then kind else guessedKind directory;
      };
in
rec {
  inherit field readManifest;

  kinds = [
    "standalone"
    "backend"
    "platform"
    "exclusive"
    "model-provider"
  ];

  # The prefix of the path of a plugin below $HERMES_HOME/plugins, by kind. The host names a memory provider by its
  # directory, and searches for model providers in only one directory.
  places =
    { managed, providers }:
    let
      prefix = wanted: if wanted then "nix-managed-" else "";
    in
    {
      standalone = prefix managed;
      backend = prefix managed;
      platform = prefix managed;
      exclusive = prefix providers;
      model-provider = "model-providers/" + prefix providers;
    };

  # The configuration that plugins `{ name, kind, activate, settings }` at these places need.
  hostConfig =
    places: plugins:
    let
      place = plugin: places.${plugin.kind} + plugin.name;
      # The key of a plugin's entry is its name, or for a model provider its path.
      entry = plugin: {
        name = if plugin.kind == "model-provider" then place plugin else plugin.name;
        value = plugin.settings;
      };
      entries = listToAttrs (map entry (filter (plugin: plugin.settings != { }) plugins));
      providers = memoryProviders plugins;
      enabled = filter (plugin: plugin.activate && !(elem plugin.kind [ "exclusive" "model-provider" ])) plugins;
    in
    {
      plugins = {
        enabled = map (plugin: plugin.name) enabled;
      }
      // (if entries == { } then { } else { inherit entries; });
    }
    // (if providers == [ ] then { } else { memory.provider = place (head providers); });

  # The active memory providers; the host runs only one of them.
  memoryProviders = filter (plugin: plugin.activate && plugin.kind == "exclusive");

  # Whether a name is valid as a directory and as a key of the configuration. The host skips providers whose directory
  # begins with '_' or '.'.
  validName = name: match "[A-Za-z0-9]([A-Za-z0-9._ +-]*[A-Za-z0-9_+-])?" name != null;

  duplicates = names: map head (filter (group: length group > 1) (attrValues (groupBy (name: name) names)));

  # Fewer characters are allowed in names in the store than in names of plugins.
  storeName =
    name:
    builtins.concatStringsSep "" (map (x: if isString x then x else "-") (split "[^A-Za-z0-9+._?=-]+" name));

  # Escape text for systemd: a path that is a whole setting, a word of a list, and the words of an Exec line.
  systemdPath = replaceStrings [ "%" ] [ "%%" ];
  systemdWord = word: builtins.toJSON (replaceStrings [ "%" ] [ "%%" ] word);
  systemdExec = words: toString (map (word: builtins.toJSON (replaceStrings [ "%" "$" ] [ "%%" "$$" ] word)) words);
}
