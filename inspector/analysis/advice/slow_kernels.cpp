// The same kind of work, done at very different speed in one trace: a kernel without optimisation beside a delegate, or
// one that a partitioner left out. Only operations for each nanosecond of the same operator are compared.
#include <algorithm>
#include <vector>

#include "inspector/analysis/advice/advice.h"
#include "inspector/analysis/ops/op_title.h"
#include "inspector/text/words.h"

namespace et::inspector {
namespace {

constexpr double kSlower = 5;        // so many times slower for its work than the delegate
constexpr double kAlike = 4;         // operations for each byte differ by no more
constexpr double kLeastFlops = 1e5;  // below that, calling it is what is measured

AdviceFact::Unit fact_unit(const RooflineRow& row) {
  return row.work.integer ? AdviceFact::Unit::Gops : AdviceFact::Unit::Gflops;
}

}  // namespace

void advise_slow_kernels(AdviceContext& c) {
  std::vector<const RooflineRow*> delegated, kernels;
  for (const RooflineRow& r : c.work().rows) {
    if (!r.gflops() || !r.intensity() || *r.work.flops < kLeastFlops * std::max(r.calls, 1.0) || r.op.empty()) continue;
    (r.backend.empty() ? kernels : delegated).push_back(&r);
  }
  for (const RooflineRow* const kernel : kernels) {
    const RooflineRow& r = *kernel;
    const double rate = *r.gflops();
    const RooflineRow* best = nullptr;
    for (const RooflineRow* const other : delegated) {
      const double alike = *other->intensity() / *r.intensity();
      if (other->op != r.op || alike < 1 / kAlike || alike > kAlike) continue;
      if (best == nullptr || *other->gflops() > *best->gflops()) best = other;
    }
    if (best == nullptr || rate * kSlower > *best->gflops() || r.ns < kLeastShare * c.usual(r.method)) continue;
    Advice a;
    a.id = "slow-kernel";
    a.method = r.method;
    const double at_best = *r.work.flops / *best->gflops();
    const std::string title = operator_title(r.op);
    a.title = title + " is slower as a kernel than in " + best->backend;
    c.add_time(&a, "time of the kernel", r.ns);
    a.facts.push_back({"operations a second, as a kernel", rate, fact_unit(r)});
    a.facts.push_back({"the same operator in " + best->backend, *best->gflops(), fact_unit(*best)});
    a.facts.push_back({"time at that speed", at_best, AdviceFact::Unit::Time});
    a.text = title + " outside of the delegates does " + format_real(rate, 2) + " " + rate_unit(r.work.integer) +
             "; in " + best->backend + " the same operator does " + format_real(*best->gflops(), 1) + "; it takes " +
             c.time(r.ns) + ", " + c.share(r.ns, r.method) + " of the execution";
    a.what_to_do =
        "Have the partitioner take it, or link the optimised kernels (optimized_native_cpu_ops_lib) instead of the "
        "portable ones.";
    a.most_ns = r.ns - at_best;
    a.assumes = "it gets as fast as the fastest delegated one";
    a.place = c.place_of(r);
    c.add(std::move(a));
  }
}

}  // namespace et::inspector
