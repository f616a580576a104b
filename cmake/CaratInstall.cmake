# What `cmake --install` and `cpack` put where: the shared library with its headers, a CMake package
# and a pkg-config file, the command, and the libraries it opens at run time.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# Libraries of our own making that the command opens at run time, in the build and once installed.
set(CARAT_PEER_FOLDER ${PROJECT_BINARY_DIR}/peers)
set(CARAT_INSTALLED_PEERS ${CMAKE_INSTALL_LIBDIR}/carat)
set(CMAKE_BUILD_RPATH ${CARAT_PEER_FOLDER})

function(carat_install)
  install(TARGETS carat EXPORT carat-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(DIRECTORY include/carat DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING
          PATTERN "*.hpp")
  install(TARGETS carat_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

  set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/carat)
  install(EXPORT carat-targets NAMESPACE carat:: FILE carat-config.cmake
          DESTINATION ${package_folder})
  write_basic_package_version_file(carat-config-version.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/carat-config-version.cmake
          DESTINATION ${package_folder})

  # Relative, so that the tree may be moved.
  file(RELATIVE_PATH up_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
  configure_file(cmake/carat.pc.in carat.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/carat.pc
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME carat)
set(CPACK_PACKAGE_CONTACT "the developers of carat")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libopenblas0-openmp")
set(CPACK_STRIP_FILES ON)
include(CPack)
