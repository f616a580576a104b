# carat_add_folders(): every folder here that has a CMakeLists.txt. Targets may name each other
# freely; which module may use which is checked by scripts/check_includes.py, not by their order.
function(carat_add_folders)
  file(GLOB lists CONFIGURE_DEPENDS */CMakeLists.txt)
  foreach(list IN LISTS lists)
    get_filename_component(folder ${list} DIRECTORY)
    add_subdirectory(${folder})
  endforeach()
endfunction()
