// Texts that must fit into a table's column, and terminals without UTF-8.
#include "inspector/text/shorten.h"

#include <gtest/gtest.h>

#include "inspector/text/format.h"

namespace et::inspector {
namespace {

TEST(Shorten, WhatTellsNamesApartStays) {
  EXPECT_EQ(shorten_name("aten_convolution_default_12", 30), "aten_convolution_default_12");
  EXPECT_EQ(shorten_name("aten_convolution_default_12", 23), "…convolution_default_12");
  EXPECT_TRUE(shorten_name("aten_convolution_default_12", 8).ends_with("_12"));
  EXPECT_TRUE(shorten_name("Convolution (NHWC, F32) IGEMM #3", 12).ends_with("#3"));
  EXPECT_EQ(shorten_name("native_call_convolution.out", 16), "…convolution.out");
  for (int width = 10; width < 42; ++width) {
    const std::string text = shorten_at_words("quantized_decomposed.dequantize_per_tensor", width);
    EXPECT_EQ(text.find("…quantize"), std::string::npos) << text << ": another operator";
  }
  EXPECT_NE(shorten_name("aten_convolution_default_12", 8), shorten_name("aten_convolution_default_13", 8));
}

TEST(Shorten, WhatIsSaidBesideANameGivesWayFirst) {
  EXPECT_EQ(shorten_name("lowered_module_0  XnnpackBackend", 27), "lowered_module_0  Xnnp…kend");
  EXPECT_EQ(shorten_name("lowered_module_0  XnnpackBackend", 18), "lowered_module_0");
  EXPECT_TRUE(shorten_name("lowered_module_12  XnnpackBackend", 10).ends_with("_12"));
}

TEST(Shorten, ALineNumberIsNeverCut) {
  for (int width = 7; width < 40; ++width) {
    const std::string text = shorten_name("src/transformers/models/attention.py:1234", width);
    EXPECT_TRUE(text.ends_with(":1234")) << text;
    EXPECT_EQ(text_width(text), width);
    EXPECT_TRUE(shorten_name("very_long_attention_name.py:1234 +2 ?", width + 5).ends_with(":1234 +2 ?"));
  }
}

TEST(Shorten, EveryWidthIsKept) {
  for (const char* text :
       {"native_call_add.out", "a/b/c/d.py:7", "éééééééééééééé_3", "123456789012345678", "\xff\xfe\xff\xfe\xff"}) {
    for (int width = 0; width < 24; ++width) EXPECT_LE(text_width(shorten_name(text, width)), width) << text;
  }
}

TEST(Shorten, SentencesWrapAtSpaces) {
  EXPECT_EQ(wrap_text("not delegated: dtype int64", 14), (std::vector<std::string>{"not delegated:", "dtype int64"}));
  EXPECT_EQ(wrap_text("abcdefghij kl", 4), (std::vector<std::string>{"abcd", "efgh", "ij", "kl"}));
  EXPECT_EQ(wrap_text("aten.upsample_nearest2d.vec", 24),
            (std::vector<std::string>{"aten.upsample_nearest2d.", "vec"}));
  EXPECT_EQ(wrap_text("", 4), std::vector<std::string>{""});
  EXPECT_EQ(wrap_text("µµµ µµµ", 3), (std::vector<std::string>{"µµµ", "µµµ"}));
}

TEST(Shorten, InAsciiNothingOfAReportIsLeft) {
  EXPECT_EQ(in_ascii("120 µs · 3 × add"), "120 us - 3 x add");
  EXPECT_EQ(in_ascii("(add, …): …volution_1"), "(add, ...): ~volution_1");
  for (const char c : in_ascii(format_bar(0.4, 10))) EXPECT_LT(static_cast<unsigned char>(c), 0x80);
  EXPECT_EQ(in_ascii("modèle.pte"), "modèle.pte") << "names of files are not changed";
}

TEST(Shorten, LinesAreWrappedBetweenWordsAndIndented) {
  EXPECT_EQ(wrapped_lines("1. two words more", 9, "   "), "1. two\n   words\n   more\n");
  EXPECT_EQ(wrapped_lines("  a item", 4, "    "), "  a\n    item\n") << "an indent of its own";
  EXPECT_EQ(wrapped_lines("see /a/long/path.py now", 8, " "), "see\n /a/long/path.py\n now\n") << "to be copied";
  EXPECT_EQ(wrapped_lines("µµ µµ", 5, ""), "µµ µµ\n");
  EXPECT_EQ(wrapped_lines("", 5, ""), "\n");
}

}  // namespace
}  // namespace et::inspector
