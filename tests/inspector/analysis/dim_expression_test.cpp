// Sizes of dynamic shapes become numbers as Python works them out.
#include "inspector/analysis/work/dim_expression.h"

#include <gtest/gtest.h>

#include <string>

namespace et::inspector {
namespace {

const DimValues kDims = {{"s27", 40}, {"s2", 5}, {"u0", -3}};

TEST(DimExpression, IsWhatPythonMakesOfIt) {
  const struct {
    const char* text;
    int64_t value;
  } cases[] = {{"s27", 40},
               {"7", 7},
               {"s27 - 2", 38},
               {"2*s27 + s2", 85},
               {"s27 - s2 - 1", 34},
               {"-s2 + 6", 1},
               {"s27//3", 13},
               {"(-s2)//2", -3},
               {"u0 % 2", 1},
               {"((s27 - 1)//2) + 1", 20},
               {"s2**2", 25},
               {"2**3**2", 512},
               {"-s2**2", -25},
               {"s27/8", 5},
               {"floor(s2/2)", 2},
               {"ceiling(s2/2)", 3},
               {"floor(s27/3 - 1/2) + 1", 13},
               {"Max(1, s2)", 5},
               {"Min(s27, s2, 3)", 3},
               {"FloorDiv(s27 - 1, 2)", 19},
               {"CeilDiv(s27 - 1, 2)", 20},
               {"IntTrueDiv(s27, 5)", 8},
               {"Mod(s27, 7)", 5},
               {"PythonMod(u0, 4)", 1},
               {" ( s27 ) ", 40}};
  for (const auto& c : cases) {
    const auto value = evaluate_dim(c.text, kDims);
    ASSERT_TRUE(value) << c.text;
    EXPECT_EQ(*value, c.value) << c.text;
  }
}

TEST(DimExpression, WhatIsNoNumberIsNone) {
  for (const char* const text : {"",
                                 " ",
                                 "s3",
                                 "s27 -",
                                 "s27 2",
                                 "(s27",
                                 "s27)",
                                 "s2/2",
                                 "s27/0",
                                 "s27//0",
                                 "s27 % 0",
                                 "Max(",
                                 "Max()",
                                 "f(1)",
                                 "floor(1, 2)",
                                 "s27..",
                                 "9223372036854775807 + 1",
                                 "9999999999999999999",
                                 "s27**99",
                                 "2**63",
                                 "2**-1",
                                 "1/2",
                                 "s27*9223372036854775807",
                                 "-9223372036854775807 - 1"})
    EXPECT_FALSE(evaluate_dim(text, kDims)) << text;
  EXPECT_FALSE(evaluate_dim(std::string(100000, '('), kDims));
  EXPECT_FALSE(evaluate_dim(std::string(100000, '-') + "1", kDims));
}

TEST(DimExpression, ShapesKeepWhatIsUnknown) {
  EXPECT_EQ(with_dims("[1, s27, 96]", {{"s27", 24}}), "[1, 24, 96]");
  EXPECT_EQ(with_dims("[s2, s27, s2]", {{"s2", 5}}), "[5, s27, 5]");
  EXPECT_EQ(with_dims("[1, 48, s27 - 2]", kDims), "[1, 48, 38]");
  EXPECT_EQ(with_dims("[Max(1, s27), s2*s9]", kDims), "[40, 5*s9]");
  for (const char* const shape : {"[s27]", "[]", "", "[", "]", "s27"}) EXPECT_EQ(with_dims(shape, {}), shape);
  EXPECT_EQ(with_dims("[]", kDims), "[]");
  EXPECT_EQ(with_dims("[s27", kDims), "[s27");
}

}  // namespace
}  // namespace et::inspector
