// The vendor's backend: runs the payload node by node, with an event and a debug handle for each.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "payload.h"

#include "runtime/backends/backend.h"
#include "runtime/platform/log.h"
#include "runtime/platform/platform.h"

namespace vendor {
namespace {

using Values = std::vector<std::vector<float>>;

void convolve(const Node& n, const Shape& in, const Shape& out, const std::vector<float>& x, std::vector<float>& y) {
  const int32_t channels = n.weight_shape[1], kh = n.weight_shape[2], kw = n.weight_shape[3];
  const int32_t h = in.sizes[1], w = in.sizes[2];
  size_t at = 0;
  for (int32_t o = 0; o < out.sizes[0]; ++o) {
    for (int32_t i = 0; i < out.sizes[1]; ++i) {
      for (int32_t j = 0; j < out.sizes[2]; ++j) {
        float sum = n.bias[static_cast<size_t>(o)];
        for (int32_t k = 0; k < channels * kh * kw; ++k) {
          const int32_t c = k / (kh * kw), row = i + k / kw % kh - n.padding, column = j + k % kw - n.padding;
          if (row < 0 || row >= h || column < 0 || column >= w) continue;
          sum += n.weight[static_cast<size_t>(o * channels * kh * kw + k)] *
                 x[static_cast<size_t>((c * h + row) * w + column)];
        }
        y[at++] = sum;
      }
    }
  }
}

void multiply(const Node& n, const std::vector<float>& x, std::vector<float>& y) {
  const auto rows = static_cast<size_t>(n.weight_shape[0]), columns = static_cast<size_t>(n.weight_shape[1]);
  for (size_t i = 0; i < y.size(); ++i) {
    float sum = n.bias[i % rows];
    for (size_t k = 0; k < columns; ++k) sum += n.weight[i % rows * columns + k] * x[i / rows * columns + k];
    y[i] = sum;
  }
}

void run(const Graph& graph, const Node& n, Values& values) {
  const std::vector<float>& x = values[n.from];
  std::vector<float>& y = values[n.to];
  switch (n.kind) {
    case Kind::Conv:
      convolve(n, graph.values[n.from], graph.values[n.to], x, y);
      break;
    case Kind::Linear:
      multiply(n, x, y);
      break;
    case Kind::Relu:
      std::transform(x.begin(), x.end(), y.begin(), [](float v) { return std::max(v, 0.F); });
      break;
    case Kind::Round:
      std::transform(x.begin(), x.end(), y.begin(), [&](float v) {
        return (std::clamp(std::nearbyint(v / n.scale) + n.zero, -128.F, 127.F) - n.zero) * n.scale;
      });
      break;
  }
}

struct Instance {
  Graph graph;
  Values values;
  std::vector<std::string> names;  // of events
};

class VendorBackend final : public et::BackendInterface {
 public:
  bool is_available() const override { return true; }

  et::Result<et::DelegateHandle*> init(et::BackendInitContext&, et::FreeableBuffer* processed,
                                       et::ArrayRef<et::CompileSpec>) const override {
    auto instance = std::make_unique<Instance>();
    const std::string fault =
        read_payload({static_cast<const uint8_t*>(processed->data()), processed->size()}, &instance->graph);
    if (!fault.empty()) {
      ET_LOG(Error, "VendorBackend: payload: %s", fault.c_str());
      return et::Error::DelegateInvalidCompatibility;
    }
    for (const Shape& shape : instance->graph.values) instance->values.emplace_back(shape.count());
    for (const Node& n : instance->graph.nodes) instance->names.emplace_back(name_of(n.kind));
    processed->Free();
    return static_cast<et::DelegateHandle*>(instance.release());
  }

  et::Error execute(et::BackendExecutionContext& context, et::DelegateHandle* handle,
                    et::Span<et::EValue*> args) const override {
    auto& [graph, values, names] = *static_cast<Instance*>(handle);
    if (args.size() != graph.inputs.size() + graph.outputs.size()) return et::Error::InvalidArgument;
    for (size_t i = 0; i < graph.inputs.size(); ++i) {
      if (!copy(*args[i], values[graph.inputs[i]], true)) return et::Error::InvalidArgument;
    }
    const char* failing = std::getenv("VENDOR_FAIL");  // a failure of the device, for trying what is said of it
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
      const Node& n = graph.nodes[i];
      if (failing != nullptr && names[i] == failing) {
        ET_LOG(Error, "VendorBackend: node %zu (%s): the device did not answer; debug handle %u", i, name_of(n.kind),
               static_cast<unsigned>(n.handle));
        return et::Error::InvalidState;
      }
      const et::Timestamp start = et::current_ticks();
      run(graph, n, values);
      // The number is the row of the payload: the ETRecord's delegate map leads from it to the debug handle.
      if (context.event_tracer() != nullptr)
        context.event_tracer()->log_profiling_delegate(nullptr, static_cast<et::DelegateDebugIntId>(i), start,
                                                       et::current_ticks());
    }
    for (size_t i = 0; i < graph.outputs.size(); ++i) {
      if (!copy(*args[graph.inputs.size() + i], values[graph.outputs[i]], false)) return et::Error::InvalidArgument;
    }
    return et::Error::Ok;
  }

  void destroy(et::DelegateHandle* handle) const override { delete static_cast<Instance*>(handle); }

 private:
  static bool copy(const et::EValue& argument, std::vector<float>& value, bool in) {
    if (!argument.isTensor()) return false;
    const et::Tensor t = argument.toTensor();
    if (t.scalar_type() != et::ScalarType::Float || static_cast<size_t>(t.numel()) != value.size()) return false;
    if (in) {
      std::memcpy(value.data(), t.const_data_ptr<float>(), value.size() * sizeof(float));
    } else {
      std::memcpy(t.mutable_data_ptr<float>(), value.data(), value.size() * sizeof(float));
    }
    return true;
  }
};

const VendorBackend kBackend;
et::Backend row{"VendorBackend", &kBackend};
[[maybe_unused]] const et::Error kRegistered = et::register_backend(&row);

}  // namespace
}  // namespace vendor
