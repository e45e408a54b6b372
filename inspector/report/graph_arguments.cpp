// Spelling of calls as torch.fx's format_node gives it. The record keeps arguments with their names but not whether
// they were given by name; a short list of arguments that PyTorch's operators accept by name only decides.
#include <algorithm>
#include <array>

#include "inspector/report/graph_format.h"

namespace et::inspector {
namespace {

// Keyword-only in the schemas of the edge dialect's operators. What follows a keyword-only argument is one too.
constexpr std::array<std::string_view, 18> kKeywordOnly = {
    "alpha",        "approximate", "beta",       "correction",    "device", "dim_order",
    "dtype",        "enable_gqa",  "generator",  "include_self",  "layout", "memory_format",
    "non_blocking", "out_dtype",   "pin_memory", "rounding_mode", "stable", "output_dtype"};

// Operators whose schema takes the argument by position all the same.
struct Positional {
  std::string_view op_prefix;
  std::string_view argument;
};
constexpr std::array<Positional, 14> kPositional = {{
    {"quantized_decomposed.", "dtype"},
    {"quantized_decomposed.", "output_dtype"},
    {"torchao.", "output_dtype"},
    {"aten.to.", "dtype"},
    {"aten.to.", "device"},
    {"aten.to.", "non_blocking"},
    {"aten.to.", "memory_format"},
    {"aten.elu.", "alpha"},
    {"aten.celu.", "alpha"},
    {"aten.add.Scalar", "alpha"},
    {"aten.sub.Scalar", "alpha"},
    {"aten.rsub.", "alpha"},
    {"aten.softplus.", "beta"},
    {"aten.copy.", "non_blocking"},
}};

bool keyword_only(const GraphNode& node, const std::string& argument) {
  if (std::find(kKeywordOnly.begin(), kKeywordOnly.end(), argument) == kKeywordOnly.end()) return false;
  return std::none_of(kPositional.begin(), kPositional.end(),
                      [&](const Positional& p) { return p.argument == argument && node.op.starts_with(p.op_prefix); });
}

// Words of the record's short form that torch prints with their module.
constexpr std::array<std::string_view, 25> kTorchWords = {"bfloat16",
                                                          "bool",
                                                          "complex128",
                                                          "complex32",
                                                          "complex64",
                                                          "float16",
                                                          "float32",
                                                          "float64",
                                                          "int16",
                                                          "int32",
                                                          "int64",
                                                          "int8",
                                                          "uint16",
                                                          "uint32",
                                                          "uint64",
                                                          "uint8",
                                                          "strided",
                                                          "sparse_coo",
                                                          "sparse_csr",
                                                          "channels_last",
                                                          "channels_last_3d",
                                                          "contiguous_format",
                                                          "preserve_format",
                                                          "float8_e4m3fn",
                                                          "float8_e5m2"};

std::string spell(const GraphModel& model, const GraphNode& node, const std::string& text,
                  const GraphRenames& renames) {
  std::string out;
  const std::vector<std::string_view> ids = identifiers(text);
  size_t next = 0;
  for (size_t i = 0; i < text.size();) {
    if (next < ids.size() && text.data() + i == ids[next].data()) {
      const std::string_view id = ids[next++];
      const std::string& outer = model.scopes[static_cast<size_t>(node.scope)].path;
      const std::string path = outer.empty() ? std::string(id) : outer + "/" + std::string(id);
      if (model.value(node.scope, std::string(id)) != nullptr ||
          std::find(node.bodies.begin(), node.bodies.end(), path) != node.bodies.end()) {
        out += '%';
      } else if (std::find(kTorchWords.begin(), kTorchWords.end(), id) != kTorchWords.end()) {
        out += "torch.";
      }
      const auto renamed = renames.find(std::string(id));
      out += renamed == renames.end() ? id : std::string_view(renamed->second);
      i += id.size();
    } else if (text[i] == '"' || (text[i] == '\\' && i + 1 < text.size())) {
      // fx prints strings without quotes.
      if (text[i] == '\\') out += text[++i];
      ++i;
    } else {
      out += text[i++];
    }
  }
  return out;
}

}  // namespace

std::string call_arguments(const GraphModel& model, const GraphNode& node, const GraphRenames& renames) {
  std::string args, kwargs;
  size_t positional = 0;
  bool keywords = false;
  for (const GraphArgument& a : node.arguments) {
    keywords = keywords || (!a.name.empty() && keyword_only(node, a.name));
    const std::string text = spell(model, node, a.text, renames);
    if (keywords) {
      kwargs += (kwargs.empty() ? "" : ", ") + a.name + ": " + text;
    } else {
      args += (positional == 0 ? "" : ", ") + text;
      ++positional;
    }
  }
  return "args = (" + args + (positional == 1 ? "," : "") + "), kwargs = {" + kwargs + "}";
}

std::string call_target(const GraphNode& node) {
  constexpr std::string_view kEdge = "executorch.exir.dialects.edge.ops.";
  if (node.target.starts_with(kEdge)) return "executorch.exir.dialects.edge._ops." + node.target.substr(kEdge.size());
  if (node.target.starts_with("_operator.")) return node.target.substr(1);
  return node.target;
}

}  // namespace et::inspector
