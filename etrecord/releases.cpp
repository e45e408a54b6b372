#include "etrecord/releases.h"

#include <algorithm>

namespace et::etrecord {
namespace {

constexpr FormRow kForms[] = {
#define ET_FORM(id, first, last, name, what) {Form::id, Release::first, Release::last, name, what},
#include "etrecord/releases.def"
};
constexpr const char* kReleaseNames[] = {
#define ET_RELEASE(id, name) name,
#include "etrecord/releases.def"
};
static_assert(std::size(kForms) <= 32, "FormSet has 32 bits");
constexpr auto kNewest = static_cast<Release>(std::size(kReleaseNames) - 1);

}  // namespace

std::span<const FormRow> forms() { return kForms; }
const char* release_name(Release release) { return kReleaseNames[static_cast<size_t>(release)]; }

Release newest_release() { return kNewest; }

std::optional<ReleaseRange> releases_of(const FormSet& seen) {
  ReleaseRange range{Release{}, kNewest};
  for (const FormRow& row : kForms) {
    if (!seen.has(row.form)) continue;
    range.first = std::max(range.first, row.first);
    range.last = std::min(range.last, row.last);
  }
  if (range.first > range.last) return std::nullopt;
  return range;
}

std::string range_text(const ReleaseRange& range) {
  const std::string first = release_name(range.first);
  if (range.first == range.last) return first;
  if (range.last == kNewest) return first + " or newer";
  return first + " to " + release_name(range.last);
}

}  // namespace et::etrecord
