# Makes configs/keys.txt of the output of `emgnn train --help-config`. `./dev docs` runs it.
# Input: as of config_page.awk.

/^@ / {
  method = $2
  data = $3
}

/^  [^ ].* = / {
  line = $1 " " data
  if (!(line in readers)) order[++count] = line
  if (!((line, method) in seen)) readers[line] = readers[line] " " method
  seen[line, method] = 1
}

END {
  print "# Every setting, the data it is read on, and the methods that read it. Written by `./dev docs`; do not edit it by hand."
  for (i = 1; i <= count; ++i) print order[i] readers[order[i]]
}
