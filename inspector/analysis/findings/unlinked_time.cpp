// Where the rest of the time is, group by group of the reason, and what to do about it.
#include <algorithm>

#include "inspector/analysis/findings/finding.h"
#include "inspector/ingest/links/unlinked_reasons.h"
#include "inspector/text/words.h"

namespace et::inspector {
namespace {

constexpr double kWorthAWarning = 0.05;

}  // namespace

void find_unlinked_time(FindingContext& c) {
  const UnlinkedTime& time = c.unlinked();
  for (const UnlinkedGroup& g : time.groups) {
    const UnlinkedReason* const known = find_unlinked_reason(g.reason);
    const double share = g.ns / time.total;
    // Without an ETRecord that is what one asks for; no-record says it, too.
    const bool expected = known == &unlinked_reason(Unlinked::no_record);
    Finding f;
    f.severity = known != nullptr && known->helpable && !expected && share >= kWorthAWarning ? "warning" : "info";
    f.id = "unlinked";
    f.text = format_share(share) + " of " + time.basis.whole() + " leads to no line (" + g.what() + "): " + g.reason;
    f.advice = known == nullptr ? "" : known->advice;
    f.time = {known == nullptr ? "" : known->id, share, time.basis, g.count.ops, g.example};
    c.add(std::move(f));
  }
}

}  // namespace et::inspector
