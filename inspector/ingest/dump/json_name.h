// Names of delegate events that are JSON: Vulkan's backend puts all that it knows of a shader's call there,
// {"operator": {"name": …, "delegate_node_id": …, "args": […]}, "kernel_name": …, "operator_id": …, "dispatch_id": …}.
// Source: ExecuTorch 1.5, backends/vulkan/runtime.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace et::inspector {

struct JsonName {
  std::string title;      ///< the kernel, else the operator
  std::string map_key;    ///< the delegate's debug identifier, as the delegate map has it; "" without one
  std::string arguments;  ///< "operator=aten.mm.default; args=float[1, 8], …; dispatch_id=3"
};

/// nullopt for a name that is no JSON object with a name in it.
std::optional<JsonName> read_json_name(std::string_view name);

}  // namespace et::inspector
