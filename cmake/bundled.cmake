# The libraries that a bundle carries in third_party/, under the names that find_package would give them.
set(third_party ${PROJECT_SOURCE_DIR}/third_party)
set(RANDOM123_INCLUDE_DIR ${third_party}/include)

# fmt is part of emgnn's own headers, so it is installed with them.
add_library(emgnn_fmt INTERFACE)
target_compile_definitions(emgnn_fmt INTERFACE FMT_HEADER_ONLY)
target_include_directories(emgnn_fmt SYSTEM INTERFACE
  $<BUILD_INTERFACE:${third_party}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/emgnn/third_party>)
add_library(fmt::fmt ALIAS emgnn_fmt)

add_library(emgnn_headers INTERFACE)
target_include_directories(emgnn_headers SYSTEM INTERFACE ${third_party}/include)
add_library(nlohmann_json::nlohmann_json ALIAS emgnn_headers)
add_library(CLI11::CLI11 ALIAS emgnn_headers)
add_library(tomlplusplus::tomlplusplus ALIAS emgnn_headers)

if(EMGNN_DEV)
  add_library(emgnn_gtest STATIC EXCLUDE_FROM_ALL ${third_party}/googletest/src/gtest-all.cc)
  target_include_directories(emgnn_gtest SYSTEM PUBLIC ${third_party}/googletest/include PRIVATE ${third_party}/googletest)
  target_link_libraries(emgnn_gtest PUBLIC Threads::Threads)
  add_library(emgnn_gtest_main STATIC EXCLUDE_FROM_ALL ${third_party}/googletest/src/gtest_main.cc)
  target_link_libraries(emgnn_gtest_main PUBLIC emgnn_gtest)
  add_library(GTest::gtest ALIAS emgnn_gtest)
  add_library(GTest::gtest_main ALIAS emgnn_gtest_main)
endif()
