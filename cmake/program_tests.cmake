# SPDX-License-Identifier: Apache-2.0
# The program as its users see it: one case per folder of tests/golden/, and what needs a script.
file(GLOB golden_cases CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/golden/*/cmd)
foreach(cmd ${golden_cases})
    get_filename_component(case ${cmd} DIRECTORY)
    get_filename_component(name ${case} NAME)
    add_test(NAME golden_${name}
        COMMAND ${CMAKE_SOURCE_DIR}/tests/golden.sh $<TARGET_FILE_DIR:tt-perf> ${case})
    set_tests_properties(golden_${name} PROPERTIES LABELS golden SKIP_RETURN_CODE 77)
endforeach()

add_executable(schema_check ${CMAKE_SOURCE_DIR}/tests/schema_check.c)
target_link_libraries(schema_check PRIVATE ttperf_static)
add_executable(json_members ${CMAKE_SOURCE_DIR}/tests/json_members.c)
target_link_libraries(json_members PRIVATE ttperf_static)

# A stand-in for a program under tt-metal's profiler, which tests and './dev demo' record.
file(GLOB workload_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/workload/*.c)
list(REMOVE_ITEM workload_sources ${CMAKE_SOURCE_DIR}/tests/workload/stock_capture.c)
add_executable(synth_workload ${workload_sources})
target_include_directories(synth_workload PRIVATE ${CMAKE_SOURCE_DIR}/tests/workload)
target_link_libraries(synth_workload PRIVATE ttp_cli ttperf_static)
# A stand-in for Tracy's own capture tool, which is searched by that name.
add_executable(stock_capture ${CMAKE_SOURCE_DIR}/tests/workload/stock_capture.c)
set_target_properties(stock_capture PROPERTIES OUTPUT_NAME tracy-capture
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/stock)
target_link_libraries(stock_capture PRIVATE ttperf_static)
# What a trace holds, for tests/trace*.sh.
add_executable(trace_dump ${CMAKE_SOURCE_DIR}/tests/trace_dump.c)
target_include_directories(trace_dump PRIVATE ${CMAKE_SOURCE_DIR}/tests)
target_link_libraries(trace_dump PRIVATE unit_helpers)

# Promises of the mesh module, for tests/mesh.sh.
add_executable(mesh_check ${CMAKE_SOURCE_DIR}/tests/mesh_check.c)
target_link_libraries(mesh_check PRIVATE ttperf_static)

# Fails system calls and allocations for tests/faults.sh; of the C library only, so that it can be preloaded anywhere.
if(NOT TTP_FUZZ)
    add_library(fault_inject MODULE ${CMAKE_SOURCE_DIR}/tests/faults/fault_inject.c)
    target_compile_definitions(fault_inject PRIVATE _GNU_SOURCE)
    target_compile_options(fault_inject PRIVATE -Wall -Wextra $<$<BOOL:${TTP_WERROR}>:-Werror>)
    target_link_libraries(fault_inject PRIVATE ${CMAKE_DL_LIBS})
    set_target_properties(fault_inject PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/faults)
endif()

# What the documentation shows, built as a stranger would: with the shared library.
add_executable(example_report ${CMAKE_SOURCE_DIR}/examples/report.c)
target_link_libraries(example_report PRIVATE ttperf_shared)

# The program with one line more in a scratch copy of a table of fields, for tests/one_field.sh. A symbol of its own
# object replaces that of the library.
set(one_field_source ${CMAKE_BINARY_DIR}/one_field/top_page.c)
add_custom_command(OUTPUT ${one_field_source}
    COMMAND sed -n
        -e "s/^static const struct ttp_field row_fields.*/&\\n    TTP_REAL_COLUMN(\"added_w\", \"Added\", \"W\", 0, 0, VIEW(power_w), .help = \"of the test\"),/"
        -e "w ${one_field_source}" ${CMAKE_SOURCE_DIR}/src/outputs/top/top_page.c
    DEPENDS ${CMAKE_SOURCE_DIR}/src/outputs/top/top_page.c
    VERBATIM)
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/one_field)
add_executable(one_field ${CMAKE_SOURCE_DIR}/cli/main.c ${one_field_source})
set_target_properties(one_field PROPERTIES OUTPUT_NAME tt-perf
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/one_field)
target_link_libraries(one_field PRIVATE ttp_cli ttperf_static)

# One script a line; those that need what is not here say SKIPPED.
set(program_scripts
    agree
    trust
    advice_score
    rejected
    bare
    bench
    bundle
    budgets
    campaigns
    child_contract
    ci_formats
    colors
    completion
    contract
    docs_commands
    exit_codes
    found_files
    guide_screens
    figure_names
    faults
    hardening
    help_examples
    doctor_bandwidth
    doctor_reads
    machine_log
    file_safety
    history
    history_postgresql
    hostile_names
    kernel_passes
    library
    man
    mem_agree
    mem_mutations
    memory_scale
    mesh
    merge
    merge_mpi
    mesh_absent
    mesh_advice
    mesh_mutations
    mesh_one_way
    mesh_text
    mesh_views
    mesh_window
    mutations
    npm_checks
    one_field
    one_flow
    package
    pager
    pages_axe
    pages_html
    parquet
    parquet_npm
    performance_table
    plain
    planted
    program
    prometheus
    promises
    readme_screens
    receiver_hostile
    record
    record_ended
    record_exclusive
    record_launchers
    record_mpi
    schemas
    selftest
    store_hostile
    store_postgresql
    skill_kernel
    stock_tools
    terminal
    threads
    timeline_browser
    top_attach
    trace
    tracy_writer
    trace_originals
    trace_stacks
    writers
    loop_kernel
    loop_model
    tt_profile
    tune
    tune_kill
    verbs
    version
    widths
)
foreach(name ${program_scripts})
    add_test(NAME ${name}
        COMMAND ${CMAKE_SOURCE_DIR}/tests/${name}.sh $<TARGET_FILE_DIR:tt-perf> ${CMAKE_SOURCE_DIR})
    set_tests_properties(${name} PROPERTIES LABELS program SKIP_RETURN_CODE 77)
endforeach()
# What './dev test --quick' leaves out.
set_tests_properties(timeline_browser PROPERTIES LABELS "program;browser")
set_tests_properties(history_postgresql store_postgresql PROPERTIES LABELS "program;database")
set_tests_properties(record_mpi merge_mpi PROPERTIES LABELS "program;mpi")
set_tests_properties(completion PROPERTIES LABELS "program;shells")
set_tests_properties(npm_checks parquet_npm PROPERTIES LABELS "program;npm")
set_tests_properties(pages_axe pages_html PROPERTIES LABELS "program;browser;npm")

# Recorded runs of the original tools: tests/originals/<archive>.tar.zst and a table in it.
add_executable(json_elements ${CMAKE_SOURCE_DIR}/tests/json_elements.c)
target_compile_options(json_elements PRIVATE -O2) # reads gigabytes of timelines
set_target_properties(json_elements PROPERTIES TTP_UNSANITIZED ON)
foreach(recording report:cases ops:cases ops_synth:cases kernel:cases capture:cases noc:cases noc:timelines mem:cases)
    string(REPLACE ":" ";" recording ${recording})
    list(GET recording 0 archive)
    list(GET recording 1 table)
    set(name originals_${archive})
    if(NOT table STREQUAL cases)
        set(name ${name}_${table})
    endif()
    add_test(NAME ${name} COMMAND ${CMAKE_SOURCE_DIR}/tests/originals.sh $<TARGET_FILE_DIR:tt-perf>
        ${CMAKE_SOURCE_DIR} ${archive} ${table})
    set_tests_properties(${name} PROPERTIES LABELS originals SKIP_RETURN_CODE 77)
endforeach()

# Long ones first, so that none is left alone at the end.
set_tests_properties(hostile_names pages_html writers contract record tune_kill history_postgresql exit_codes originals_noc_timelines
    help_examples originals_report child_contract faults store_postgresql history store_hostile
    PROPERTIES COST 100)

# The program as it is without any optional library: the files that use one, compiled again, and the
# objects of all others. The preset `bare` builds and tests everything that way.
file(GLOB_RECURSE all_sources ${CMAKE_SOURCE_DIR}/src/*.c ${CMAKE_SOURCE_DIR}/cli/*.c)
set(bare_sources)
foreach(source ${all_sources})
    file(STRINGS ${source} asks REGEX "TTP_HAVE_" LIMIT_COUNT 1)
    if(asks)
        list(APPEND bare_sources ${source})
    endif()
endforeach()
set(bare_objects)
foreach(source ${bare_sources})
    file(RELATIVE_PATH name ${CMAKE_SOURCE_DIR} ${source})
    string(REPLACE "." "\\." name ${name})
    list(APPEND bare_objects "/${name}")
endforeach()
list(JOIN bare_objects "|" bare_objects)
add_executable(tt-perf-bare ${CMAKE_SOURCE_DIR}/cli/main.c ${bare_sources}
    $<FILTER:$<TARGET_OBJECTS:ttp_core>,EXCLUDE,${bare_objects}>
    $<FILTER:$<TARGET_OBJECTS:ttp_cli>,EXCLUDE,${bare_objects}>)
target_compile_definitions(tt-perf-bare PRIVATE TTP_BUILD_TYPE="${CMAKE_BUILD_TYPE}"
    TTP_BUILD_SANITIZE="${TTP_SANITIZE}")
target_include_directories(tt-perf-bare PRIVATE ${CMAKE_SOURCE_DIR}/cli)
target_link_libraries(tt-perf-bare PRIVATE ttp_flags Threads::Threads ${CMAKE_DL_LIBS} m)
set_target_properties(tt-perf-bare PROPERTIES OUTPUT_NAME tt-perf
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bare)

# The program of a build with TTP_COMPAT=OFF: the same objects without those that imitate other tools.
add_executable(tt-perf-plain ${CMAKE_SOURCE_DIR}/cli/main.c ${CMAKE_SOURCE_DIR}/cli/dropin/dropin_absent.c
    ${CMAKE_SOURCE_DIR}/src/compat/absent.c
    $<FILTER:$<TARGET_OBJECTS:ttp_core>,EXCLUDE,/src/compat/>
    $<FILTER:$<TARGET_OBJECTS:ttp_cli>,EXCLUDE,/cli/dropin/>)
target_include_directories(tt-perf-plain PRIVATE ${CMAKE_SOURCE_DIR}/cli)
target_link_libraries(tt-perf-plain PRIVATE ttp_flags ttp_deps ttp_curses)
set_target_properties(tt-perf-plain PROPERTIES OUTPUT_NAME tt-perf
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/plain)

# The program without sanitizers, for tests that compare figures of hundreds of runs and look for no memory errors:
# `without_sanitizers` of tests/common.sh chooses it.
if(TTP_SANITIZE)
    add_executable(tt-perf-unsanitized ${CMAKE_SOURCE_DIR}/cli/main.c ${ttp_sources} ${ttp_asset_sources} ${cli_sources}
        ${CMAKE_BINARY_DIR}/schemas.c ${CMAKE_BINARY_DIR}/explain_pages.c ${CMAKE_BINARY_DIR}/skill_pages.c)
    target_compile_definitions(tt-perf-unsanitized PRIVATE TTP_BUILD_TYPE="${CMAKE_BUILD_TYPE}" TTP_BUILD_SANITIZE="")
    target_include_directories(tt-perf-unsanitized PRIVATE ${CMAKE_SOURCE_DIR}/cli)
    target_link_libraries(tt-perf-unsanitized PRIVATE ttp_flags ttp_deps ttp_curses)
    target_compile_options(tt-perf-unsanitized PRIVATE -g0)
    set_target_properties(tt-perf-unsanitized PROPERTIES TTP_UNSANITIZED ON OUTPUT_NAME tt-perf
        RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/unsanitized)
    add_dependencies(tt-perf-unsanitized ttp_core ttp_cli) # which generate the same sources
endif()
