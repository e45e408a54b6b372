#include "inspector/ingest/payloads/xnnpack/tensor_sizes.h"

#include <algorithm>
#include <utility>

namespace et::inspector {

int64_t TensorSizes::count() const {
  int64_t n = 1;
  for (const int64_t s : fixed) n = s != 0 && n > INT64_MAX / s ? INT64_MAX : n * s;
  return n;
}

TensorSizes tensor_sizes(std::vector<int64_t> written) {
  TensorSizes out;
  out.known = true;
  out.written = std::move(written);
  out.fixed = out.written;
  std::erase(out.fixed, 1);
  std::sort(out.fixed.begin(), out.fixed.end());
  return out;
}

TensorSizes tensor_sizes(const MethodGraph& graph, int32_t node) {
  const etrecord::Node& n = graph.node(node);
  const etrecord::TensorMeta* meta = n.outputs.empty() ? nullptr : graph.program->tensor(n.graph, n.outputs[0]);
  if (meta == nullptr) return {};
  std::vector<int64_t> written;
  for (const etrecord::Dim& d : meta->sizes) {
    if (d.fixed() && d.value) written.push_back(*d.value);
  }
  TensorSizes out = tensor_sizes(std::move(written));
  out.varies = out.written.size() < meta->sizes.size();
  return out;
}

}  // namespace et::inspector
