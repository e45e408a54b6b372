// How much of an execution's time leads to Python lines.
#include "inspector/analysis/findings/finding.h"
#include "inspector/ingest/links/unlinked_reasons.h"
#include "inspector/text/format.h"

namespace et::inspector {
namespace {

constexpr double kWorthMentioning = 0.05;

}  // namespace

void find_linked_time(FindingContext& c) {
  const UnlinkedTime& time = c.unlinked();
  if (time.total <= 0) return;
  const double share = (time.of_ops - time.unlinked) / time.total;
  // What nobody can help is no fault: of a small model the runtime's overhead is the most.
  double helpable = 0;
  for (const UnlinkedGroup& g : time.groups) {
    const UnlinkedReason* const known = find_unlinked_reason(g.reason);
    if (known == nullptr || known->helpable) helpable += g.ns;
  }
  const char* little = c.has_etrecord() && helpable >= kWorthMentioning * time.total ? "warning" : "info";
  std::string text = format_share(share) + " of " + time.basis.whole() + " leads to Python lines";
  const double variation = 1 - time.of_ops / time.total;
  if (variation >= kWorthMentioning) text += ", " + format_share(variation) + " is variation, which is of no op";
  c.add(share >= 0.5 ? "ok" : little, "linked-time", text);
}

}  // namespace et::inspector
