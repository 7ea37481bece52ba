# cmake --install: the library, its headers, the program, and what find_package(emgnn) needs.
include(CMakePackageConfigHelpers)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/emgnn)
install(TARGETS emgnn emgnn_base EXPORT emgnn-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS emgnn_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(EMGNN_RDKIT)
  install(TARGETS emgnn_chem LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
set(EMGNN_FIND_FMT "find_dependency(fmt)")
if(TARGET emgnn_fmt)
  set(EMGNN_FIND_FMT "")
  install(TARGETS emgnn_fmt EXPORT emgnn-targets)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/third_party/include/fmt DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/emgnn/third_party)
endif()
install(EXPORT emgnn-targets NAMESPACE emgnn:: DESTINATION ${package})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/emgnn-config.cmake.in ${PROJECT_BINARY_DIR}/emgnn-config.cmake
  INSTALL_DESTINATION ${package})
# Before 1.0 a new minor version may change anything.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/emgnn-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/emgnn-config.cmake ${PROJECT_BINARY_DIR}/emgnn-config-version.cmake DESTINATION ${package})
