# Writes OUTPUT, the C++ source behind base/shipped_files.h: the path below ROOT, without its suffix, and the text of every file
# that follows.
function(emgnn_embed_configs output root)
  set(entries "")
  foreach(file IN LISTS ARGN)
    file(RELATIVE_PATH path ${root} ${file})
    string(REGEX REPLACE "\\.toml$" "" path ${path})
    file(READ ${file} text)
    string(APPEND entries "      {\"${path}\", R\"toml(${text})toml\"},\n")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  endforeach()
  file(CONFIGURE OUTPUT ${output} @ONLY CONTENT
"// Generated from configs/.
#include <emgnn/base/shipped_files.h>

namespace emgnn {

std::span<const ShippedFile> shipped_files() {
  static constexpr ShippedFile kFiles[] = {
@entries@  };
  return kFiles;
}

}  // namespace emgnn
")
endfunction()
