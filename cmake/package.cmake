# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` puts where, and the packages made of it (./dev package).
install(TARGETS tt-perf ttperf_static ttperf_shared)
install(FILES include/ttperf.h TYPE INCLUDE)
# In a package of its own, because tt-perf must not depend on MPI: cmake --install BUILD --component mpi
if(TARGET tt-perf-mpi)
    install(TARGETS tt-perf-mpi RUNTIME COMPONENT mpi EXCLUDE_FROM_ALL)
    install(FILES docs/man/tt-perf-mpi.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT mpi EXCLUDE_FROM_ALL)
endif()

# libttperf.pc: paths follow the file, so that the tree may be moved; absolute folders stay what they are.
set(pc_libdir ${CMAKE_INSTALL_LIBDIR})
set(pc_includedir ${CMAKE_INSTALL_INCLUDEDIR})
if(IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR})
    set(pc_prefix ${CMAKE_INSTALL_PREFIX})
else()
    file(RELATIVE_PATH up /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
    string(REGEX REPLACE "/$" "" up "${up}")
    set(pc_prefix "\${pcfiledir}/${up}")
endif()
foreach(dir pc_libdir pc_includedir)
    if(NOT IS_ABSOLUTE ${${dir}})
        set(${dir} "\${prefix}/${${dir}}")
    endif()
endforeach()
set(pc_requires_private)
if(ZLIB_FOUND)
    list(APPEND pc_requires_private zlib)
endif()
if(ZSTD_FOUND)
    list(APPEND pc_requires_private libzstd)
endif()
if(LZ4_FOUND)
    list(APPEND pc_requires_private liblz4)
endif()
list(JOIN pc_requires_private ", " pc_requires_private)
configure_file(cmake/libttperf.pc.in ${CMAKE_BINARY_DIR}/libttperf.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/libttperf.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# The names of the tools we replace. A name without a page of its own shows that of tt-perf.
file(GLOB man_pages CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/docs/man/*.1)
list(FILTER man_pages EXCLUDE REGEX "/tt-perf-mpi\\.1$")
install(FILES ${man_pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
foreach(name ${TTP_DROP_IN_NAMES})
    install(FILES ${CMAKE_BINARY_DIR}/${name} TYPE BIN) # a link, installed as one
    if(man_pages AND NOT EXISTS ${CMAKE_SOURCE_DIR}/docs/man/${name}.1)
        file(CONFIGURE OUTPUT man/${name}.1 CONTENT ".so man1/tt-perf.1\n")
        install(FILES ${CMAKE_BINARY_DIR}/man/${name}.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
    endif()
endforeach()

# Completions come from the program's own option tables.
if(EXISTS ${CMAKE_SOURCE_DIR}/cli/verbs/cmd_completion.c AND NOT CMAKE_CROSSCOMPILING)
    set(completions)
    foreach(shell bash zsh fish)
        set(file ${CMAKE_BINARY_DIR}/completion/tt-perf.${shell})
        add_custom_command(OUTPUT ${file} DEPENDS tt-perf VERBATIM
            COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/completion
            COMMAND tt-perf completion ${shell} > ${file})
        list(APPEND completions ${file})
    endforeach()
    add_custom_target(completions ALL DEPENDS ${completions})
    install(FILES ${CMAKE_BINARY_DIR}/completion/tt-perf.bash RENAME tt-perf
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
    install(FILES ${CMAKE_BINARY_DIR}/completion/tt-perf.zsh RENAME _tt-perf
        DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
    install(FILES ${CMAKE_BINARY_DIR}/completion/tt-perf.fish
        DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()

set(docs_dir ${CMAKE_INSTALL_DATADIR}/doc/tt-perf)
install(FILES README.md CHANGELOG.md SECURITY.md DESTINATION ${docs_dir})
install(FILES examples/report.c DESTINATION ${docs_dir}/examples)
install(FILES LICENSE DESTINATION ${docs_dir} RENAME copyright)
foreach(dir "" /formats)
    file(GLOB pages CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/docs${dir}/*.md)
    install(FILES ${pages} DESTINATION ${docs_dir}${dir})
endforeach()

if(TTP_TESTS)
    add_test(NAME install_tree
        COMMAND ${CMAKE_SOURCE_DIR}/tests/install.sh ${CMAKE_COMMAND} ${CMAKE_BINARY_DIR} ${CMAKE_C_COMPILER}
            ${TTP_DROP_IN_NAMES})
    set_tests_properties(install_tree PROPERTIES LABELS house SKIP_RETURN_CODE 77
        ENVIRONMENT "TTP_SANITIZE=${TTP_SANITIZE}")
endif()

set(CPACK_GENERATOR TGZ)
set(CPACK_PACKAGE_NAME tt-perf)
set(CPACK_PACKAGE_VENDOR "tt-perf developers")
set(CPACK_PACKAGE_CONTACT "tt-perf developers")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "performance analysis for Tenstorrent accelerators")
set(CPACK_PACKAGE_DESCRIPTION
    "tt-perf reads the performance logs of programs that ran on Tenstorrent
accelerators, prints where the time went, operation by operation, and says
what to change. This package holds the program, the library libttperf (static
and shared), its header and the manual pages.")
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "tt-perf developers")
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
# Loaded when a history in a file is opened, a picture drawn, a page served; the rest is for few.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS
    "libsqlite3-0, libcairo2, fonts-dejavu-core, libmicrohttpd12 | libmicrohttpd12t64")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libpq5")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${CMAKE_SOURCE_DIR}/packaging/debian/triggers)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_SOURCE_DIR}/packaging/debian/tree.cmake)
find_program(DPKG_SHLIBDEPS dpkg-shlibdeps)
find_program(FILE_PROGRAM file)
mark_as_advanced(DPKG_SHLIBDEPS FILE_PROGRAM)
if(DPKG_SHLIBDEPS AND FILE_PROGRAM) # Debian packages dpkg-dev and file
    list(APPEND CPACK_GENERATOR DEB)
    set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
    set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
endif()
include(CPack)

# cpack --config CPackMpiConfig.cmake: the package tt-perf-mpi.
if(TARGET tt-perf-mpi)
    configure_file(packaging/debian/mpi.cmake.in ${CMAKE_BINARY_DIR}/CPackMpiConfig.cmake @ONLY)
endif()
