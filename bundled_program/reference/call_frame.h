// The arguments of one kernel call, as the kernel reads them: from the node, and from the schema what the node left
// out.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "bundled_program/reference/operator_schema.h"
#include "bundled_program/reference/scope.h"
#include "runtime/core/evalue.h"

namespace et::reference {

class CallFrame {
 public:
  explicit CallFrame(RunState& state) : state_(state) {}
  CallFrame(const CallFrame&) = delete;
  CallFrame& operator=(const CallFrame&) = delete;

  /// All arguments but the outputs. Errors: InvalidProgram (an argument is missing or of another type), InvalidType.
  Status set_inputs(const Scope& scope, const etrecord::Node& node, const OperatorSchema& schema);
  /// Everything that the node passes, in its order, for kernels that are in no table.
  Status set_given(const Scope& scope, const etrecord::Node& node);
  void add_output(const TensorHandle& tensor);
  void add_output_list(const std::vector<TensorHandle>& tensors);
  /// The place of the result that programs pass once more.
  void add_result() { push(EValue()); }

  Span<EValue*> arguments() { return pointers_; }
  /// The tensors among the inputs, lists included.
  const std::vector<TensorHandle>& tensors() const { return tensors_; }

 private:
  Status add_argument(const SchemaArgument& to, const etrecord::Argument& from, const Scope& scope);
  Status add_default(const SchemaArgument& to);
  Status add_list(const SchemaArgument& to, const std::vector<GraphValue>& items);
  Status add_number(const SchemaArgument& to, const GraphValue& value);
  void add_ints(const std::vector<int64_t>& values);
  void add_tensors(const std::vector<GraphValue>& items, bool optional);
  void push(EValue value);
  EValue* item(EValue value);

  RunState& state_;
  std::deque<EValue> values_;  // arguments and items of lists; their addresses stay
  std::vector<EValue*> pointers_;
  std::vector<TensorHandle> tensors_;
  // What lists point to.
  std::deque<std::vector<EValue*>> items_;
  std::deque<std::vector<int64_t>> ints_;
  std::deque<std::vector<double>> doubles_;
  std::deque<std::vector<uint8_t>> bools_;
  std::deque<std::vector<Tensor>> tensor_room_;
  std::deque<std::vector<optional<Tensor>>> optional_room_;
  std::deque<BoxedList<int64_t>> int_lists_;
  std::deque<BoxedList<Tensor>> tensor_lists_;
  std::deque<BoxedList<optional<Tensor>>> optional_lists_;
  std::deque<std::string> texts_;
  std::deque<ArrayRef<char>> text_views_;
  std::deque<ArrayRef<double>> double_views_;
  std::deque<ArrayRef<bool>> bool_views_;
};

}  // namespace et::reference
