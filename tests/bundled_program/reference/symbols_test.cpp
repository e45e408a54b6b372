#include "bundled_program/reference/symbols.h"

#include <gtest/gtest.h>

namespace et::reference {
namespace {

etrecord::Dim symbol(const std::string& expression) {
  etrecord::Dim dim;
  dim.expr = expression;
  return dim;
}

struct Case {
  const char* expression;
  std::optional<int64_t> value;
};

TEST(Symbols, ExpressionsAreWorkedOutAsSympyPrintsThem) {
  Symbols symbols;
  ASSERT_TRUE(symbols.bind(symbol("s0"), 7));
  ASSERT_TRUE(symbols.bind(symbol("u1"), 3));
  const Case cases[] = {
      {"s0", 7},
      {"4*s0**2", 196},
      {"s0 + u1 - 1", 9},
      {"2*(s0 - u1)", 8},
      {"s0//2", 3},
      {"-s0//2", -4},
      {"floor(s0/2)", 3},
      {"ceiling(s0/2)", 4},
      {"(s0 + 1)/2", 4},
      {"Mod(s0, 4)", 3},
      {"PythonMod(-s0, 4)", 1},
      {"FloorDiv(s0, u1)", 2},
      {"Max(1, u1, s0)", 7},
      {"Min(s0, u1)", 3},
      {"ModularIndexing(s0*u1, 2, 4)", 2},
      {"RoundToInt(s0/2)", 4},
      {"RoundToInt((s0 - 2)/2)", 2},
      {"2**-1", std::nullopt},  // no integer
      {"s0/2", std::nullopt},
      {"s9", std::nullopt},  // no value
      {"s0 +", std::nullopt},
      {"", std::nullopt},
      {"s0//0", std::nullopt},
      {"9223372036854775807*s0", std::nullopt},
      {"s0**65", std::nullopt},
      {"unknown(s0)", std::nullopt},
  };
  for (const Case& c : cases) EXPECT_EQ(symbols.value(c.expression), c.value) << c.expression;
  EXPECT_EQ(symbols.value(std::string(100000, '(')), std::nullopt);
  EXPECT_EQ(symbols.value(std::string(100000, '-') + "1"), std::nullopt);
}

TEST(Symbols, ASymbolKeepsItsValue) {
  Symbols symbols;
  EXPECT_TRUE(symbols.bind(symbol("s0"), 7));
  EXPECT_TRUE(symbols.bind(symbol("s0"), 7));
  EXPECT_FALSE(symbols.bind(symbol("s0"), 8));
  EXPECT_TRUE(symbols.bind(symbol("2*s0"), 14));
  EXPECT_FALSE(symbols.bind(symbol("2*s0"), 15));
  EXPECT_TRUE(symbols.bind(symbol("2*s1"), 15)) << "s1 stays unknown";
  EXPECT_EQ(symbols.value("s1"), std::nullopt);
  etrecord::Dim fixed;
  fixed.value = 3;
  EXPECT_TRUE(symbols.bind(fixed, 3));
  EXPECT_FALSE(symbols.bind(fixed, 4));
}

// Dim("_h") times 2: no dimension of the graph is _h alone.
TEST(Symbols, ADerivedDimensionTellsItsSymbol) {
  Symbols symbols;
  EXPECT_TRUE(symbols.bind(symbol("2*_h"), 16));
  EXPECT_EQ(symbols.value("_h"), 8);
  EXPECT_EQ(symbols.value("4*_h**2 + 1"), 257);
  EXPECT_TRUE(symbols.bind(symbol("s1 + _h + 3"), 20));
  EXPECT_EQ(symbols.value("s1"), 9);
  EXPECT_TRUE(symbols.bind(symbol("s2**2"), 81));
  EXPECT_EQ(symbols.value("s2"), 9);
  EXPECT_FALSE(symbols.bind(symbol("2*_h"), 18));
}

TEST(Symbols, WhatHasSeveralAnswersIsNotGuessed) {
  Symbols symbols;
  EXPECT_TRUE(symbols.bind(symbol("s0//2"), 3));
  EXPECT_EQ(symbols.value("s0"), std::nullopt);
  EXPECT_TRUE(symbols.bind(symbol("Max(8, s0)"), 8));
  EXPECT_EQ(symbols.value("s0"), std::nullopt);
  EXPECT_TRUE(symbols.bind(symbol("s0"), 7));
  EXPECT_EQ(symbols.value("s0"), 7);
}

TEST(Symbols, ASumOfTwoUnknownsWaitsForOneOfThem) {
  Symbols symbols;
  EXPECT_TRUE(symbols.bind(symbol("s0 + s1"), 12));
  EXPECT_EQ(symbols.value("s1"), std::nullopt);
  EXPECT_TRUE(symbols.bind(symbol("s0"), 5));
  EXPECT_EQ(symbols.value("s1"), 7);
}

}  // namespace
}  // namespace et::reference
