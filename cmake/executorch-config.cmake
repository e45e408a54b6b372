# find_package(executorch): ExecuTorch's target names for this runtime. Each is an alias of what does its work here, so
# that an application changes the place where the package is looked for and nothing else.
include(CMakeFindDependencyMacro)
find_dependency(et_inspect COMPONENTS runtime kernels backends module threadpool etdump bundled_program executorch)

# executorch_alias(NAME target...)
function(executorch_alias name)
  foreach(alias ${name} executorch::${name})
    if(NOT TARGET ${alias})
      add_library(${alias} INTERFACE IMPORTED GLOBAL)
      foreach(target ${ARGN})
        if(TARGET ${target})
          set_property(TARGET ${alias} APPEND PROPERTY INTERFACE_LINK_LIBRARIES ${target})
        endif()
      endforeach()
    endif()
  endforeach()
endfunction()

foreach(name executorch executorch_core extension_module extension_module_static extension_tensor extension_data_loader
             extension_runner_util extension_flat_tensor extension_named_data_map extension_memory_allocator
             extension_evalue_util kernels_util_all_deps program_schema)
  executorch_alias(${name} et::executorch)
endforeach()
# One library of kernels is all of them.
foreach(name portable_ops_lib portable_kernels optimized_native_cpu_ops_lib optimized_ops_lib optimized_kernels
             optimized_portable_kernels quantized_ops_lib quantized_kernels custom_ops custom_ops_aot_lib)
  executorch_alias(${name} et::executorch et::kernels)
endforeach()
executorch_alias(extension_threadpool et::executorch et::threadpool)
executorch_alias(xnnpack_backend et::executorch et::backends)
executorch_alias(etdump et::executorch)
executorch_alias(bundled_program et::executorch et::bundled_program)

set(EXECUTORCH_FOUND ON)
set(EXECUTORCH_INCLUDE_DIRS "")
set(EXECUTORCH_LIBRARIES executorch executorch_core)
