# SPDX-License-Identifier: Apache-2.0
# Outside libraries. Each has one home (docs/architecture.md); a missing one switches its feature off
# and `tt-perf version` says so.
find_package(PkgConfig QUIET)
find_package(Threads REQUIRED)
find_package(ZLIB QUIET)
if(PkgConfig_FOUND)
    pkg_check_modules(ZSTD QUIET IMPORTED_TARGET libzstd)
    pkg_check_modules(LZ4 QUIET IMPORTED_TARGET liblz4)
    pkg_check_modules(CAIRO QUIET cairo)
    pkg_check_modules(MICROHTTPD QUIET libmicrohttpd)
endif()

add_library(ttp_deps INTERFACE)
target_link_libraries(ttp_deps INTERFACE Threads::Threads ${CMAKE_DL_LIBS} m)
if(ZLIB_FOUND)
    target_link_libraries(ttp_deps INTERFACE ZLIB::ZLIB)
    target_compile_definitions(ttp_deps INTERFACE TTP_HAVE_ZLIB=1)
endif()
if(ZSTD_FOUND)
    target_link_libraries(ttp_deps INTERFACE PkgConfig::ZSTD)
    target_compile_definitions(ttp_deps INTERFACE TTP_HAVE_ZSTD=1)
endif()
if(LZ4_FOUND)
    target_link_libraries(ttp_deps INTERFACE PkgConfig::LZ4)
    target_compile_definitions(ttp_deps INTERFACE TTP_HAVE_LZ4=1)
endif()
if(CAIRO_FOUND)
    # Headers only: the library is loaded when a picture is drawn, so that no other run pays for
    # loading it (its dependencies cost more start-up time than a whole report).
    target_include_directories(ttp_deps SYSTEM INTERFACE ${CAIRO_INCLUDE_DIRS})
    target_compile_definitions(ttp_deps INTERFACE TTP_HAVE_CAIRO=1)
endif()
if(MICROHTTPD_FOUND)
    # Headers only, for the same reason: loaded when a server starts.
    target_include_directories(ttp_deps SYSTEM INTERFACE ${MICROHTTPD_INCLUDE_DIRS})
    target_compile_definitions(ttp_deps INTERFACE TTP_HAVE_MICROHTTPD=1)
endif()
