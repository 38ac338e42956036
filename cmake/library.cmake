# SPDX-License-Identifier: Apache-2.0
# libttperf: one set of objects, a static and a shared library. A folder below src/ is a module;
# it may have sub-folders.
file(GLOB_RECURSE ttp_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/*.c)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    list(FILTER ttp_sources EXCLUDE REGEX "_neon\\.c$")
    file(GLOB_RECURSE avx2_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/*_avx2.c)
    set_source_files_properties(${avx2_sources} PROPERTIES COMPILE_OPTIONS "-mavx2;-mbmi;-mbmi2;-mpopcnt")
    file(GLOB_RECURSE avx512_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/*_avx512.c)
    set_source_files_properties(${avx512_sources} PROPERTIES COMPILE_OPTIONS
        "-mavx512f;-mavx512bw;-mavx512vbmi2;-mavx2;-mbmi;-mbmi2;-mpopcnt")
else()
    list(FILTER ttp_sources EXCLUDE REGEX "_(sse2|avx2|avx512)\\.c$")
    if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
        list(FILTER ttp_sources EXCLUDE REGEX "_neon\\.c$")
    endif()
endif()
# Other tools byte for byte; a build without them has one file that reports it.
if(TTP_COMPAT)
    list(FILTER ttp_sources EXCLUDE REGEX "/src/compat/absent\\.c$")
else()
    list(FILTER ttp_sources EXCLUDE REGEX "/src/compat/[a-z]+/")
endif()
# Sums must come out the same with every compiler and on every machine: no fused multiply-add.
file(GLOB exact_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/tensor/*.c ${CMAKE_SOURCE_DIR}/src/noc/*.c
    ${CMAKE_SOURCE_DIR}/src/compat/npe/*.c ${CMAKE_SOURCE_DIR}/src/mesh/*.c ${CMAKE_SOURCE_DIR}/src/synth/mesh_run.c)
set_property(SOURCE ${exact_sources} APPEND PROPERTY COMPILE_OPTIONS -ffp-contract=off)
# What its loops need to become instructions for four numbers: there is no NaN, infinity or -0 in them.
set_property(SOURCE ${CMAKE_SOURCE_DIR}/src/noc/noc_lines.c APPEND PROPERTY COMPILE_OPTIONS
    -ffinite-math-only -fno-signed-zeros)
file(GLOB_RECURSE ttp_headers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/*.h)
list(FILTER ttp_headers EXCLUDE REGEX "_kernel\\.h$")
set_source_files_properties(${CMAKE_SOURCE_DIR}/src/base/version.c PROPERTIES
    COMPILE_DEFINITIONS TTP_VERSION="${PROJECT_VERSION}")

# Pages are part of the library: those of the web server, and the one that documents are written as.
set(ttp_asset_sources)
function(ttp_embed_assets out list header folder)
    file(GLOB files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${folder}/*)
    add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/${out}
        COMMAND ${CMAKE_COMMAND} -DOUT=${CMAKE_BINARY_DIR}/${out} -DHEADER=${header}
            "-DTYPE=struct ttp_asset" -DLIST=${list} "-DFILES=${files}"
            -P ${CMAKE_SOURCE_DIR}/cmake/embed_files.cmake
        DEPENDS ${files} ${CMAKE_SOURCE_DIR}/cmake/embed_files.cmake
        VERBATIM)
    set(ttp_asset_sources ${ttp_asset_sources} ${CMAKE_BINARY_DIR}/${out} PARENT_SCOPE)
endfunction()
ttp_embed_assets(assets.c ttp_assets serve/assets.h src/serve/assets)
ttp_embed_assets(page_assets.c ttp_page_assets outputs/page/page.h src/outputs/page/assets)

add_library(ttp_core OBJECT ${ttp_sources} ${ttp_asset_sources})
target_compile_options(ttp_core PRIVATE -fvisibility=hidden)
target_link_libraries(ttp_core PUBLIC ttp_flags ttp_deps)
# Every header must compile on its own.
target_sources(ttp_core PUBLIC FILE_SET HEADERS BASE_DIRS ${CMAKE_SOURCE_DIR}/src
    ${CMAKE_SOURCE_DIR}/include FILES ${ttp_headers} ${CMAKE_SOURCE_DIR}/include/ttperf.h)
set_target_properties(ttp_core PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON)

add_library(ttperf_static STATIC $<TARGET_OBJECTS:ttp_core>)
target_link_libraries(ttperf_static PUBLIC ttp_flags ttp_deps)
set_target_properties(ttperf_static PROPERTIES OUTPUT_NAME ttperf)
add_library(ttperf_shared SHARED $<TARGET_OBJECTS:ttp_core>)
target_link_libraries(ttperf_shared PUBLIC ttp_flags ttp_deps)
set_target_properties(ttperf_shared PROPERTIES OUTPUT_NAME ttperf
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
