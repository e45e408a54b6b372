# The schemas of programs and tensor files under ExecuTorch's names: those of runtime/format/schema with its namespace and
# its enumerations where ours has plain numbers. Run by cmake -P with IN, OUT and KIND (program or flat_tensor).
file(READ ${IN} text)

# Each replacement has to find its text: a schema that changed is looked at again.
macro(replace from to)
  string(FIND "${text}" "${from}" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "schemas.cmake: ${IN} has no '${from}'")
  endif()
  string(REPLACE "${from}" "${to}" text "${text}")
endmacro()

if(KIND STREQUAL program)
  replace("namespace et.format.pte_fb;" "include \"scalar_type.fbs\";
namespace executorch_flatbuffer;
file_extension \"pte\";
enum TensorShapeDynamism : byte { STATIC = 0, DYNAMIC_BOUND = 1, DYNAMIC_UNBOUND = 2 }
enum TensorDataLocation : byte { SEGMENT = 0, EXTERNAL = 1 }
enum DeviceType : byte { CPU = 0, CUDA = 1 }
enum DataLocation : byte { INLINE = 0, SEGMENT = 1 }")
  replace("location:byte;      // 0 segment, 1 external" "location:TensorDataLocation;")
  replace("location:byte;  // 0 inline, 1 segment" "location:DataLocation;")
  replace("device_type:byte;" "device_type:DeviceType = CPU;")
  replace("scalar_type:byte;" "scalar_type:ScalarType;")
  replace("shape_dynamism:byte;" "shape_dynamism:TensorShapeDynamism;")
else()
  replace("namespace et.format.ptd_fb;" "include \"scalar_type.fbs\";
namespace flat_tensor_flatbuffer;
file_extension \"ptd\";")
  replace("scalar_type:byte;" "scalar_type:executorch_flatbuffer.ScalarType;")
endif()
file(WRITE ${OUT} "${text}")
