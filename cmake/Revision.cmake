# Run at every build: writes REVISION_FILE with the revision of the sources, if it has changed.
execute_process(COMMAND git describe --always --dirty --abbrev=10 --exclude=*
                WORKING_DIRECTORY ${SOURCE_DIR} OUTPUT_VARIABLE revision
                OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed OR NOT revision)
  set(revision "unknown")
endif()
file(CONFIGURE OUTPUT ${REVISION_FILE} CONTENT "#define CARAT_REVISION \"${revision}\"\n")
