// Loading that takes many times as long as an execution: packing of weights and set-up of delegates.
#include "inspector/analysis/advice/advice.h"
#include "inspector/analysis/ops/op_title.h"
#include "inspector/text/words.h"

namespace et::inspector {
namespace {

constexpr double kTimes = 20, kLeastNs = 5e6;
// A load is measured once. What takes more than twice of what its bytes and events explain was held up by something
// else, up to some tens of milliseconds: packing reads at hundreds of megabytes a second, and making an operator of a
// delegate takes some microseconds.
constexpr double kSurelyLong = 50e6, kExplained = 2, kBytesAMillisecond = 200e3, kEventNs = 30e3;

}  // namespace

void advise_slow_load(AdviceContext& c) {
  if (c.shown().unit != "ns") return;
  double load = 0, runs = 0, most = 0, events = 0;
  const OpEntry* costliest = nullptr;
  for (const OpBlock& b : c.shown().blocks) {
    if (b.kind != "load" || b.runs == 0) continue;
    load += static_cast<double>(b.total) / static_cast<double>(b.runs);
    ++runs;
    for (size_t i = b.first_op; i < b.first_op + b.ops; ++i) {
      const OpEntry& op = c.shown().ops[i];
      if (op.encloses || op.count == 0) continue;
      const double mean = static_cast<double>(op.sum) / static_cast<double>(b.runs);
      events += static_cast<double>(op.count) / static_cast<double>(b.runs);
      if (mean > most) most = mean, costliest = &op;
    }
  }
  const double execution = c.total("");
  // One event of some milliseconds may be the scheduler's.
  const double sure = runs > 1 || load >= kSurelyLong ? load : load - most;
  if (runs == 0 || execution <= 0 || sure < kLeastNs || sure < kTimes * execution) return;
  if (runs < 2 && load < kSurelyLong) {
    const double bytes = c.program() == nullptr ? 0 : static_cast<double>(c.program()->file_bytes);
    if (load > kExplained * (bytes / kBytesAMillisecond * 1e6 + events * kEventNs)) return;
  }
  Advice a;
  a.id = "slow-load";
  a.title = "Loading takes long";
  a.facts.push_back({"time of loading", load, AdviceFact::Unit::Time});
  a.facts.push_back({"time of an execution", execution, AdviceFact::Unit::Time});
  if (costliest != nullptr && most > 0)
    a.facts.push_back({"of loading: " + op_title(c.shown(), *costliest), most, AdviceFact::Unit::Time});
  a.text = "loading takes " + c.time(load) + ", as long as " + format_count(static_cast<int64_t>(load / execution)) +
           " executions";
  if (costliest != nullptr && most > 0.3 * load)
    a.text += "; " + c.time(most) + " of it in " + op_title(c.shown(), *costliest);
  if (runs < 2) a.text += "; measured once";
  a.what_to_do =
      "Load once and keep the method. Where a delegate packs weights at load, its weight cache or a payload that is "
      "packed at "
      "export shortens it.";
  c.add(std::move(a));
}

}  // namespace et::inspector
