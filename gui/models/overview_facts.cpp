// What the overview says of the files, the machine and the methods of a trace.
#include "gui/models/overview_facts.h"

#include <algorithm>

#include "gui/core/text.h"
#include "inspector/analysis/graph/node_counts.h"
#include "inspector/text/words.h"

namespace et::gui {

using inspector::OpBlock;

std::vector<OverviewFact> file_facts(const TraceData& data) {
  const inspector::TraceFacts& facts = data.facts;
  std::vector<OverviewFact> out;
  if (facts.name) out.push_back({"Name", *facts.name, ""});
  const auto file = [&](const char* label, const std::optional<std::string>& path, const char* without) {
    out.push_back({label, path ? base_name(*path) : std::string(), path.value_or(without)});
  };
  file("Trace", facts.dump_path, "opened without an ETDump: no times");
  if (facts.dump_path) {
    std::string size = inspector::format_count(facts.events) + (facts.events == 1 ? " event" : " events");
    if (facts.dump_bytes) size += ", " + inspector::format_bytes(*facts.dump_bytes);
    out.back().value += "  ·  " + size;
  } else {
    out.back().value = "none";
  }
  file("ETRecord", facts.record_path, "opened without an ETRecord: no nodes, lines or modules");
  if (!facts.record_path) out.back().value = "none";
  if (!data.foreign.record.empty()) out.back().value += ", another model's";
  file("Program", facts.program_path, "opened without a program: operators inside delegates stay unlinked");
  if (!facts.program_path) out.back().value = "none";
  if (!data.foreign.program.empty()) out.back().value += ", not the one that ran";
  if (facts.debug_buffer_path) file("Tensors", facts.debug_buffer_path, "");
  return out;
}

std::vector<OverviewFact> machine_facts(const inspector::TraceFacts& facts) {
  std::vector<OverviewFact> out;
  const auto add = [&](const char* label, const std::optional<std::string>& value) {
    if (value && !value->empty()) out.push_back({label, *value, ""});
  };
  add("Runtime", facts.producer);
  add("Host", facts.host);
  add("Processor", facts.cpu);
  if (facts.threads) out.push_back({"Threads", inspector::format_count(*facts.threads), ""});
  add("System", facts.os);
  add("Build", facts.build);
  add("Clock", facts.clock);
  if (facts.event_overhead_ns) {
    out.push_back({"Cost per event", inspector::format_duration_with_unit(*facts.event_overhead_ns, "ns"),
                   "measured by the runtime that wrote the trace"});
  }
  if (facts.lost_events.value_or(0) > 0) {
    out.push_back({"Lost events", inspector::format_count(*facts.lost_events), "the runtime's event buffer was full"});
  }
  for (const auto& [key, value] : facts.labels) out.push_back({key, value, "label of the application"});
  return out;
}

std::vector<OverviewMethod> methods_of(const TraceData& data) {
  struct Sum {
    OverviewMethod row;
    double warm_sum = 0;
    int64_t warm_runs = 0, blocks = 0;
  };
  std::vector<Sum> sums;
  for (const OpBlock& block : data.shown.blocks) {
    if (block.kind != "execute") continue;
    const std::string name = block.method.value_or("");
    auto at = std::find_if(sums.begin(), sums.end(),
                           [&](const Sum& s) { return s.row.known == block.method.has_value() && s.row.name == name; });
    if (at == sums.end()) {
      sums.emplace_back();
      at = sums.end() - 1;
      at->row.name = name;
      at->row.known = block.method.has_value();
    }
    OverviewMethod& row = at->row;
    row.executions += block.runs;
    row.total += block.total;
    if (!block.complete) row.incomplete += block.runs;
    if (block.cold) row.cold = row.cold.value_or(0) + *block.cold;
    if (block.warm_mean) {
      const int64_t runs = block.runs - (block.cold ? 1 : 0);
      at->warm_sum += *block.warm_mean * static_cast<double>(runs);
      at->warm_runs += runs;
      row.warm_median = ++at->blocks == 1 ? block.warm_p50 : std::nullopt;
    }
  }
  std::vector<OverviewMethod> out;
  for (Sum& sum : sums) {
    if (sum.warm_runs > 0) sum.row.warm_mean = sum.warm_sum / static_cast<double>(sum.warm_runs);
    const double warm = sum.row.warm_median.value_or(sum.row.warm_mean.value_or(0));
    if (sum.row.cold && warm > 0) sum.row.cold_ratio = static_cast<double>(*sum.row.cold) / warm;
    out.push_back(std::move(sum.row));
  }
  return out;
}

std::vector<std::string> methods_not_run(const TraceData& data, const std::vector<OverviewMethod>& ran) {
  std::vector<std::string> out;
  // Of a run whose method is not known it may be the one that is missing.
  const bool all_known = std::all_of(ran.begin(), ran.end(), [](const OverviewMethod& m) { return m.known; });
  if (ran.empty() || !all_known) return out;
  for (const inspector::MethodRow& method : data.facts.methods) {
    const bool runs =
        std::any_of(ran.begin(), ran.end(), [&](const OverviewMethod& m) { return m.name == method.name; });
    if (!runs) out.push_back(method.name);
  }
  return out;
}

std::vector<OverviewExport> exports_of(const TraceData& data) {
  std::vector<OverviewExport> out;
  for (const inspector::MethodRow& method : data.facts.methods) {
    OverviewExport row;
    row.name = method.name;
    row.inputs = method.inputs;
    row.outputs = method.outputs;
    row.instructions = method.instructions;
    for (const inspector::GraphModel& graph : data.graphs) {
      if (graph.method != method.name) continue;
      const inspector::NodeCounts counts = inspector::node_counts(graph);
      row.nodes = counts.all();
      row.delegates = static_cast<int64_t>(graph.parts.size());
      row.delegated = counts.delegated;
    }
    out.push_back(std::move(row));
  }
  return out;
}

}  // namespace et::gui
