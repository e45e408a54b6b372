# Dear ImGui with docking, ImPlot, the text editor and fonts, from PyPI's source package imgui-bundle. Nothing of it is
# in the repository: scripts/get_imgui.sh downloads the archive, its hash is checked here, and the folders that are
# needed go into the build folder.
#
#   ET_IMGUI_BUNDLE_DIR      a source folder of the same layout, for packagers
#   et_imgui                 static library of the release
#   et_imgui_test            the same with the Dear ImGui Test Engine, only with ET_BUILD_TESTS
#
# Without GLFW or the sources ET_GUI_MISSING says what is missing, and the project goes on without its GUI.
set(ET_IMGUI_VERSION 1.93.0)
set(ET_IMGUI_SHA256 10ad1dab8258a6787b4f07bb926b08d0efc648a7906242568c8dd778c5e719bf)
set(ET_IMGUI_BUNDLE_DIR "" CACHE PATH "Source folder of imgui-bundle ${ET_IMGUI_VERSION} instead of the download")
set(ET_IMGUI_ARCHIVE ${PROJECT_SOURCE_DIR}/build/downloads/imgui_bundle-${ET_IMGUI_VERSION}.tar.gz CACHE FILEPATH
    "Archive of imgui-bundle as scripts/get_imgui.sh downloads it")

function(et_find_imgui out_dir out_missing)
  set(${out_dir} "" PARENT_SCOPE)
  if(ET_IMGUI_BUNDLE_DIR)
    if(NOT EXISTS ${ET_IMGUI_BUNDLE_DIR}/external/imgui/imgui/imgui.h)
      set(${out_missing} "ET_IMGUI_BUNDLE_DIR: no external/imgui/imgui/imgui.h in ${ET_IMGUI_BUNDLE_DIR}" PARENT_SCOPE)
      return()
    endif()
    set(${out_dir} ${ET_IMGUI_BUNDLE_DIR} PARENT_SCOPE)
    return()
  endif()
  if(NOT EXISTS ${ET_IMGUI_ARCHIVE})
    set(${out_missing} "Dear ImGui not found: run scripts/get_imgui.sh (make gui does)" PARENT_SCOPE)
    return()
  endif()
  set(root ${PROJECT_BINARY_DIR}/third_party/imgui_bundle-${ET_IMGUI_VERSION})
  if(NOT EXISTS ${root}/extracted)
    file(SHA256 ${ET_IMGUI_ARCHIVE} hash)
    if(NOT hash STREQUAL ET_IMGUI_SHA256)
      set(${out_missing} "${ET_IMGUI_ARCHIVE}: expected SHA-256 ${ET_IMGUI_SHA256}, got ${hash}" PARENT_SCOPE)
      return()
    endif()
    file(ARCHIVE_EXTRACT INPUT ${ET_IMGUI_ARCHIVE} DESTINATION ${PROJECT_BINARY_DIR}/third_party
      PATTERNS *external/imgui/imgui/* *external/implot/implot/* *external/imgui_test_engine/*
               *external/ImGuiColorTextEdit/ImGuiColorTextEdit/* *bindings/imgui_bundle/assets/fonts/*)
    file(TOUCH ${root}/extracted)
  endif()
  set(${out_dir} ${root} PARENT_SCOPE)
endfunction()

function(et_add_imgui name)
  set(imgui ${ET_IMGUI_DIR}/external/imgui/imgui)
  set(implot ${ET_IMGUI_DIR}/external/implot/implot)
  set(editor ${ET_IMGUI_DIR}/external/ImGuiColorTextEdit/ImGuiColorTextEdit)
  add_library(${name} STATIC EXCLUDE_FROM_ALL
    ${imgui}/imgui.cpp ${imgui}/imgui_draw.cpp ${imgui}/imgui_tables.cpp ${imgui}/imgui_widgets.cpp
    ${imgui}/imgui_stacklayout.cpp ${imgui}/misc/cpp/imgui_stdlib.cpp
    ${imgui}/backends/imgui_impl_glfw.cpp ${imgui}/backends/imgui_impl_opengl3.cpp ${imgui}/backends/imgui_impl_null.cpp
    ${implot}/implot.cpp ${implot}/implot_items.cpp ${editor}/TextEditor.cpp)
  target_include_directories(${name} SYSTEM PUBLIC ${imgui} ${imgui}/backends ${imgui}/misc/cpp ${implot} ${editor})
  # The numbers that are plotted; each further type costs a copy of all plots.
  target_compile_definitions(${name} PUBLIC "IMPLOT_CUSTOM_NUMERIC_TYPES=(double)(float)(int)")
  # The editor looks once at a line that it has just deleted (select all, delete): a read whose result does not count.
  set_source_files_properties(${editor}/TextEditor.cpp PROPERTIES COMPILE_OPTIONS -fno-sanitize=all)
  target_compile_options(${name} PRIVATE -g0)  # builds for sanitizers take half as long
  target_link_libraries(${name} PUBLIC glfw OpenGL::OpenGL ${CMAKE_DL_LIBS})
endfunction()

set(ET_GUI_MISSING "")
find_package(glfw3 3.3 QUIET)
find_package(PNG QUIET)
find_package(OpenGL QUIET COMPONENTS OpenGL)
find_package(Threads REQUIRED)
find_path(ET_EGL_INCLUDE EGL/egl.h)  # opened when pictures are drawn without a display
if(NOT glfw3_FOUND)
  set(ET_GUI_MISSING "GLFW 3.3 not found: apt-get install libglfw3-dev")
elseif(NOT TARGET OpenGL::OpenGL)
  set(ET_GUI_MISSING "OpenGL not found: apt-get install libopengl-dev libgl-dev")
elseif(NOT ET_EGL_INCLUDE)
  set(ET_GUI_MISSING "EGL headers not found: apt-get install libegl-dev")
elseif(NOT PNG_FOUND)
  set(ET_GUI_MISSING "libpng not found: apt-get install libpng-dev")
else()
  et_find_imgui(ET_IMGUI_DIR ET_GUI_MISSING)
endif()
if(NOT ET_GUI_MISSING)
  et_add_imgui(et_imgui)
  if(ET_BUILD_TESTS)
    set(engine ${ET_IMGUI_DIR}/external/imgui_test_engine/imgui_test_engine/imgui_test_engine)
    file(GLOB engine_sources ${engine}/*.cpp)
    list(FILTER engine_sources EXCLUDE REGEX python_gil)
    et_add_imgui(et_imgui_test)
    target_sources(et_imgui_test PRIVATE ${engine_sources})
    target_include_directories(et_imgui_test SYSTEM PUBLIC ${engine})
    target_compile_definitions(et_imgui_test PUBLIC
      IMGUI_ENABLE_TEST_ENGINE IMGUI_TEST_ENGINE_ENABLE_COROUTINE_STDTHREAD_IMPL=1
      IMGUI_TEST_ENGINE_ENABLE_STD_FUNCTION=1 IMGUI_TEST_ENGINE_ENABLE_CAPTURE=0)
    target_compile_options(et_imgui_test PRIVATE $<$<CONFIG:Release>:-O1>)
    target_link_libraries(et_imgui_test PUBLIC Threads::Threads)
  endif()
endif()
