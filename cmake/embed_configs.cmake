# Writes OUTPUT, a C++ source with the text of every file of configs/ (FILES).
function(emgnn_embed_configs output)
  set(entries "")
  foreach(file IN LISTS ARGN)
    get_filename_component(name ${file} NAME_WE)
    file(READ ${file} text)
    string(APPEND entries "      {\"${name}\", R\"toml(${text})toml\"},\n")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  endforeach()
  file(CONFIGURE OUTPUT ${output} @ONLY CONTENT
"// Generated from configs/.
#include <emgnn/em/shipped_configs.h>

namespace emgnn {

const std::vector<ShippedConfig>& shipped_configs() {
  static const std::vector<ShippedConfig> all = {
@entries@  };
  return all;
}

}  // namespace emgnn
")
endfunction()
