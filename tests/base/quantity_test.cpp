// Numbers with units as people write them.
#include "base/quantity.h"

#include <gtest/gtest.h>

namespace et {
namespace {

TEST(Quantity, Shares) {
  EXPECT_DOUBLE_EQ(parse_share("5%").value(), 0.05);
  EXPECT_DOUBLE_EQ(parse_share("0.5 %").value(), 0.005);
  EXPECT_DOUBLE_EQ(parse_share("0.05").value(), 0.05);
  for (const char* wrong : {"", "%", "-5%", "5x", "5%%", "nan", "inf", "five"})
    EXPECT_FALSE(parse_share(wrong)) << wrong;
}

TEST(Quantity, Times) {
  EXPECT_DOUBLE_EQ(parse_seconds("10").value(), 10);
  EXPECT_DOUBLE_EQ(parse_seconds("10 s").value(), 10);
  EXPECT_DOUBLE_EQ(parse_seconds("250ms").value(), 0.25);
  EXPECT_DOUBLE_EQ(parse_seconds("1.5min").value(), 90);
  for (const char* wrong : {"0", "0s", "-1s", "10 parsecs", "s"}) EXPECT_FALSE(parse_seconds(wrong)) << wrong;
}

TEST(Quantity, Sizes) {
  EXPECT_EQ(parse_bytes("4096").value(), 4096u);
  EXPECT_EQ(parse_bytes("64 KiB").value(), 65536u);
  EXPECT_EQ(parse_bytes("2MB").value(), 2000000u);
  EXPECT_EQ(parse_bytes("1.5GiB").value(), 1610612736u);
  for (const char* wrong : {"", "-1", "2 pounds", "1e30", "KiB"}) EXPECT_FALSE(parse_bytes(wrong)) << wrong;
}

TEST(Quantity, TextsReadBack) {
  for (const double v : {0.0, 0.1, 1e-300, 12345.678, 2.0}) {
    EXPECT_DOUBLE_EQ(parse_share(number_text(v)).value(), v) << number_text(v);
  }
}

}  // namespace
}  // namespace et
