// Calls of delegates that cost more than what is computed in them.
#include <utility>
#include <vector>

#include "inspector/analysis/advice/advice.h"
#include "inspector/text/words.h"

namespace et::inspector {

void advise_small_delegates(AdviceContext& c) {
  for (const DelegationMap& map : c.maps()) {
    double calls = 0, inside = 0, hidden = 0, least_around = 0;
    int64_t small = 0, all = 0;
    const MapItem* smallest = nullptr;
    std::vector<AdviceItem> items;
    for (const MapItem& item : map.items) {
      if (item.kind != MapItem::Kind::Delegate) continue;
      ++all;
      // Without events inside nothing is known of it; where they are cut to whole microseconds, the work is as long as
      // that allows.
      const double work = item.inner_ns + item.hidden_ns, around = item.ns - work;
      if (item.inner_ns <= 0 || around <= work) continue;
      ++small;
      AdviceItem call = {call_name(item), item.ns, {}};
      call.place.instruction = item.instruction;
      items.push_back(std::move(call));
      calls += around;
      inside += work;
      hidden += item.hidden_ns;
      if (smallest == nullptr || around > least_around) smallest = &item, least_around = around;
    }
    if (small == 0 || all < 2 || calls < kLeastShare * c.usual(map.method)) continue;
    Advice a;
    a.id = "small-delegates";
    a.method = map.method;
    a.title = "Delegate calls cost more than the work in them";
    c.add_time(&a, "time for calling", calls);
    a.facts.push_back({"time of the work in them", inside, AdviceFact::Unit::Time});
    a.facts.push_back({"such calls", static_cast<double>(small), AdviceFact::Unit::Count});
    a.facts.push_back({"delegate calls in all", static_cast<double>(all), AdviceFact::Unit::Count});
    a.text = format_count(small) + " of " + plural(all, "delegate call") +
             " cost more than what is computed in them: " + (hidden > 0 ? "at least " : "") + c.time(calls) + " (" +
             c.share(calls, map.method) + " of the execution) for calling, " + (hidden > 0 ? "at most " : "") +
             c.time(inside) + " for the work; the costliest is instruction " + std::to_string(smallest->instruction);
    // Without a program or an ETRecord nothing says which backend it is.
    if (!smallest->backend.empty()) a.text += " of " + smallest->backend;
    if (!smallest->nodes.empty())
      a.text += " (" + smallest->nodes.front() + (smallest->nodes.size() > 1 ? " …" : "") + ")";
    a.what_to_do =
        "Close the graph breaks beside them so that they grow, or keep so little work outside of the delegate: a "
        "partitioner's "
        "configuration can leave operators out.";
    a.items = std::move(items);
    a.most_ns = calls + hidden;
    a.assumes = "their work costs the same elsewhere";
    a.place.instruction = smallest->instruction;
    c.add(std::move(a));
  }
}

}  // namespace et::inspector
