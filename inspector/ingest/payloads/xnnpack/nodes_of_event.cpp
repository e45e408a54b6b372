// Which of the nodes that share a debug handle an event ran, by what its name says: operators and sizes. Decompositions
// leave one handle to tens of nodes; with the program the payload's data flow tells them apart, without it this does.
#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <vector>

#include "inspector/ingest/method_graph.h"
#include "inspector/ingest/payloads/xnnpack/tensor_sizes.h"
#include "inspector/ingest/payloads/xnnpack/xnnpack_kind.h"
#include "inspector/match/operator_name.h"
#include "inspector/match/xnnpack_kinds.h"

namespace et::inspector {
namespace {

using Dims = std::vector<int64_t>;

/// "Transpose + StaticTranspose (ND, …) node 5+4": its operators.
std::vector<std::string_view> operators_in(std::string_view event) {
  constexpr std::string_view kAnd = " + ";
  constexpr std::string_view kPack = "Pack ";  // of weights, before the first run
  std::string_view rest = event.substr(0, event.find(" ("));
  if (rest.starts_with(kPack)) rest.remove_prefix(kPack.size());
  std::vector<std::string_view> out;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find(kAnd), rest.size());
    out.push_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + kAnd.size(), rest.size()));
  }
  return out;
}

std::optional<Dims> dims_in(std::string_view text) {
  Dims out;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (true) {
    int64_t size = 0;
    const auto [next, error] = std::from_chars(at, end, size);
    if (error != std::errc()) return std::nullopt;
    out.push_back(size);
    if (next == end) return out;
    if (*next != 'x') return std::nullopt;
    at = next + 1;
  }
}

/// What it writes: "4x64x64" of "Batch Matrix Multiply (F32, 4x64x32, 4x32x64->4x64x64) node 5".
std::optional<Dims> output_dims(std::string_view event) {
  const size_t end = event.rfind(')');
  if (end == event.npos) return std::nullopt;
  event = event.substr(0, end);
  const size_t arrow = event.rfind("->"), comma = event.rfind(", ");
  const size_t begin = arrow != event.npos ? arrow : comma;
  return begin == event.npos ? std::nullopt : dims_in(event.substr(begin + 2));
}

/// By the name of an event, or as fused ones name the others, of a payload's node.
bool runs_as(const MethodGraph& graph, int32_t node, std::string_view name) {
  const std::string_view base = operator_base(graph.node(node).qualified_op);
  return stem_fits_operator(base, name) || node_fits_operator(name, base);
}

template <class Fits>
bool keep_if_any(std::vector<int32_t>* nodes, Fits fits) {
  std::vector<int32_t> kept;
  std::copy_if(nodes->begin(), nodes->end(), std::back_inserter(kept), fits);
  const bool any = !kept.empty();
  if (any) *nodes = std::move(kept);
  return any;
}

}  // namespace

size_t keep_nodes_of_xnnpack_event(const MethodGraph& graph, std::string_view event, std::vector<int32_t>* nodes) {
  const std::vector<std::string_view> operators = operators_in(event);
  const bool named = keep_if_any(nodes, [&](int32_t n) {
    return !graph.is_constant(n) && std::any_of(operators.begin(), operators.end(),
                                                [&](std::string_view name) { return runs_as(graph, n, name); });
  });
  if (!named) return nodes->size();
  if (const std::optional<Dims> written = output_dims(event); written && nodes->size() > 1) {
    const size_t before = nodes->size();
    const TensorSizes wanted = tensor_sizes(*written);
    const auto sizes_fit = [&](auto as) {
      keep_if_any(nodes, [&](int32_t n) {
        const TensorSizes sizes = tensor_sizes(graph, n);
        return sizes.known && !sizes.varies && sizes.*as == wanted.*as;
      });
    };
    sizes_fit(&TensorSizes::written);
    if (nodes->size() == before) sizes_fit(&TensorSizes::fixed);
  }
  const auto others = std::stable_partition(nodes->begin(), nodes->end(),
                                            [&](int32_t n) { return runs_as(graph, n, operators.front()); });
  return static_cast<size_t>(others - nodes->begin());
}

}  // namespace et::inspector
