// Values that may be absent: read as std::optional is, and as small as what they hold.
#include "inspector/text/compact.h"

#include <gtest/gtest.h>

namespace et::inspector {
namespace {

TEST(Maybe, IsAbsentUntilItIsSet) {
  Maybe<int64_t> number;
  EXPECT_FALSE(number.has_value());
  EXPECT_FALSE(static_cast<bool>(number));
  EXPECT_EQ(number.value_or(7), 7);
  number = 0;
  EXPECT_TRUE(number.has_value());
  EXPECT_EQ(*number, 0);
  EXPECT_EQ(number.value_or(7), 0);
  number = std::nullopt;
  EXPECT_FALSE(number.has_value());
}

TEST(Maybe, TakesNoMoreThanItsValue) {
  EXPECT_EQ(sizeof(Maybe<double>), sizeof(double));
  EXPECT_EQ(sizeof(Maybe<int64_t>), sizeof(int64_t));
  EXPECT_EQ(sizeof(Maybe<size_t>), sizeof(size_t));
  EXPECT_EQ(sizeof(MaybeText), sizeof(void*));
}

TEST(Maybe, KeepsTheEndsOfItsRange) {
  EXPECT_EQ(*Maybe<int64_t>(std::numeric_limits<int64_t>::max()), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(*Maybe<int64_t>(std::numeric_limits<int64_t>::min() + 1), std::numeric_limits<int64_t>::min() + 1);
  EXPECT_EQ(*Maybe<size_t>(std::numeric_limits<size_t>::max() - 1), std::numeric_limits<size_t>::max() - 1);
  EXPECT_TRUE(Maybe<size_t>(0).has_value());
  EXPECT_EQ(*Maybe<double>(std::numeric_limits<double>::infinity()), std::numeric_limits<double>::infinity());
}

TEST(Maybe, OneValueOfTheTypeMeansAbsent) {
  EXPECT_FALSE(Maybe<int64_t>(std::numeric_limits<int64_t>::min()).has_value());
  EXPECT_FALSE(Maybe<size_t>(std::numeric_limits<size_t>::max()).has_value());
  EXPECT_FALSE(Maybe<double>(std::numeric_limits<double>::quiet_NaN()).has_value());
}

TEST(Maybe, GoesToAndComesFromOptional) {
  EXPECT_EQ(std::optional<double>(Maybe<double>(1.5)), std::optional<double>(1.5));
  EXPECT_EQ(std::optional<double>(Maybe<double>()), std::nullopt);
  EXPECT_EQ(*Maybe<double>(std::optional<double>(2.5)), 2.5);
  EXPECT_FALSE(Maybe<double>(std::optional<double>()).has_value());
}

TEST(Maybe, AbsentEqualsOnlyAbsent) {
  const Maybe<double> absent, zero = 0.0;
  EXPECT_TRUE(absent == Maybe<double>());  // though NaN equals nothing
  EXPECT_TRUE(absent == std::nullopt);
  EXPECT_TRUE(absent == std::optional<double>());
  EXPECT_FALSE(absent == zero);
  EXPECT_FALSE(absent == 0);
  EXPECT_TRUE(zero == 0);
  EXPECT_TRUE(zero == std::optional<double>(0));
  EXPECT_FALSE(zero == std::nullopt);
}

TEST(TextPool, KeepsATextOnceAndInItsPlace) {
  TextPool pool;
  const std::string* first = pool.keep("XnnpackBackend");
  for (int i = 0; i < 1000; ++i) pool.keep("text " + std::to_string(i));  // the table grows several times
  EXPECT_EQ(pool.keep(std::string("Xnnpack") + "Backend"), first);
  const TextPool moved = std::move(pool);
  EXPECT_EQ(*first, "XnnpackBackend");
}

TEST(MaybeText, TellsAbsentFromEmpty) {
  TextPool pool;
  const MaybeText absent, empty(pool.keep("")), text(pool.keep("a b"));
  EXPECT_FALSE(absent.has_value());
  EXPECT_TRUE(empty.has_value());
  EXPECT_FALSE(absent == empty);
  EXPECT_TRUE(absent == MaybeText());
  EXPECT_TRUE(empty == "");
  EXPECT_FALSE(absent == "");
  EXPECT_EQ(absent.value_or("none"), "none");
  EXPECT_EQ(text.value_or("none"), "a b");
  EXPECT_EQ(absent.view(), std::nullopt);
  EXPECT_EQ(text.view(), "a b");
  EXPECT_EQ(std::optional<std::string>(text), "a b");
  EXPECT_EQ(std::optional<std::string>(absent), std::nullopt);
  EXPECT_TRUE(text == std::optional<std::string>("a b"));
  EXPECT_FALSE(text == std::optional<std::string>());
  EXPECT_EQ(text->size(), 3U);
}

TEST(MaybeText, ComparesTextsOfDifferentPools) {
  TextPool a, b;
  EXPECT_TRUE(MaybeText(a.keep("same")) == MaybeText(b.keep("same")));
  EXPECT_FALSE(MaybeText(a.keep("same")) == MaybeText(b.keep("other")));
}

}  // namespace
}  // namespace et::inspector
