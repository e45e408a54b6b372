#include "base/toml_values.h"

#include <gtest/gtest.h>

namespace et {
namespace {

TEST(TomlValues, EveryKindIsTextWithItsPlace) {
  std::vector<TomlValue> v;
  ASSERT_TRUE(read_toml_values("a = 'x'\nb = [1, 2.5, true]\n[t.u]\nc = -3\nd = []\n", "f.toml", &v).ok());
  ASSERT_EQ(v.size(), 4u);
  EXPECT_EQ(v[0].values, (std::vector<std::string>{"x"}));
  EXPECT_EQ(v[0].place, "f.toml:1:5");
  EXPECT_FALSE(v[0].is_array);
  EXPECT_EQ(v[1].values, (std::vector<std::string>{"1", "2.5", "true"}));
  EXPECT_TRUE(v[1].is_array);
  EXPECT_EQ(v[2].path, (std::vector<std::string>{"t", "u", "c"}));
  EXPECT_EQ(v[2].values, (std::vector<std::string>{"-3"}));
  EXPECT_TRUE(v[3].values.empty());
}

TEST(TomlValues, WhatIsNoTomlIsAnErrorWithItsLine) {
  for (const std::string text : {"[[[", "a = ", "\n\na = 1\na = 2", "a = [[1]]", "a = 1979-05-27", "\"", "\xFF = 1",
                                 "[[x]]\ny = 1", "a.b = 1\na = 2"}) {
    std::vector<TomlValue> v;
    const Status s = read_toml_values(text, "f.toml", &v);
    EXPECT_EQ(s.code(), Error::InvalidArgument) << text;
    EXPECT_TRUE(s.message().starts_with("f.toml:")) << text << ": " << s.message();
  }
  std::vector<TomlValue> v;
  EXPECT_FALSE(read_toml_values("a = " + std::string(100000, '['), "f.toml", &v).ok()) << "as deep as it may be";
}

}  // namespace
}  // namespace et
