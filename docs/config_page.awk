# Makes docs/config.md of the output of `emgnn train --help-config`. `./dev docs` runs it.
# Input: a line "@ METHOD DATA", DATA graphs or molecules, and behind each the output for that method.

function add(list, word) { return list == "" ? word : list ", " word }
function code(text) { return "`" (text == "" ? "\"\"" : text) "`" }

# Of the methods on this kind of data ("" any) those that are in `chosen`, or those that are not: "`em-*`, `mlp`".
function names_of(chosen, kind, inside,    i, m, is_em, of, all, others, list) {
  for (i = 1; i <= num_methods; ++i) {
    m = method_name[i]
    if (kind != "" && !((m, kind) in runs_on)) continue
    is_em = m ~ /^em-/
    all += is_em
    if ((m in chosen) != inside) continue
    if (is_em) ++of
    list[++others] = m
  }
  text = of == all && of > 1 ? "`em-*`" : ""
  for (i = 1; i <= others; ++i)
    if (text !~ /^`em-\*/ || list[i] !~ /^em-/) text = add(text, code(list[i]))
  return text
}

function who(chosen, kind,    these, others) {
  these = names_of(chosen, kind, 1)
  others = names_of(chosen, kind, 0)
  if (others == "") return "all"
  return length("all but " others) < length(these) ? "all but " others : these
}

/^@ / {
  method = $2
  data = $3
  if (!(method in known)) {
    known[method] = 1
    method_name[++num_methods] = method
  }
  runs_on[method, data] = 1
  next
}

/^  [^ ].* = / {
  key = $1
  layer = $0
  sub(/^.*  \(/, "", layer)
  sub(/\)$/, "", layer)
  value = $0
  sub(/^[^=]*= /, "", value)
  sub(/  \([^()]*\)$/, "", value)
  if (!(key in seen)) {
    seen[key] = 1
    key_name[++num_keys] = key
    group[key] = key ~ /\./ ? substr(key, 1, index(key, ".") - 1) : ""
    if (!(group[key] in group_seen)) {
      group_seen[group[key]] = 1
      group_name[++num_groups] = group[key]
    }
  }
  reads[key, method] = 1
  on[key, data] = 1
  if (layer == "default") {
    if (!((key, value) in has_default)) default_value[key, ++num_defaults[key]] = value
    has_default[key, value] = 1
    default_of[key, value, method] = 1
  }
  lines = 0
  next
}

/^      / {
  text = $0
  sub(/^ +/, "", text)
  if (++lines == 1) help[key] = text
  else if (lines == 2) accepted[key] = text
}

# The one kind of data that the key is read on, or "".
function only_on(key) {
  if (!((key, "graphs") in on)) return "molecules"
  return (key, "molecules") in on ? "" : "graphs"
}

# The first, and those of methods that have another.
function default_text(key,    d, i, chosen, text) {
  if (num_defaults[key] == 0) return "set in `configs/`"
  text = code(default_value[key, 1])
  for (d = 2; d <= num_defaults[key]; ++d) {
    delete chosen
    for (i = 1; i <= num_methods; ++i)
      if ((key, default_value[key, d], method_name[i]) in default_of) chosen[method_name[i]] = 1
    text = text "; " code(default_value[key, d]) " for " names_of(chosen, only_on(key), 1)
  }
  return text
}

function readers(key,    i, chosen, kind) {
  for (i = 1; i <= num_methods; ++i)
    if ((key, method_name[i]) in reads) chosen[method_name[i]] = 1
  kind = only_on(key)
  return who(chosen, kind) (kind == "" ? "" : ", on " kind)
}

function cell(text) {
  gsub(/\|/, "\\|", text)
  gsub(/\*/, "\\*", text)
  return text
}

END {
  print "# Settings"
  print ""
  print "Every key of `--set key=value` and of `--config FILE.toml`. Written by `./dev docs`; do not edit it by hand."
  print ""
  print "A key belongs to the method, family or task that reads it. A key that nothing reads in a run is an error."
  print "The defaults below are the program's. Files of `configs/` change some of them for groups of datasets, datasets and"
  print "methods; later layers win:"
  print ""
  print "    defaults < configs/methods < configs/groups < configs/datasets < configs/recipes < --config < --set"
  print ""
  print "`emgnn train --help-config --method M --dataset D` shows the values that a run would use, and the layer of each."
  for (g = 1; g <= num_groups; ++g) {
    print ""
    print group_name[g] == "" ? "## Keys without a group" : "## " group_name[g]
    print ""
    print "| key | default | accepts | what it does | read by |"
    print "|---|---|---|---|---|"
    for (k = 1; k <= num_keys; ++k) {
      key = key_name[k]
      if (group[key] != group_name[g]) continue
      print "| `" key "` | " default_text(key) " | " cell(accepted[key]) " | " cell(help[key]) " | " readers(key) " |"
    }
  }
}
