# The Python for the package. CARAT_BUILD_PYTHON: AUTO builds it if tests are built and Python has
# what it needs, ON requires it, OFF does not look. The Python of .venv, which scripts/setup.sh
# makes, comes first.

# carat_find_python(REASON): finds Python and nanobind, or says what is missing.
macro(carat_find_python reason)
  set(${reason} "")
  set(carat_venv ${PROJECT_SOURCE_DIR}/.venv/bin/python)
  if(NOT DEFINED Python_EXECUTABLE AND NOT DEFINED SKBUILD AND EXISTS ${carat_venv})
    set(Python_EXECUTABLE ${carat_venv} CACHE FILEPATH "Python of the package carat_gemm")
  endif()
  find_package(Python 3.10 QUIET COMPONENTS Interpreter Development.Module
               OPTIONAL_COMPONENTS Development.SABIModule)
  if(NOT Python_FOUND)
    set(${reason} "no Python 3.10 or newer with its headers (python3-dev); scripts/setup.sh test installs them")
  else()
    execute_process(COMMAND ${Python_EXECUTABLE} -m nanobind --cmake_dir
                    OUTPUT_VARIABLE carat_nanobind OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    find_package(nanobind CONFIG QUIET PATHS ${carat_nanobind} NO_DEFAULT_PATH)
    if(NOT nanobind_FOUND)
      set(${reason} "${Python_EXECUTABLE} has no nanobind; scripts/setup.sh test installs it")
    endif()
  endif()
endmacro()
