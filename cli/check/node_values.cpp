#include "cli/check/node_values.h"

#include <cstring>

#include "bundled_program/reference/graph_value.h"
#include "inspector/analysis/ops/value_layout.h"
#include "runtime/core/half.h"
#include "runtime/module/host_tensor.h"

namespace et::cli {

inspector::LoggedValue value_of(const Tensor& t) {
  inspector::LoggedValue out;
  out.dtype = scalar_type_name(t.scalar_type());
  out.shape.assign(t.sizes().begin(), t.sizes().end());
  HostTensor rows(t.scalar_type(), out.shape);
  if (!reference::copy_elements(t, rows.tensor())) return out;
  if (t.scalar_type() != ScalarType::BFloat16) {
    out.data.assign(reinterpret_cast<const char*>(rows.data()), rows.size());
    return out;
  }
  out.dtype = scalar_type_name(ScalarType::Float);
  for (size_t i = 0; i < static_cast<size_t>(t.numel()); ++i) {
    BFloat16 element;
    std::memcpy(&element, rows.data() + i * sizeof(element), sizeof(element));
    const float wide = static_cast<float>(element);
    out.data.append(reinterpret_cast<const char*>(&wide), sizeof(wide));
  }
  return out;
}

void put_value(const inspector::LoggedValue& by, const Tensor& t) {
  const inspector::LoggedValue computed = value_of(t);
  const std::string best = rows_like(by, scalar_type_name(t.scalar_type()), computed);
  HostTensor rows(t.scalar_type(), computed.shape);
  if (best.empty() || rows.size() != best.size()) return;
  std::memcpy(rows.data(), best.data(), best.size());
  reference::copy_elements(rows.tensor(), t);
}

}  // namespace et::cli
