#include "inspector/ingest/dump/nest_ops.h"

#include "inspector/ingest/dump/event_level.h"

namespace et::inspector {
namespace {

/// What a backend measures beside kernels, told by what encloses it.
void tell_backends(const Block& block, Trace& trace) {
  for (const int32_t o : block.ops) {
    Op& op = trace.ops[static_cast<size_t>(o)];
    if (op.kind != OpKind::Kernel) continue;
    const OpKind* parent = op.parent < 0 ? nullptr : &trace.ops[static_cast<size_t>(op.parent)].kind;
    const bool in_kernel_call = parent != nullptr && (*parent == OpKind::OperatorCall || *parent == OpKind::Kernel);
    const bool alone = parent == nullptr || *parent == OpKind::Framework;
    if (!in_kernel_call && !(alone && op.key.chain >= 0)) op.kind = OpKind::Backend;
  }
}

}  // namespace

NestedRun nest_run(const RunEvents& run, const EventKeys& keys) {
  NestedRun out;
  for (size_t i = 0; i < run.size(); ++i) {
    if (!run.measured(i)) continue;
    const EventKey& key = keys[run.keys[i]];
    out.events.push_back({level_of_event(key).level, key.instruction, key.chain, run.starts[i], run.ends[i]});
    out.at.push_back(static_cast<uint32_t>(i));
  }
  out.parents = nest(out.events);
  return out;
}

void nest_block(const DumpFile& dump, const RunEvents& run, const NestedRun& nested, const Variant& variant,
                Trace& trace) {
  for (size_t n = 0; n < nested.events.size(); ++n) {
    Op& op = nested.op(n, variant, trace);
    if (nested.parents[n] < 0 || op.parent >= 0) continue;
    op.parent = variant.op_of_event[nested.at[static_cast<size_t>(nested.parents[n])]];
    trace.ops[static_cast<size_t>(op.parent)].has_children = true;
  }
  Block& block = trace.blocks[static_cast<size_t>(variant.block)];
  tell_backends(block, trace);
  bool executes = false, loads = false;
  for (const int32_t o : block.ops) {
    executes |= trace.ops[static_cast<size_t>(o)].name == "Method::execute";
    loads |= trace.ops[static_cast<size_t>(o)].name == "Program::load_method";
  }
  block.complete = executes;
  block.kind = executes || block.name == "Execute" ? "execute" : loads || block.name == "Default" ? "load" : "other";
  if (const auto trailer = dump.trailer_run(run.run.index())) {
    block.trailer_method = std::string(trailer->method);
    if (!trailer->kind.empty()) block.kind = std::string(trailer->kind);
  }
}

void find_roots(const NestedRun& nested, Trace& trace, Variant& variant) {
  for (size_t n = 0; n < nested.events.size(); ++n) {
    if (nested.parents[n] < 0 && !nested.op(n, variant, trace).foreign()) variant.roots.push_back(nested.at[n]);
  }
}

}  // namespace et::inspector
