#include "inspector/ingest/npu/device_ops.h"

#include <vector>

#include "inspector/ingest/dump/run_samples.h"
#include "inspector/ingest/import.h"

namespace et::inspector {
namespace {

constexpr const char* kClock = "cycles of the NPU";

Op device_op(const DelegateFacts& d, size_t i, const Op& call) {
  const CompiledOperator& c = d.compiled[i];
  Op op;
  op.block = call.block;
  op.key.instruction = call.key.instruction;
  op.key.chain = call.key.chain;
  op.key.delegate_str = "NPU " + std::to_string(i);
  op.name = c.name.empty() ? c.type : c.type + " " + c.name;
  op.kind = OpKind::DelegateOp;
  op.backend = call.backend;
  op.delegate = call.delegate;
  if (c.node >= 0) {
    op.recorded = true;
    op.recorded_nodes.push_back({.index = static_cast<uint32_t>(c.node)});
  }
  op.clock = kClock;
  op.clock_given = true;
  op.clock_denominator = 0;
  op.unit = "cycles";
  return op;
}

/// The ops of one call; `first`: how many executions of the method came before this block's.
void add_to_block(const DelegateFacts& d, int32_t call, size_t first, Trace& trace, RunSamples& out) {
  Block& block = trace.blocks[static_cast<size_t>(trace.ops[static_cast<size_t>(call)].block)];
  std::vector<int32_t> op_of(d.compiled.size(), -1);
  for (const DeviceSlice& s : d.slices) {
    const auto inference = static_cast<size_t>(s.inference);
    if (inference < first || inference - first >= block.run_rows.size()) continue;
    int32_t& o = op_of[s.op];
    if (o < 0) {
      o = static_cast<int32_t>(trace.ops.size());
      Op op = device_op(d, s.op, trace.ops[static_cast<size_t>(call)]);
      op.parent = call;
      op.ordinal = static_cast<int32_t>(block.ops.size());
      op.row = out.op_ids.next();
      out.samples.declare(static_cast<size_t>(o), op.row);
      block.ops.push_back(o);
      trace.ops.push_back(std::move(op));
      trace.ops[static_cast<size_t>(call)].has_children = true;
    }
    out.samples.add(static_cast<size_t>(o), {block.run_rows[inference - first], s.start, s.end - s.start});
  }
}

}  // namespace

void add_device_ops(Import& in, RunSamples& out) {
  for (const MethodFacts& method : in.program.methods()) {
    for (size_t k = 0; k < method.delegates.size(); ++k) {
      if (method.delegates[k].slices.empty()) continue;
      size_t executions = 0;
      for (const Block& block : in.trace.blocks) {
        if (block.kind != "execute" || block.method != method.name) continue;
        for (const int32_t o : std::vector<int32_t>(block.ops)) {
          const Op& op = in.trace.ops[static_cast<size_t>(o)];
          if (op.kind == OpKind::DelegateCall && op.delegate == static_cast<int32_t>(k))
            add_to_block(method.delegates[k], o, executions, in.trace, out);
        }
        executions += block.run_rows.size();
      }
    }
  }
}

}  // namespace et::inspector
