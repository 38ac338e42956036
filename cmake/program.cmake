# SPDX-License-Identifier: Apache-2.0
# tt-perf, and the names of the tools it stands in for (links to the same binary).
file(GLOB cli_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/cli/*.c)
add_executable(tt-perf ${cli_sources})
target_include_directories(tt-perf PRIVATE ${CMAKE_SOURCE_DIR}/cli)
target_compile_definitions(tt-perf PRIVATE TTP_VERSION="${PROJECT_VERSION}"
    TTP_BUILD_TYPE="${CMAKE_BUILD_TYPE}" TTP_BUILD_SANITIZE="${TTP_SANITIZE}")
target_link_libraries(tt-perf PRIVATE ttperf_static)

set(TTP_DROP_IN_NAMES tt-perf-report)
foreach(name ${TTP_DROP_IN_NAMES})
    add_custom_command(TARGET tt-perf POST_BUILD
        COMMAND ${CMAKE_COMMAND} -E create_symlink tt-perf ${CMAKE_BINARY_DIR}/${name})
endforeach()
