// What costs most, and no other rule speaks of: said in the list itself, with what rates leave to win. What a roof
// counts is no proof that a kernel can reach it, so this is open: no limit of a build fails by it (--most).
#include <algorithm>
#include <vector>

#include "inspector/analysis/advice/advice.h"
#include "inspector/analysis/advice/slow_shapes.h"
#include "inspector/text/words.h"

namespace et::inspector {

void advise_costly_operator(AdviceContext& c) {
  for (const Consumer& consumer : silent_consumers(c, c.found())) {
    // Of what is at its roof nothing can be won, and what is known of no roof is said below the list.
    if (consumer.rows.empty() || !consumer.is_far_from_roof()) continue;
    std::vector<const RooflineRow*> rows;
    for (const size_t i : consumer.rows) rows.push_back(&c.work().rows[i]);
    const RooflineRow& first = *rows.front();
    Advice a;
    a.id = "costly-operator";
    a.open = true;
    a.method = first.method;
    a.title = consumer.title + (consumer.exponential  ? " takes much of the execution"
                                : consumer.calibrated ? " far from the machine's peaks"
                                                      : " far from the best rates of the trace");
    c.add_time(&a, "time", consumer.ns);
    if (!consumer.exponential) {
      a.facts.push_back({"of the best rates", consumer.roof_ns / consumer.known_ns, AdviceFact::Unit::Share});
      a.most_ns = consumer.known_ns - consumer.roof_ns;
      a.assumes = std::string("each reaches the ") +
                  (consumer.calibrated ? "machine's peaks" : "best rate of this trace") +
                  " for its operations and bytes, which kernels of such shapes may never do";
    }
    a.text = consumer_text(consumer, c.shown(), true) + (consumer.exponential ? "" : shapes_text(c, rows));
    a.what_to_do = what_spares(c, rows) + " et-inspect roofline shows each op.";
    for (const RooflineRow* const row : rows) a.items.push_back({row->title, row->ns, c.place_of(*row)});
    a.place = c.place_of(first);
    c.add(std::move(a));
  }
}

}  // namespace et::inspector
