# SPDX-License-Identifier: Apache-2.0
# cmake -DOUT=x.c -DHEADER=x.h -DTYPE="struct x" -DLIST=xs -DFILES="a.json;b.json" [-DSTRIP=.json] -P embed_files.cmake
# Writes a C file with an array LIST of TYPE, { name, { bytes, size } } for each file and zeros at the end; HEADER
# declares it.
set(body "/* Made by cmake/embed_files.cmake. */\n#include \"${HEADER}\"\n\n")
set(list "")
set(i 0)
foreach(file ${FILES})
    get_filename_component(name ${file} NAME)
    if(STRIP)
        string(REGEX REPLACE "${STRIP}$" "" name ${name})
    endif()
    file(READ ${file} hex HEX)
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${hex}")
    string(REPEAT "'.x..'," 12 line)
    string(REGEX REPLACE "(${line})" "\\1\n    " bytes "${bytes}")
    string(APPEND body "static const char text_${i}[] = {\n    ${bytes}\n};\n\n")
    string(APPEND list "    {\"${name}\", {text_${i}, sizeof(text_${i})}},\n")
    math(EXPR i "${i} + 1")
endforeach()
string(APPEND body "const ${TYPE} ${LIST}[] = {\n${list}    {0},\n};\n")
file(WRITE ${OUT} "${body}")
