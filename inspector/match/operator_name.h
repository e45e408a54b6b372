// Names of operators as programs, graphs and traces spell them, brought to one form so that they can be compared.
#pragma once

#include <string>
#include <string_view>

namespace et::inspector {

/// Name without namespace and overload: "aten.add.Tensor" → "add", "aten::add" → "add", "native_call_add.out" → "add",
/// "dim_order_ops._to_dim_order_copy.default" → "_to_dim_order_copy", "llama::custom_sdpa.out" → "custom_sdpa".
std::string_view operator_base(std::string_view name);

/// What a runtime's event of a kernel calls it: "native_call_add.out" → "add.out". Other names stay as they are.
std::string_view kernel_name(std::string_view event);
/// True for the events that kernel_name() shortens.
bool is_kernel_event(std::string_view event);

/// True when the kernel that ran can be what became of a graph node: same name, or a known rewrite of the lowering
/// (view_copy, in-place and copy variants, dim order variants).
bool same_operator(std::string_view base_a, std::string_view base_b);

}  // namespace et::inspector
