# carat_add_folders(): adds every subfolder with a CMakeLists.txt. Targets may name each other
# freely; scripts/check_includes.py checks which module may use which.
function(carat_add_folders)
  file(GLOB lists CONFIGURE_DEPENDS */CMakeLists.txt)
  foreach(list IN LISTS lists)
    get_filename_component(folder ${list} DIRECTORY)
    add_subdirectory(${folder})
  endforeach()
endfunction()
