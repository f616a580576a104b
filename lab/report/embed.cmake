# Builds the page (template with {{style}}, {{chart}} and {{script}} filled in) and writes it as a
# C++ array: a string literal of this length is more than the standard promises to accept.
# In: OUTPUT TEMPLATE STYLE CHART, and SCRIPTS, a list that is joined in its order.

file(READ ${TEMPLATE} page)
file(READ ${STYLE} style)
file(READ ${CHART} chart)
set(script "")
foreach(file IN LISTS SCRIPTS)
  file(READ ${file} part)
  string(APPEND script "${part}\n")
endforeach()

foreach(part IN ITEMS style chart script)
  if("${${part}}" MATCHES "</(script|style)")
    message(FATAL_ERROR "${part}: the text </${CMAKE_MATCH_1} would end the element it is set in")
  endif()
  string(REPLACE "{{${part}}}" "${${part}}" page "${page}")
endforeach()

file(WRITE ${OUTPUT}.html "${page}")
file(READ ${OUTPUT}.html bytes HEX)
string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
file(WRITE ${OUTPUT} "// Generated from lab/report/assets by embed.cmake.
#include \"lab/report/page.hpp\"

namespace carat::report {
namespace {
constexpr char text[] = {
${bytes}};
}  // namespace

std::string_view page() { return {text, sizeof text}; }

}  // namespace carat::report
")
