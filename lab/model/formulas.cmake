# Translates formulas.hpp to JavaScript: an object `model` with each of its functions. Anything it
# cannot translate stops the build. Arguments: SOURCE OUTPUT.
cmake_minimum_required(VERSION 3.20)

file(READ ${SOURCE} text)
string(REGEX REPLACE "^.*namespace carat::model::formulas {" "" text "${text}")
string(REGEX REPLACE "}  // namespace carat.*$" "" text "${text}")
string(REGEX REPLACE "//[^\n]*" "" text "${text}")
string(REGEX REPLACE "struct [a-z_]+ {[^}]*};\n" "" text "${text}")

function(turn from to)
  string(REGEX REPLACE "${from}" "${to}" text "${text}")
  set(text "${text}" PARENT_SCOPE)
endfunction()
set(type "[a-z_:]+<?[a-z_]*>?")
set(name "([a-z_0-9]+)")
turn("\\[\\[nodiscard\\]\\] inline ${type} ${name}\\(" "function \\1(")
turn("for \\(const ${type}& ${name} :" "for@(const \\1 of")
turn("for \\(std::size_t" "for@(let")
turn("([(,][ \n]*)const ${type}& ${name}" "\\1\\2")  # parameters
turn("([(,][ \n]*)(double|bool|std::string_view) ${name}" "\\1\\3")
turn("for@" "for ")
turn("const ${type}&? ${name} =" "const \\1 =")
turn("std::vector<[a-z_]+> ${name};" "const \\1 = [];")
turn("(\n +)${type} ${name} =" "\\1let \\2 =")
turn("([{ ])\\.${name} = " "\\1\\2: ")
turn("\\.push_back\\(" ".push(")
turn("\\.size\\(\\)" ".length")
turn("std::(ceil|floor|min|max)" "Math.\\1")
turn("HUGE_VAL" "Infinity")
if(text MATCHES "[^\n]*(::|->|\\[\\[|<[a-z_]+>|double|bool|auto|[a-z_>]&|static_cast)[^\n]*")
  message(FATAL_ERROR "${SOURCE}: no rule of formulas.cmake turns this: ${CMAKE_MATCH_0}")
endif()

string(REGEX MATCHALL "function ${name}" functions "${text}")
list(TRANSFORM functions REPLACE "function " "")
list(JOIN functions ", " names)
file(WRITE ${OUTPUT} "// Made from lab/model/formulas.hpp.
const model = (() => {${text}
  return { ${names} };
})();
")
