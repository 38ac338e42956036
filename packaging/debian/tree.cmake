# SPDX-License-Identifier: Apache-2.0
# What Debian wants otherwise than `cmake --install` leaves it. Run by cpack on the tree to be packed.
if(NOT CPACK_GENERATOR STREQUAL DEB)
    return()
endif()
set(share ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr/share)
set(doc ${share}/doc/${CPACK_PACKAGE_NAME})

function(pack)
    execute_process(COMMAND gzip -9nf ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(GLOB pages ${share}/man/man1/*.1)
pack(${pages})

# Debian's zsh looks for the functions of packages here.
if(EXISTS ${share}/zsh/site-functions)
    file(RENAME ${share}/zsh/site-functions ${share}/zsh/vendor-completions)
endif()

# The changelog in Debian's form, dated as the release is; ours stays next to it.
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/../../CHANGELOG.md heading REGEX "^## \\[${CPACK_PACKAGE_VERSION}] - " LIMIT_COUNT 1)
string(REGEX REPLACE "^.* - " "" day "${heading}")
execute_process(COMMAND date -u -R -d "${day}" OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE
    COMMAND_ERROR_IS_FATAL ANY)
file(WRITE ${doc}/changelog "${CPACK_PACKAGE_NAME} (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium\n\n"
    "  * Release ${CPACK_PACKAGE_VERSION}, see CHANGELOG.md.gz.\n\n"
    " -- ${CPACK_DEBIAN_PACKAGE_MAINTAINER}  ${date}\n")
pack(${doc}/changelog)
if(EXISTS ${doc}/CHANGELOG.md)
    pack(${doc}/CHANGELOG.md)
endif()

file(COPY_FILE ${CMAKE_CURRENT_LIST_DIR}/copyright ${doc}/copyright)
file(MAKE_DIRECTORY ${share}/lintian/overrides)
file(READ ${CMAKE_CURRENT_LIST_DIR}/lintian-overrides overrides)
string(REPLACE "\ntt-perf: " "\n${CPACK_PACKAGE_NAME}: " overrides "${overrides}")
file(WRITE ${share}/lintian/overrides/${CPACK_PACKAGE_NAME} "${overrides}")
