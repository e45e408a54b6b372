// The globals that a pickle of tensors may name; every other is refused. Internal to this room.
#pragma once

#include <optional>
#include <string>

#include "base/scalar_type.h"

namespace et::etrecord {

inline constexpr const char* kRebuildV2 = "torch._utils._rebuild_tensor_v2";
inline constexpr const char* kRebuildV3 = "torch._utils._rebuild_tensor_v3";
inline constexpr const char* kParameter = "torch._utils._rebuild_parameter";
inline constexpr const char* kParameterWithState = "torch._utils._rebuild_parameter_with_state";
inline constexpr const char* kOrderedDict = "collections.OrderedDict";
inline constexpr const char* kFake = "executorch.exir.serde.export_serialize._reconstruct_fake_tensor";
inline constexpr const char* kEncode = "_codecs.encode";
inline constexpr const char* kFromType = "torch._tensor._rebuild_from_type_v2";
inline constexpr const char* kWrapper = "torch._utils._rebuild_wrapper_subclass";
inline constexpr const char* kLayout = "torch.serialization._get_layout";
inline constexpr const char* kDevice = "torch.device";
inline constexpr const char* kSize = "torch.Size";
inline constexpr const char* kLoadStorage = "torch.storage._load_from_bytes";
inline constexpr const char* kUntyped = "torch.storage.UntypedStorage";

/// Of "torch.FloatStorage"; nullopt for a name that is no typed storage.
std::optional<ScalarType> storage_class_type(const std::string& name);
/// Of "torch.float32", dtype objects, which only _rebuild_tensor_v3 takes.
std::optional<ScalarType> dtype_object_type(const std::string& name);
/// "torch.Tensor" and the classes that only mark a tensor: such a tensor may have attributes.
bool is_tensor_class(const std::string& name);
/// Names that may stand as data but can never be called: dtypes (also those without storage, "torch.int4"), the classes
/// of tensors and of torchao's quantised tensors.
bool is_data_name(const std::string& name);
bool is_known_global(const std::string& name);

}  // namespace et::etrecord
