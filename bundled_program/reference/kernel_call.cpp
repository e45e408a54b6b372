#include "bundled_program/reference/kernel_call.h"

#include "bundled_program/reference/call_frame.h"
#include "runtime/core/kernel_registry.h"
#include "runtime/module/log_capture.h"

namespace et::reference {

Status result_tensor(NativeCall& call, size_t output, TensorHandle* out) {
  const std::string& name = call.node.outputs[output];
  const etrecord::TensorMeta* meta = call.scope.program.tensor(call.scope.graph, name);
  if (meta == nullptr || !meta->dtype_known) {
    return {Error::InvalidProgram, "the graph does not say what tensor " + name + " is"};
  }
  std::vector<int32_t> sizes;
  for (const etrecord::Dim& dim : meta->sizes) {
    const std::optional<int64_t> size = call.scope.symbols.value(dim);
    if (!size || *size < 0 || *size > INT32_MAX) {
      return {Error::InvalidProgram, "output " + name + " is " + text_of(*meta) + ", which is not a shape"};
    }
    sizes.push_back(static_cast<int32_t>(*size));
  }
  return call.state.make_tensor(meta->dtype, sizes, dim_order_of(call.scope.symbols, *meta), out);
}

Status call_operator(NativeCall& call, std::string_view op, const std::vector<etrecord::Argument>& arguments,
                     const std::vector<TensorHandle>& outputs) {
  const OperatorSchema* schema = find_schema(op);
  if (schema == nullptr || !has_kernel(schema->kernel)) {
    return {Error::OperatorMissing, "there is no kernel for " + std::string(op)};
  }
  etrecord::Node node;
  node.inputs = arguments;
  CallFrame frame(call.state);
  if (Status s = frame.set_inputs(call.scope, node, *schema); !s.ok()) return s;
  if (outputs.size() != schema->results) {
    return {Error::InvalidProgram, std::string(op) + " has " + std::to_string(schema->results) + " outputs"};
  }
  for (const TensorHandle& t : outputs) frame.add_output(t);
  frame.add_result();
  const std::string name(schema->kernel);
  Result<const Kernel*> kernel = get_kernel(name);
  if (!kernel.ok()) return {kernel.error(), "kernel " + name + ": " + take_errors()};
  KernelRuntimeContext context(nullptr, &call.state.temporary);
  (*kernel)->function(context, frame.arguments());
  call.state.temporary.reset();
  if (context.failure_state() != Error::Ok) {
    const std::string said = take_errors();
    return {context.failure_state(), said.empty() ? name + ": " + error_name(context.failure_state()) : said};
  }
  for (const TensorHandle& t : outputs) t->settle();
  return {};
}

}  // namespace et::reference
