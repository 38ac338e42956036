# SPDX-License-Identifier: Apache-2.0
# tt-perf, and the names of the tools it replaces (links to the same binary). Everything but
# main() is a set of objects of its own, so that tests can link it.
file(GLOB_RECURSE cli_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/cli/*.c)
list(REMOVE_ITEM cli_sources ${CMAKE_SOURCE_DIR}/cli/main.c)
list(FILTER cli_sources EXCLUDE REGEX "/cli/mpi/")
if(TTP_COMPAT)
    list(REMOVE_ITEM cli_sources ${CMAKE_SOURCE_DIR}/cli/dropin/dropin_absent.c)
else()
    list(FILTER cli_sources EXCLUDE REGEX "/cli/dropin/")
    list(APPEND cli_sources ${CMAKE_SOURCE_DIR}/cli/dropin/dropin_absent.c)
endif()

# Texts that are part of the program: ttp_embed(C_FILE LIST SUFFIX FILE...), see cli/core/embedded.h
function(ttp_embed out list suffix)
    add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/${out}
        COMMAND ${CMAKE_COMMAND} -DOUT=${CMAKE_BINARY_DIR}/${out} -DHEADER=core/embedded.h
            "-DTYPE=struct ttp_embedded" -DLIST=${list} -DSTRIP=${suffix} "-DFILES=${ARGN}"
            -P ${CMAKE_SOURCE_DIR}/cmake/embed_files.cmake
        DEPENDS ${ARGN} ${CMAKE_SOURCE_DIR}/cmake/embed_files.cmake
        VERBATIM)
endfunction()
file(GLOB schema_files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/docs/schemas/*.json)
ttp_embed(schemas.c ttp_schemas .json ${schema_files})
file(GLOB explain_pages CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/docs/explain/*.md)
ttp_embed(explain_pages.c ttp_explain_pages .md ${explain_pages})

file(GLOB skill_pages CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/docs/skill/*.md)
ttp_embed(skill_pages.c ttp_skill_pages .md ${skill_pages})

add_library(ttp_cli OBJECT ${cli_sources} ${CMAKE_BINARY_DIR}/schemas.c
    ${CMAKE_BINARY_DIR}/explain_pages.c ${CMAKE_BINARY_DIR}/skill_pages.c)
target_include_directories(ttp_cli PUBLIC ${CMAKE_SOURCE_DIR}/cli)
target_compile_definitions(ttp_cli PRIVATE TTP_BUILD_TYPE="${CMAKE_BUILD_TYPE}"
    TTP_BUILD_SANITIZE="${TTP_SANITIZE}")
target_link_libraries(ttp_cli PUBLIC ttp_flags ttp_deps ttp_curses)

add_executable(tt-perf ${CMAKE_SOURCE_DIR}/cli/main.c)
target_link_libraries(tt-perf PRIVATE ttp_cli ttperf_static)
# Nearly all symbols that are bound at the start are the C library's: it is searched first. With ASan, its library must be.
if(NOT TTP_SANITIZE)
    target_link_options(tt-perf PRIVATE LINKER:--push-state,--no-as-needed -lc LINKER:--pop-state)
endif()

# `merge` in the processes of an MPI job, where MPI can be linked: a program of its own, so that
# tt-perf never does.
if(NOT TTP_WITHOUT MATCHES "(^|;)(all|mpi)(;|$)")
    find_package(MPI QUIET COMPONENTS C)
endif()
if(MPI_C_FOUND)
    add_library(ttp_program_main OBJECT ${CMAKE_SOURCE_DIR}/cli/main.c)
    target_compile_definitions(ttp_program_main PRIVATE main=ttp_program_main)
    target_compile_options(ttp_program_main PRIVATE -include ${CMAKE_SOURCE_DIR}/cli/mpi/program_main.h)
    target_link_libraries(ttp_program_main PRIVATE ttp_flags ttp_deps)
    target_include_directories(ttp_program_main PRIVATE ${CMAKE_SOURCE_DIR}/cli)
    add_executable(tt-perf-mpi ${CMAKE_SOURCE_DIR}/cli/mpi/mpi_main.c ${CMAKE_SOURCE_DIR}/cli/mpi/guardian.c)
    target_link_libraries(tt-perf-mpi PRIVATE ttp_program_main ttp_cli ttperf_static MPI::MPI_C)
endif()

# A build without them would only stand in the way of the tools themselves.
set(TTP_DROP_IN_NAMES)
if(TTP_COMPAT)
    set(TTP_DROP_IN_NAMES tt-perf-report tt_profile csvexport-release tracy-csvexport)
endif()
foreach(name ${TTP_DROP_IN_NAMES})
    add_custom_command(TARGET tt-perf POST_BUILD
        COMMAND ${CMAKE_COMMAND} -E create_symlink tt-perf ${CMAKE_BINARY_DIR}/${name})
endforeach()
