#include "inspector/match/operator_name.h"

namespace et::inspector {
namespace {

constexpr std::string_view kNativeCall = "native_call_";

// Decorations that lowering adds or takes: in-place "add_", functional copies "view_copy", dim order
// "_to_dim_order_copy".
std::string_view plain(std::string_view base) {
  auto cut = [&](std::string_view end) {
    if (base.size() > end.size() && base.ends_with(end)) base.remove_suffix(end.size());
  };
  cut("_");
  cut("_copy");
  cut("_dim_order");
  while (base.starts_with('_')) base.remove_prefix(1);
  return base;
}

struct Rewrite {
  std::string_view graph, kernel;
};
// Graph operator → kernel that executes it under another name (exir's lowering passes).
constexpr Rewrite kRewrites[] = {
    {"linear", "addmm"},          {"linear", "mm"},         {"clone", "clone_dim_order"},
    {"to", "to_dim_order"},       {"view", "et_view"},      {"unsqueeze", "view"},
    {"squeeze", "view"},          {"alias", "clone"},       {"lift_fresh", "clone"},
    {"empty", "empty_dim_order"}, {"sym_size", "sym_size"},
};

}  // namespace

bool is_kernel_event(std::string_view event) { return event.starts_with(kNativeCall); }

std::string_view kernel_name(std::string_view event) {
  return is_kernel_event(event) ? event.substr(kNativeCall.size()) : event;
}

std::string_view operator_base(std::string_view name) {
  name = kernel_name(name);
  bool cpp_namespace = false;
  if (const size_t at = name.rfind("::"); at != std::string_view::npos) {
    name.remove_prefix(at + 2);
    cpp_namespace = true;
  }
  // "ns.op.overload" (graph) has two dots, "op.overload" (kernel) one; in-place kernels "copy_" none.
  const size_t last = name.rfind('.');
  if (last == std::string_view::npos) return name;
  const size_t first = name.find('.');
  if (!cpp_namespace && first != last) return name.substr(first + 1, name.find('.', first + 1) - first - 1);
  return name.substr(0, first);
}

bool same_operator(std::string_view a, std::string_view b) {
  if (a == b) return true;
  const std::string_view pa = plain(a), pb = plain(b);
  if (pa == pb) return true;
  for (const Rewrite& r : kRewrites) {
    if ((pa == r.graph && pb == r.kernel) || (pb == r.graph && pa == r.kernel)) return true;
  }
  return false;
}

}  // namespace et::inspector
