#include "inspector/analysis/predict/predict.h"

#include <algorithm>
#include <set>

#include "inspector/analysis/predict/program_path.h"
#include "inspector/analysis/predict/rehearsal.h"

namespace et::inspector {
namespace {

Status choose_method(const ProgramFile& file, const std::string& wanted, format::Method* out) {
  const format::Program& p = file.program;
  *out = p.method(std::string_view(wanted.empty() ? "forward" : wanted));
  if (!out->valid() && wanted.empty() && p.method_count() == 1) *out = p.method(0);
  if (out->valid()) return {};
  std::string names;
  for (uint32_t i = 0; i < p.method_count(); ++i)
    names += (names.empty() ? "" : ", ") + std::string(p.method(i).name());
  return {wanted.empty() ? Error::InvalidArgument : Error::NotFound,
          wanted.empty() ? "several methods: choose one of " + names + " with --method"
                         : "no method '" + wanted + "'; the program has " + names};
}

/// Of `executions`, from those of one, two and three: the first one may have more, the others are alike.
uint64_t extended(const uint64_t (&sizes)[3], uint64_t executions) {
  if (executions <= 3) return sizes[executions == 0 ? 0 : executions - 1];
  return sizes[2] + (executions - 3) * (sizes[2] - sizes[1]);
}

struct Sizes {
  uint64_t dump[3] = {}, values[3] = {}, records[3] = {};
};

Sizes rehearse(Rehearsal* rehearsal, const std::vector<std::vector<uint64_t>>& visits,
               const Rehearsal::Extent& extent) {
  Sizes out;
  for (uint64_t n = 0; n < 3; ++n) {
    const Rehearsed r = rehearsal->run(visits, n + 1, extent);
    out.dump[n] = r.dump;
    out.values[n] = r.values;
    out.records[n] = r.records;
  }
  return out;
}

void count_events(const format::Method& method, const Rehearsal& rehearsal, const std::vector<ChainPath>& paths,
                  Prediction* out) {
  const auto add = [](Bounds* to, uint64_t events, uint64_t least, uint64_t most) {
    to->least += events * least;
    to->most += events * most;
  };
  EventCounts& events = out->events;
  for (uint32_t c = 0; c < paths.size(); ++c) {
    const format::Chain chain = method.chain(c);
    for (uint32_t i = 0; i < chain.instruction_count(); ++i) {
      const Rehearsal::Counts counts = rehearsal.counts(chain.instruction(i));
      const uint64_t least = paths[c].fewest[i], most = paths[c].most[i];
      add(&events.kernels, counts.kernels, least, most);
      add(&events.calls, counts.calls, least, most);
      add(&events.delegates, counts.delegates, least, most);
      add(&events.values, counts.values, least, most);
    }
  }
  if (rehearsal.logs()) add(&events.values, method.outputs().size(), 1, 1);
  events.load = 2;
  for (const DelegateForecast& d : rehearsal.delegates()) {
    events.load += d.load.size();
    events.first += d.first.size();
  }
}

}  // namespace

Status predict_trace(const ProgramFile& file, const PredictOptions& options, Prediction* out) {
  format::Method method;
  if (Status s = choose_method(file, options.method, &method); !s.ok()) return s;
  out->method = std::string(method.name());
  uint64_t cases = 1;
  for (uint32_t i = 0; file.bundled && i < file.bundle.suite_count(); ++i) {
    const bundled::Suite suite = file.bundle.suite(i);
    if (suite.method() == method.name()) cases = std::max<uint64_t>(1, suite.case_count());
  }
  out->executions = options.iterations * cases;

  Rehearsal rehearsal(method, options);
  std::vector<ChainPath> paths;
  std::vector<std::vector<uint64_t>> fewest, most;
  for (uint32_t c = 0; c < method.chain_count(); ++c) {
    const format::Chain chain = method.chain(c);
    out->instructions += chain.instruction_count();
    std::vector<uint64_t> weights(chain.instruction_count());
    for (uint32_t i = 0; i < chain.instruction_count(); ++i) weights[i] = rehearsal.weight(chain.instruction(i));
    const ChainPath& path = paths.emplace_back(follow_chain(method, c, weights, options.trips));
    fewest.push_back(path.fewest);
    most.push_back(path.most);
    out->branches += path.branches - path.loops;
    out->loops += path.loops;
    out->cut = out->cut || path.cut;
  }
  count_events(method, rehearsal, paths, out);
  std::set<std::string> unknown;
  for (const DelegateForecast& d : rehearsal.delegates()) {
    if (!d.known) unknown.insert(d.backend);
  }
  out->unknown_delegates.assign(unknown.begin(), unknown.end());
  out->dynamic_shapes = rehearsal.dynamic() && options.values != LoggedValues::None;

  const Sizes high = rehearse(&rehearsal, most, {});
  const bool same = fewest == most;
  // Numbers of values do not depend on shapes: the ETDump's least has those that vary.
  const Sizes low = same ? high : rehearse(&rehearsal, fewest, {.varying = true, .facts = false});
  const Sizes least = out->dynamic_shapes ? rehearse(&rehearsal, fewest, {.varying = false, .facts = false}) : low;
  const bool open = out->loops > 0 || out->cut;
  const uint64_t n = out->executions;
  out->dump = {extended(low.dump, n), extended(high.dump, n), open};
  out->dump_execution = {low.dump[2] - low.dump[1], high.dump[2] - high.dump[1], open};
  out->debug_buffer = {extended(least.values, n), extended(high.values, n), open};
  out->debug_execution = {least.values[2] - least.values[1], high.values[2] - high.values[1], open};
  out->memory = {extended(low.records, n), extended(high.records, n), open};
  return {};
}

}  // namespace et::inspector
