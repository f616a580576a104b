# What `cmake --install` and `cpack` install: the shared library with its headers, the drop-in BLAS,
# a CMake package and pkg-config files, the command, and the libraries that it opens at run time.
# Packages contain only carat.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# carat's own libraries that the command opens at run time have the same relative place in the build
# (cli/) and once installed (bin/), so that both have one RPATH. If they differed, CMake would pad
# the first with colons, and the loader takes an empty element for the current directory. Libraries
# from other folders are found in both.
cmake_path(SET CARAT_INSTALLED_PEERS NORMALIZE ${CMAKE_INSTALL_BINDIR}/../lib/carat)
set(CARAT_PEER_FOLDER ${PROJECT_BINARY_DIR}/lib/carat)
set(CARAT_PEERS_OF_COMMAND "$ORIGIN/../lib/carat")
set(CMAKE_BUILD_RPATH ${CARAT_PEER_FOLDER})
set(CMAKE_BUILD_WITH_INSTALL_RPATH ON)
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)

# carat_require_build(): what ./dev bench leaves is the command alone. An installation of that stops with
# one line, before it writes anything: this is the first of all rules.
function(carat_require_build)
  set(files "")
  foreach(target IN ITEMS carat carat_blas carat_command)
    list(APPEND files "$<$<TARGET_EXISTS:${target}>:$<TARGET_FILE:${target}>>")
  endforeach()
  install(CODE "
    set(files \"${files}\")
    foreach(file IN LISTS files)
      if(file AND NOT EXISTS \"\${file}\")
        message(FATAL_ERROR \"carat: \${file} is not built: run cmake --build ${PROJECT_BINARY_DIR} first\")
      endif()
    endforeach()" ALL_COMPONENTS)
endfunction()

# NAME.pc for the library of that name. Paths are relative, so that the tree may be moved, except
# for absolute folders that the caller of CMake gave.
function(carat_install_pkg_config name description cflags libraries)
  file(RELATIVE_PATH up_to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
  set(libdir "\${prefix}")
  set(includedir "\${prefix}")
  cmake_path(APPEND libdir "${CMAKE_INSTALL_LIBDIR}")
  cmake_path(APPEND includedir "${CMAKE_INSTALL_INCLUDEDIR}")
  configure_file(cmake/carat.pc.in ${name}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()

# What programs need to link carat: nothing more if it is shared.
function(carat_needs_of_programs cmake_lines linker_flags)
  set(lines "")
  set(flags "")
  get_target_property(type carat TYPE)
  if(type STREQUAL "STATIC_LIBRARY")
    set(lines "find_dependency(OpenMP COMPONENTS CXX)\nfind_dependency(Threads)")
    set(flags " -fopenmp -pthread -ldl")
    if(CARAT_CUDA_ENABLED)
      string(APPEND lines "\nfind_dependency(CUDAToolkit)")
      string(APPEND flags " -L${CUDAToolkit_LIBRARY_DIR} -lcudart_static -ldl -lrt")
    endif()
  endif()
  set(${cmake_lines} "${lines}" PARENT_SCOPE)
  set(${linker_flags} "${flags}" PARENT_SCOPE)
endfunction()

function(carat_install)
  install(TARGETS carat EXPORT carat-targets DESTINATION ${CMAKE_INSTALL_LIBDIR}
          INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(DIRECTORY include/carat DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING
          PATTERN "*.hpp" PATTERN "*.h" PATTERN "*.f90")
  set(CARAT_MPI_INSTALLED OFF)
  if(CARAT_MPI_ENABLED AND NOT CARAT_MPI STREQUAL "AUTO")
    set(CARAT_MPI_INSTALLED ON)
  endif()
  if(CARAT_MPI_INSTALLED AND TARGET carat_ranks_bench)
    install(TARGETS carat_ranks_bench RUNTIME DESTINATION ${CARAT_INSTALLED_PEERS})
  endif()
  if(TARGET carat_scale)
    install(TARGETS carat_scale RUNTIME DESTINATION ${CARAT_INSTALLED_PEERS})
  endif()
  get_property(ranks_libraries GLOBAL PROPERTY CARAT_RANKS_LIBRARIES)
  install(TARGETS ${ranks_libraries} EXPORT carat-targets DESTINATION ${CMAKE_INSTALL_LIBDIR}
          INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  if(TARGET carat_command)
    install(TARGETS carat_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    install(TARGETS carat_judge_host RUNTIME DESTINATION ${CARAT_INSTALLED_PEERS})
    install(FILES lab/judge/host/host.py DESTINATION ${CARAT_INSTALLED_PEERS})
    if(TARGET carat_judge_channel)
      install(TARGETS carat_judge_channel LIBRARY DESTINATION ${CARAT_INSTALLED_PEERS})
    endif()
    set(completions ${PROJECT_BINARY_DIR}/cli/completions)
    install(FILES ${completions}/carat DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
    install(FILES ${completions}/_carat DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  endif()
  install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

  set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/carat)
  carat_needs_of_programs(CARAT_PACKAGE_DEPENDENCIES libraries)
  install(EXPORT carat-targets NAMESPACE carat:: DESTINATION ${package_folder})
  configure_file(cmake/carat-config.cmake.in carat-config.cmake @ONLY)
  write_basic_package_version_file(carat-config-version.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/carat-config.cmake
                ${CMAKE_CURRENT_BINARY_DIR}/carat-config-version.cmake
          DESTINATION ${package_folder})

  carat_install_pkg_config(carat "${PROJECT_DESCRIPTION}" "-I\${includedir}" "${libraries}")
  if(TARGET carat_blas)
    install(TARGETS carat_blas carat_blas64 EXPORT carat-targets
            LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
            INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
    install(TARGETS carat_blas_alternative carat_blas64_alternative
            DESTINATION ${CARAT_INSTALLED_PEERS}/blas)
    carat_install_pkg_config(carat_blas "A drop-in BLAS on carat" "-I\${includedir}" "")
    carat_install_pkg_config(carat_blas64 "A drop-in BLAS on carat, of 64-bit integers"
                             "-I\${includedir} -DCARAT_BLAS_INTEGER_BITS=64" "")
  endif()
endfunction()

if(PROJECT_IS_TOP_LEVEL)
  set(CPACK_GENERATOR DEB TGZ) # the tarball may be unpacked anywhere
  set(CPACK_PACKAGE_NAME carat)
  if(CARAT_CUDA_ENABLED) # another package with the same files
    set(CPACK_PACKAGE_NAME carat-cuda)
    foreach(relation CONFLICTS REPLACES PROVIDES)
      set(CPACK_DEBIAN_PACKAGE_${relation} carat)
    endforeach()
  endif()
  set(CPACK_PACKAGE_FILE_NAME
      ${CPACK_PACKAGE_NAME}-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR})
  set(CPACK_PACKAGE_CONTACT "the developers of carat")
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
  set(CPACK_DEBIAN_PACKAGE_SECTION science)
  set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libopenblas0-openmp")
  set(CPACK_STRIP_FILES ON)
  set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
  if(CARAT_BUILD_BLAS AND CMAKE_LIBRARY_ARCHITECTURE)
    set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/src/abi/blas)
    set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/cmake/debian/triggers)
    foreach(script postinst prerm)
      configure_file(cmake/debian/${script}.in debian/${script} @ONLY
                     FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
                                      WORLD_READ WORLD_EXECUTE)
      list(APPEND CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_BINARY_DIR}/debian/${script})
    endforeach()
  endif()
  include(CPack)
endif()
