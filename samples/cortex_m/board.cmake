# et_board(TARGET script.ld): start-up code, clock and memory map of the board; newlib with semihosting as C library.
set(ET_BOARD_DIR ${CMAKE_CURRENT_LIST_DIR})
set(ET_BOARD_QEMU_ARGS -M mps3-an547 -nographic -monitor none -serial none -semihosting-config enable=on,target=native)
function(et_board target script)
  cmake_path(ABSOLUTE_PATH script BASE_DIRECTORY ${ET_BOARD_DIR} OUTPUT_VARIABLE path)
  target_sources(${target} PRIVATE ${ET_BOARD_DIR}/startup.cpp ${ET_BOARD_DIR}/board.cpp)
  target_include_directories(${target} PRIVATE ${ET_BOARD_DIR})
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions$<SEMICOLON>-fno-rtti>)
  target_link_options(${target} PRIVATE -nostartfiles -specs=rdimon.specs -L${ET_BOARD_DIR} -T${path}
    LINKER:--gc-sections LINKER:-Map=${CMAKE_CURRENT_BINARY_DIR}/${target}.map)
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${path} ${ET_BOARD_DIR}/sections.ld)
endfunction()
