// The table of reasons: each has a text of its own, by which a store's reason is found again, and says what to do.
#include "inspector/ingest/links/unlinked_reasons.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace et::inspector {
namespace {

TEST(UnlinkedReasons, AreFoundByTheirText) {
  std::set<std::string> texts;
  for (const Unlinked reason : {
#define ET_UNLINKED(id, helpable, text, advice) Unlinked::id,
#include "inspector/ingest/links/unlinked_reasons.def"
#undef ET_UNLINKED
       }) {
    const UnlinkedReason& row = unlinked_reason(reason);
    EXPECT_EQ(find_unlinked_reason(row.text), &row) << row.id;
    EXPECT_TRUE(texts.insert(row.text).second) << row.id;
    EXPECT_STRNE(row.advice, "") << row.id;
  }
  EXPECT_STREQ(unlinked_reason(Unlinked::layout).id, "layout");
  EXPECT_EQ(find_unlinked_reason("written by another version"), nullptr);
}

}  // namespace
}  // namespace et::inspector
