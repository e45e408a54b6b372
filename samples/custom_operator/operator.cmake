# Takes the name of the out variant from schema.txt, for EXECUTORCH_LIBRARY and for the selection of kernels.
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/schema.txt rows)
list(GET rows 1 row)
string(REGEX MATCH "^([a-z_]+)::([a-z_.]+)" name "${row}")
target_compile_definitions(custom_operator PRIVATE SMOOTH_OUT="${CMAKE_MATCH_2}")
# FAMILIES: only these folders of kernels are compiled; empty: all, and the link takes what the model needs.
et_select_kernels(custom_operator PROGRAMS ${PROGRAM} PROVIDED ${name} DTYPES FROM_PROGRAMS VARIANTS baseline FAMILIES ${FAMILIES})
