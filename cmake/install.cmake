# cmake --install: the library, its headers, the program, and what find_package(emgnn) needs.
include(CMakePackageConfigHelpers)
install(TARGETS emgnn EXPORT emgnn-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS emgnn_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${CMAKE_SOURCE_DIR}/src/emgnn DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(EXPORT emgnn-targets NAMESPACE emgnn:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/emgnn)
configure_package_config_file(cmake/emgnn-config.cmake.in ${CMAKE_BINARY_DIR}/emgnn-config.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/emgnn)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/emgnn-config-version.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${CMAKE_BINARY_DIR}/emgnn-config.cmake ${CMAKE_BINARY_DIR}/emgnn-config-version.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/emgnn)
