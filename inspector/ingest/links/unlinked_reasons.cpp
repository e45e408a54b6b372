#include "inspector/ingest/links/unlinked_reasons.h"

#include <algorithm>
#include <iterator>

namespace et::inspector {
namespace {

constexpr UnlinkedReason kUnlinkedReasons[] = {
#define ET_UNLINKED(id, helpable, text, advice) {#id, helpable, text, advice},
#include "inspector/ingest/links/unlinked_reasons.def"
#undef ET_UNLINKED
};

}  // namespace

const UnlinkedReason& unlinked_reason(Unlinked reason) { return kUnlinkedReasons[static_cast<size_t>(reason) - 1]; }

const UnlinkedReason* find_unlinked_reason(std::string_view text) {
  const auto* const at = std::find_if(std::begin(kUnlinkedReasons), std::end(kUnlinkedReasons),
                                      [&](const UnlinkedReason& r) { return text == r.text; });
  return at == std::end(kUnlinkedReasons) ? nullptr : at;
}

}  // namespace et::inspector
