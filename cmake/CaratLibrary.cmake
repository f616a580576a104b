# What programs link, here and after find_package(carat): the headers and one library, shared unless
# BUILD_SHARED_LIBS is OFF. Tests of internals link the modules.

# All modules that a module needs, and itself.
function(carat_modules_behind module result)
  set(open ${module})
  set(found "")
  while(open)
    list(POP_FRONT open next)
    list(APPEND found ${next})
    get_target_property(links ${next} LINK_LIBRARIES)
    foreach(link IN LISTS links)
      if(link MATCHES "^carat_" AND NOT link IN_LIST found AND NOT link IN_LIST open AND TARGET ${link})
        get_target_property(type ${link} TYPE)
        if(type STREQUAL "STATIC_LIBRARY")
          list(APPEND open ${link})
        endif()
      endif()
    endforeach()
  endwhile()
  set(${result} ${found} PARENT_SCOPE)
endfunction()

if(DEFINED BUILD_SHARED_LIBS AND NOT BUILD_SHARED_LIBS)
  # One archive of all modules, since programs that link it do not know them.
  carat_modules_behind(carat_api modules)
  list(APPEND modules carat_c)
  set(objects "")
  foreach(module IN LISTS modules)
    get_target_property(more ${module} CARAT_OBJECT_TARGETS) # compiled for one instruction set, or other GPUs
    foreach(target IN LISTS module more)
      if(TARGET ${target})
        list(APPEND objects $<TARGET_OBJECTS:${target}>)
      endif()
    endforeach()
  endforeach()
  add_library(carat STATIC ${objects})
  target_link_libraries(carat PRIVATE OpenMP::OpenMP_CXX Threads::Threads ${CMAKE_DL_LIBS}
                                      $<$<BOOL:${CARAT_CUDA_ENABLED}>:CUDA::cudart_static>)
else()
  add_library(carat SHARED $<TARGET_OBJECTS:carat_api> $<TARGET_OBJECTS:carat_c>)
  get_target_property(modules carat_api LINK_LIBRARIES)
  list(FILTER modules INCLUDE REGEX "^carat_")
  # Exports are listed by name: otherwise the standard library's templates and the CUDA runtime
  # inside would be visible.
  set(exports ${CMAKE_CURRENT_LIST_DIR}/exports.map)
  target_link_libraries(carat PRIVATE ${modules})
  # Bound at once, since binding at a first call takes kilobytes of that thread's stack. Never
  # unloaded, since workers and per-thread values end in it.
  target_link_options(carat PRIVATE LINKER:--version-script=${exports} LINKER:--as-needed
                                    LINKER:-z,now LINKER:-z,nodelete)
  set_target_properties(carat PROPERTIES
                        VERSION ${PROJECT_VERSION} LINK_DEPENDS ${exports}
                        SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
endif()
set_target_properties(carat PROPERTIES LINKER_LANGUAGE CXX)
target_include_directories(carat INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
target_compile_features(carat INTERFACE cxx_std_20)
add_library(carat::carat ALIAS carat)
