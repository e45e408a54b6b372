// Vela's estimates → the delegate whose command stream they are of, and the payload nodes that they mean.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/mapped_file.h"
#include "inspector/ingest/import.h"
#include "inspector/ingest/importers.h"
#include "inspector/ingest/npu/vela_estimates.h"
#include "inspector/text/words.h"

namespace et::inspector {
namespace {

int64_t sum_of_macs(const DelegateFacts& d) {
  int64_t sum = 0;
  for (const PayloadCommand& c : d.commands) sum += std::min(c.macs, INT64_MAX - sum);
  return sum;
}

int64_t sum_of_macs(const VelaEstimates& e) {
  int64_t sum = 0;
  for (const VelaOperator& op : e.operators) {
    if (op.multiplies() && op.macs.value_or(0) > 0) sum += std::min(*op.macs, INT64_MAX - sum);
  }
  return sum;
}

/// Each entry of the queue is a command of the stream, and the other way round.
bool same_stream(const VelaEstimates& e, const DelegateFacts& d) {
  std::set<int64_t> queue, stream;
  for (const VelaQueueEntry& q : e.queue) queue.insert(q.offset);
  for (const PayloadCommand& c : d.commands) stream.insert(c.offset);
  return std::includes(stream.begin(), stream.end(), queue.begin(), queue.end());
}

bool belongs(const VelaEstimates& e, const DelegateFacts& d) {
  if (d.payload_kind != "vela" || d.commands.empty() || !d.compiled.empty()) return false;
  return sum_of_macs(e) == sum_of_macs(d) && (e.queue.empty() || same_stream(e, d));
}

CompiledOperator compiled(const VelaOperator& op) {
  CompiledOperator out;
  out.type = op.type;
  out.name = op.name;
  out.cycles = op.cycles;
  out.compute_cycles = op.npu_cycles;
  out.memory_cycles = op.memory_cycles;
  out.memory = op.memory;
  out.macs = op.macs;
  out.staging_bytes = op.staging_bytes;
  return out;
}

/// Nodes of the twin, by the tensors that they make.
void find_twin_nodes(DelegateFacts* d) {
  std::map<std::string_view, int32_t> makers;
  for (size_t n = 0; n < d->nodes.size(); ++n) {
    for (const int64_t v : d->nodes[n].outputs)
      makers.emplace(d->values[static_cast<size_t>(v)].name, static_cast<int32_t>(n));
  }
  for (CompiledOperator& op : d->compiled) {
    const auto it = makers.find(op.name);
    if (it != makers.end()) op.node = it->second;
  }
}

/// The commands are the nodes: each says which operator it is of.
void find_commands(const VelaEstimates& e, bool nodes_are_commands, DelegateFacts* d) {
  std::map<int64_t, size_t> op_at;
  for (const VelaQueueEntry& q : e.queue) op_at[q.offset] = q.op;
  for (const PayloadCommand& c : d->commands) {
    const auto it = op_at.find(c.offset);
    if (it == op_at.end()) continue;
    CompiledOperator& op = d->compiled[it->second];
    op.commands = op.commands.value_or(0) + 1;
    if (!nodes_are_commands) continue;
    if (op.node < 0) op.node = static_cast<int32_t>(c.node);
    PayloadNode& node = d->nodes[c.node];
    if (!op.name.empty()) node.label = op.name + ": " + node.label;
  }
}

/// Without a queue: convolutions come in the same order, and their multiplications agree.
void align_by_macs(const VelaEstimates& e, DelegateFacts* d) {
  size_t at = 0;
  for (size_t i = 0; i < e.operators.size(); ++i) {
    if (!e.operators[i].multiplies() || e.operators[i].macs.value_or(0) <= 0) continue;
    int64_t left = *e.operators[i].macs;
    for (; at < d->commands.size() && left > 0; ++at) {
      const PayloadCommand& c = d->commands[at];
      if (c.macs == 0) continue;
      CompiledOperator& op = d->compiled[i];
      if (op.node < 0) op.node = static_cast<int32_t>(c.node);
      op.commands = op.commands.value_or(0) + 1;
      left -= c.macs;
    }
    if (left != 0) {  // not the same order: better nothing than something wrong
      for (CompiledOperator& op : d->compiled) {
        op.node = -1;
        op.commands.reset();
      }
      return;
    }
  }
}

void take(const VelaEstimates& e, DelegateFacts* d) {
  for (const VelaOperator& op : e.operators) d->compiled.push_back(compiled(op));
  const bool twin = !d->values.empty();
  if (!e.queue.empty()) {
    find_commands(e, !twin, d);
  } else if (!twin) {
    align_by_macs(e, d);
  }
  if (twin) find_twin_nodes(d);
}

}  // namespace

Status load_vela(Import& in) {
  const std::string& path = input_file(in.context.inputs, "vela");
  if (path.empty()) return {};
  MappedFile file;
  if (const Status s = MappedFile::open(path, &file); !s.ok()) return of_bad_file(s);
  const auto bytes = file.bytes();
  VelaEstimates estimates;
  const Status status =
      read_vela_estimates({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path, &estimates);
  if (!status.ok()) return status;
  if (!in.program.loaded())
    return {Error::InvalidArgument,
            path + ": expected the program that it was compiled for beside it (--pte), got none"};
  std::vector<std::string> delegates;
  for (MethodFacts& method : in.program.methods()) {
    for (DelegateFacts& d : method.delegates) {
      if (belongs(estimates, d)) {
        take(estimates, &d);
        in.more["vela"] = LoadedVela{std::move(estimates), &d};
        return {};
      }
      if (d.payload_kind == "vela") delegates.push_back(format_count(sum_of_macs(d)));
    }
  }
  return {Error::InvalidExternalData,
          path + ": expected the estimates of a delegate of " + in.context.inputs.program +
              (delegates.empty()
                   ? ", which has no payload of Vela"
                   : " (multiplications of its convolutions: " + joined(delegates, "; ") + "), got " +
                         format_count(sum_of_macs(estimates)) + (estimates.queue.empty() ? "" : " or other commands"))};
}

void write_compiled_operators(Import& in) {
  if (!in.more.contains("vela")) return;
  Store& store = in.context.store;
  (void)store.ensure_part("compiled", "raw_compiled_op");
  RowIds ids(store, "raw_compiled_op");
  Statement op = store.query("INSERT INTO raw_compiled_op VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15)");
  Statement slice = store.query("INSERT INTO raw_device_slice VALUES(?1,?2,?3,?4)");
  const DelegateFacts& d = *std::any_cast<const LoadedVela&>(in.more["vela"]).delegate;
  std::vector<int64_t> rows;
  for (size_t i = 0; i < d.compiled.size(); ++i) {
    const CompiledOperator& c = d.compiled[i];
    std::optional<int64_t> node;
    if (c.node >= 0) node = d.nodes[static_cast<size_t>(c.node)].row;
    rows.push_back(ids.next());
    op.run(rows.back(), in.context.trace, d.row, i, c.type, c.name, c.cycles, c.compute_cycles, c.memory_cycles,
           c.memory.empty() ? std::nullopt : std::optional(c.memory), c.macs, c.staging_bytes, c.commands,
           c.measured_cycles, node);
  }
  for (const DeviceSlice& s : d.slices) slice.run(rows[s.op], s.inference, s.start, s.end);
}

}  // namespace et::inspector
