# SPDX-License-Identifier: Apache-2.0
# cmake -DOUT=schemas.c -DFILES="a.json;b.json" -P embed_schemas.cmake
# Writes a C file with the bytes of each schema; see cli/schemas.h.
set(body "/* Made from docs/schemas/ by cmake/embed_schemas.cmake. */\n#include \"schemas.h\"\n\n")
set(list "")
set(i 0)
foreach(file ${FILES})
    get_filename_component(name ${file} NAME)
    string(REGEX REPLACE "\\.json$" "" name ${name})
    file(READ ${file} hex HEX)
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
    string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)" "\\1\n    " bytes "${bytes}")
    string(APPEND body "static const char text_${i}[] = {\n    ${bytes}\n};\n\n")
    string(APPEND list "    {\"${name}\", {text_${i}, sizeof(text_${i})}},\n")
    math(EXPR i "${i} + 1")
endforeach()
string(APPEND body "const struct ttp_schema ttp_schemas[] = {\n${list}    {0},\n};\n")
file(WRITE ${OUT} "${body}")
