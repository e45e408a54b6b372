#include "inspector/ingest/trace_writer.h"

#include <algorithm>
#include <optional>

#include "inspector/ingest/dump/dump_fingerprint.h"
#include "inspector/text/json_list.h"

namespace et::inspector {
namespace {

template <class T>
std::optional<T> if_true(bool condition, T value) {
  return condition ? std::optional<T>(std::move(value)) : std::nullopt;
}

void write_block(ImportContext& context, const Block& b, const std::map<std::string, int64_t>& method_rows,
                 Statement& st) {
  std::optional<int64_t> method;
  if (const auto it = method_rows.find(b.method); it != method_rows.end()) method = it->second;
  std::vector<int64_t> warm;
  bool skipped = b.cold_run < 0;
  for (const int64_t d : b.run_durations) {
    if (!skipped && b.cold && d == *b.cold) {
      skipped = true;  // one run of exactly the cold duration is the cold one: the statistics are the same
      continue;
    }
    warm.push_back(d);
  }
  const SampleStatistics w = sample_statistics(warm);
  const bool execute = b.kind == "execute";
  st.run(b.row, context.trace, b.ordinal, b.name, b.kind, method, if_true(method.has_value(), b.method_via),
         if_true(method.has_value(), b.method_confidence),
         if_true(b.bundled_input_index >= 0, int64_t{b.bundled_input_index}), b.run_durations.size(), b.total, b.cold,
         if_true(execute && w.count > 0, w.mean), if_true(execute && w.count > 0, w.p50));
}

void write_op(ImportContext& context, const Trace& trace, const Op& op, const ProgramImport& program, Statement& st) {
  const Block& block = trace.blocks[static_cast<size_t>(op.block)];
  std::optional<int64_t> parent, delegate_row, payload_row;
  if (op.parent >= 0) parent = trace.ops[static_cast<size_t>(op.parent)].row;
  if (const MethodFacts* m = program.method(block.method); m != nullptr && op.delegate >= 0) {
    const DelegateFacts& d = m->delegates[static_cast<size_t>(op.delegate)];
    delegate_row = d.row;
    if (op.payload_node >= 0) payload_row = d.nodes[static_cast<size_t>(op.payload_node)].row;
  }
  const bool inside = op.key.chain >= 0 && op.kind != OpKind::Framework;
  // Texts that SQLite reads at the step must live until then.
  const std::string handles = json_list(op.handles), types = json_list(op.op_types);
  const std::string unit = op.clock_given ? op.unit : trace.cycles ? "cycles" : "ns";
  const auto text = [&](RawOp column, const std::string& v) {
    v.empty() ? st.bind(column, nullptr) : st.bind(column, v);
  };
  st.bind(RawOp::id, op.row);
  st.bind(RawOp::trace, context.trace);
  st.bind(RawOp::block, block.row);
  st.bind(RawOp::ordinal, op.ordinal);
  st.bind(RawOp::parent, parent);
  st.bind(RawOp::name, context.store.intern(op.name));
  st.bind(RawOp::kind, op_kind_name(op.kind));
  st.bind(RawOp::instruction_id, if_true(inside && op.key.instruction >= 0, int64_t{op.key.instruction}));
  st.bind(RawOp::chain_index, if_true(inside, op.key.chain));
  st.bind(RawOp::delegate_id_int, if_true(op.key.delegate_int != -1, int64_t{op.key.delegate_int}));
  text(RawOp::delegate_id_str, op.key.delegate_str);
  text(RawOp::backend, op.backend);
  st.bind(RawOp::delegate, delegate_row);
  st.bind(RawOp::payload_node, payload_row);
  text(RawOp::role, op.role);
  text(RawOp::clock, op.clock);
  st.bind(RawOp::resolution_limited, op.whole_microseconds);
  op.has_handles ? st.bind(RawOp::debug_handles, handles) : st.bind(RawOp::debug_handles, nullptr);
  st.bind(RawOp::op_types, types);
  st.bind(RawOp::outputs, op.outputs);
  bind_statistics(&st, op.stats);
  text(RawOp::metadata, op.metadata);
  st.bind(RawOp::unit, unit);
  st.step();
  st.reset();
}

// A method that ran once costs what it took: nothing to write, which keeps traces of very many ops small.
void write_costs(ImportContext& context, const Trace& trace) {
  Statement cost = context.store.query("INSERT INTO raw_op_cost VALUES(?1,?2,?3,?4,?5)");
  Statement merged = context.store.query(insert_merged_sql());
  Statement basis = context.store.query("INSERT INTO raw_execution_basis VALUES(?1,?2,?3,?4,?5,?6)");
  for (const Executions& e : trace.executions_of) {
    if (e.count < 2) continue;
    basis.run(trace.blocks[static_cast<size_t>(e.blocks.front())].row, e.blocks.size(), e.count, e.warm, e.tail,
              e.warm_median);
    for (const int32_t b : e.blocks) {
      const Block& block = trace.blocks[static_cast<size_t>(b)];
      for (const int32_t o : block.ops) {
        const Op& op = trace.ops[static_cast<size_t>(o)];
        if (op.merged_into >= 0) {
          cost.run(op.row, trace.ops[static_cast<size_t>(op.merged_into)].row, nullptr, nullptr, nullptr);
        } else if (op.stats.count > 0 && !op.foreign()) {
          // Warm-up that was not traced leaves no cold execution: not known is not 0.
          cost.run(op.row, nullptr, op.cost.warm_median, if_true(e.cold > 0, op.cost.cold), op.cost.p99);
        }
      }
    }
  }
  for (const MergedOp& m : trace.merged) {
    merged.bind(1, trace.ops[static_cast<size_t>(m.op)].row);
    bind_merged_statistics(&merged, m.stats);
    merged.step();
    merged.reset();
  }
}

}  // namespace

void write_trace(ImportContext& context, const Trace& trace, const RecordImport& record, const ProgramImport& program,
                 const std::map<std::string, int64_t>& method_rows) {
  Store& store = context.store;
  // Where one fails, the statements say why.
  if (store.ensure_part("costs", "raw_op_cost").ok()) (void)add_missing_op_columns(store);
  (void)store.renew_usual_views();
  Statement block = store.query("INSERT INTO raw_block VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14)");
  Statement op_st = store.query(insert_sql("raw_op", kRawOpColumns));
  Statement link = store.query("INSERT INTO raw_link VALUES(?1,?2,?3,?4,?5,?6)");
  Statement unlinked = store.query("INSERT INTO raw_unlinked VALUES(?1,?2)");
  if (!context.inputs.dump.empty()) write_dump_fingerprint(store, context.trace, context.inputs.dump);
  for (const Block& b : trace.blocks) write_block(context, b, method_rows, block);
  write_costs(context, trace);
  for (const Op& op : trace.ops) {
    write_op(context, trace, op, program, op_st);
    if (op.unlinked_reason != Unlinked::none) unlinked.run(op.row, unlinked_reason(op.unlinked_reason).text);
    if (op.links.empty()) continue;
    const MethodGraph* graph = record.graph(trace.blocks[static_cast<size_t>(op.block)].method);
    for (size_t i = 0; i < op.links.size(); ++i) {
      const Link& l = op.links[i];
      link.run(op.row, graph->row_of_node[static_cast<size_t>(l.node)], via_name(l.via), l.confidence, l.weight, i);
    }
  }
}

}  // namespace et::inspector
