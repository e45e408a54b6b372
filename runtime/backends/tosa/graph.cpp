// Runs the blocks of a graph, node by node.
#include "runtime/backends/tosa/graph.h"

#include <cstring>

#include "runtime/backends/tosa/scalar_types.h"

namespace et::tosa {

bool Frame::fail(const char* cause) { return run_.fail(cause); }

bool Run::fail(const char* cause) {
  if (error_.empty() && node_ != nullptr) {
    const size_t region = node_->event.find(" of ");
    error_ = "operator " + std::to_string(node_->index) + " (" + node_->name + ")" +
             (region == std::string::npos ? "" : node_->event.substr(region)) + ": " + cause;
  }
  return false;
}

void Run::log(const Block& block, const Node& node, Timestamp start) {
  const Timestamp end = current_ticks();
  const format::DelegateNode link{main_node_, format::kNoDebugHandle};
  uint8_t metadata[format::delegate_metadata_size(1)];
  format::write_delegate_metadata(format::DelegatePhase::Run, {&link, 1}, metadata);
  tracer_->log_profiling_delegate(node.event.c_str(), kUnsetDelegateDebugIntId, start, end, metadata, sizeof(metadata));
  if (tracer_->event_tracer_debug_level() < EventTracerDebugLogLevel::kIntermediateOutputs) return;
  for (const uint32_t id : node.out) {
    const Value& value = block.values[id];
    TensorView view(value.shape, scalar_type(value.type), block.data[id]);
    // A value that cannot be kept costs that value only; the tracer counts it.
    static_cast<void>(
        tracer_->log_intermediate_output_delegate(node.event.c_str(), kUnsetDelegateDebugIntId, EValue(view.tensor())));
  }
}

bool Run::block(Block& block, std::span<const uint8_t* const> inputs, std::span<uint8_t* const> outputs) {
  for (size_t i = 0; i < block.inputs.size(); ++i) block.data[block.inputs[i]] = const_cast<uint8_t*>(inputs[i]);
  ++depth_;
  Frame frame(*this, block.data.data());
  for (const Node& node : block.nodes) {
    const Node* outer = node_;
    node_ = &node;
    if (depth_ == 1) main_node_ = node.index;
    const Timestamp start = tracer_ == nullptr ? Timestamp{0} : current_ticks();
    if (!node.run(frame)) {
      --depth_;
      return false;
    }
    if (tracer_ != nullptr) log(block, node, start);
    node_ = outer;
  }
  --depth_;
  for (size_t i = 0; i < outputs.size(); ++i) {
    std::memcpy(outputs[i], block.data[block.outputs[i]], block.output(i).bytes());
  }
  return true;
}

}  // namespace et::tosa
