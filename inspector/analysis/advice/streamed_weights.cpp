// Products of one row with a large float32 matrix: they read each weight once and do nothing else with it, so the bytes
// of the weights are their time.
#include <algorithm>
#include <utility>
#include <vector>

#include "inspector/analysis/advice/advice.h"
#include "inspector/text/words.h"

namespace et::inspector {
namespace {

constexpr double kLeastWeights = 256 << 10;
constexpr double kMostIntensity =
    0.6;                             // operations for each byte: of one float32 row a half, of float16 or two rows one
constexpr double kInt8Share = 0.25;  // of the bytes

}  // namespace

void advise_streamed_weights(AdviceContext& c) {
  for (const DelegationMap& map : c.maps()) {
    double ns = 0, bytes = 0;
    int64_t count = 0;
    std::vector<AdviceItem> items;
    const RooflineRow* first = nullptr;
    for (const RooflineRow& r : c.work().rows) {
      if (r.method != map.method || r.work.integer || !r.intensity() || *r.intensity() > kMostIntensity) continue;
      if (r.work.weight_bytes < kLeastWeights * std::max(r.calls, 1.0) || r.work.weight_bytes < 0.8 * *r.work.bytes ||
          *r.work.flops <= 0)
        continue;
      ns += r.ns;
      bytes += r.work.weight_bytes;
      ++count;
      items.push_back({r.title, r.ns, c.place_of(r)});
      if (first == nullptr) first = &r;
    }
    if (first == nullptr || ns < kLeastShare * c.usual(map.method)) continue;
    Advice a;
    a.id = "streamed-weights";
    a.method = map.method;
    a.title = "Large float32 weights are read for one row";
    c.add_time(&a, "time of the products", ns);
    a.facts.push_back({"weights read", bytes, AdviceFact::Unit::Bytes});
    a.facts.push_back({"bytes a second", bytes / ns, AdviceFact::Unit::Gbytes});
    a.facts.push_back({"products", static_cast<double>(count), AdviceFact::Unit::Count});
    a.text = plural(count, "product") + (count == 1 ? " reads " : " read ") +
             format_bytes(static_cast<int64_t>(bytes)) + " of float32 weights for one row: " + c.time(ns) + ", " +
             c.share(ns, map.method) + " of the execution, " + format_real(bytes / ns, 1) + " GB/s";
    a.what_to_do =
        "Quantise these weights (int8 has a quarter of the bytes, int4 an eighth), or run several rows at once: the "
        "time is "
        "that of reading them.";
    a.items = std::move(items);
    a.most_ns = ns * (1 - kInt8Share);
    a.assumes = "reading int8 weights is all that is left";
    a.place = c.place_of(*first);
    c.add(std::move(a));
  }
}

}  // namespace et::inspector
