// Numbers that people compare: units, digits, shares, bars, escaping.
#include "inspector/text/format.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace et::inspector {
namespace {

TimeUnit unit_for(double largest, const char* wish = "auto") {
  TimeUnit unit;
  EXPECT_TRUE(choose_unit(wish, "ns", largest, &unit).ok());
  return unit;
}

TEST(Format, EachDurationHasItsOwnUnitAndThreeSignificantDigits) {
  const TimeUnit unit = unit_for(12'345'678);
  EXPECT_EQ(format_duration(12'345'678, unit), "12.3 ms");
  EXPECT_EQ(format_duration(1'394'500, unit), "1.39 ms");
  EXPECT_EQ(format_duration(120'000, unit), "120 µs");
  EXPECT_EQ(format_duration(2'000, unit), "2.00 µs");
  EXPECT_EQ(format_duration(820, unit), "820 ns");
  EXPECT_EQ(format_duration(12.1e9, unit), "12.1 s");
  EXPECT_EQ(format_duration(12'345e9, unit), "12,345 s");
  EXPECT_EQ(format_duration(-1'394'500, unit), "-1.39 ms");
  EXPECT_EQ(unit_heading(unit), "");
  EXPECT_EQ(format_duration_named(120'000, unit), "120 µs");
}

TEST(Format, WhatRoundsToAThousandIsOneOfTheNextUnit) {
  EXPECT_EQ(format_nanoseconds(999), "999 ns");
  EXPECT_EQ(format_nanoseconds(999.4), "999 ns");
  EXPECT_EQ(format_nanoseconds(999.6), "1.00 µs");
  EXPECT_EQ(format_nanoseconds(9'994), "9.99 µs");
  EXPECT_EQ(format_nanoseconds(9'996), "10.0 µs");
  EXPECT_EQ(format_nanoseconds(99'960), "100 µs");
  EXPECT_EQ(format_nanoseconds(999'499), "999 µs");
  EXPECT_EQ(format_nanoseconds(999'500), "1.00 ms");
  EXPECT_EQ(format_nanoseconds(999'600'000), "1.00 s");
}

TEST(Format, WholeNanosecondsHaveNoPoint) {
  EXPECT_EQ(format_nanoseconds(0), "0 ns");
  EXPECT_EQ(format_nanoseconds(7), "7 ns");
  EXPECT_EQ(format_nanoseconds(1.5), "1.50 ns");
  EXPECT_EQ(format_nanoseconds(13.32), "13.3 ns");
}

TEST(Format, AUnitThatWasAskedForIsThatOfTheWholeTable) {
  const TimeUnit unit = unit_for(12'345'678, "us");
  EXPECT_EQ(unit_heading(unit), " (µs)");
  EXPECT_EQ(format_duration(12'345'678, unit), "12,345.7");
  EXPECT_EQ(format_duration(2'000, unit), "2.0");
  EXPECT_EQ(format_duration_named(2'000, unit), "2.0 µs");
  EXPECT_EQ(unit.name, "us") << "what programs read";
}

TEST(Format, AnIntervalHasOneUnitAndShowsItsWidth) {
  EXPECT_EQ(format_interval(10'692, 10'760, unit_for(10'760)), "10.69–10.76 µs");
  EXPECT_EQ(format_interval(990, 1'020, unit_for(1'020)), "0.990–1.020 µs");
  EXPECT_EQ(format_interval(11, 13, unit_for(13)), "11–13 ns");
  EXPECT_EQ(format_interval(10'692, 10'760, unit_for(10'760, "us")), "10.692–10.760");
}

TEST(Format, CyclesKeepTheirCounts) {
  EXPECT_EQ(format_duration_with_unit(1234567, "cycles"), "1,234,567 cycles");
  EXPECT_EQ(format_duration_with_unit(1234567, "ns"), "1.23 ms");
  EXPECT_EQ(format_duration_with_unit(1234567, "ns", "us"), "1,234.6 µs");
}

TEST(Format, SmallTimesStayVisibleInABigUnitThatWasAskedFor) {
  EXPECT_EQ(format_duration(5'000, unit_for(5'000, "ms")), "0.005000");
  EXPECT_EQ(format_duration(5'000'000'000, unit_for(5e9, "us")), "5,000,000.0");
}

TEST(Format, UnitsThatMakeNoSenseAreRefused) {
  TimeUnit unit;
  EXPECT_FALSE(choose_unit("cycles", "ns", 1, &unit).ok());
  EXPECT_FALSE(choose_unit("us", "cycles", 1, &unit).ok());
  EXPECT_FALSE(choose_unit("minutes", "ns", 1, &unit).ok());
  ASSERT_TRUE(choose_unit("auto", "cycles", 1e9, &unit).ok());
  EXPECT_EQ(unit.name, "cycles");
  EXPECT_EQ(unit.decimals, 0);
  EXPECT_EQ(format_duration(1234567, unit), "1,234,567");
  EXPECT_EQ(unit_heading(unit), " (cycles)");
}

TEST(Format, CountsAndRealsAreGrouped) {
  EXPECT_EQ(format_count(0), "0");
  EXPECT_EQ(format_count(1234567), "1,234,567");
  EXPECT_EQ(format_count(-1000), "-1,000");
  EXPECT_EQ(format_count(std::numeric_limits<int64_t>::min()), "-9,223,372,036,854,775,808");
  EXPECT_EQ(format_real(1234.5, 2), "1,234.50");
  EXPECT_EQ(format_real(-0.0001, 1), "0.0");
  EXPECT_EQ(format_real(std::nan(""), 1), "nan");
  EXPECT_EQ(format_real(-INFINITY, 1), "-inf");
  EXPECT_EQ(format_real(1e300, 1), "1e+300");
}

TEST(Format, SharesNeverClaimNothingOrAll) {
  EXPECT_EQ(format_share(0), "0.0%");
  EXPECT_EQ(format_share(0.0001), "<0.1%");
  EXPECT_EQ(format_share(0.1234), "12.3%");
  EXPECT_EQ(format_share(0.9999), ">99.9%");
  EXPECT_EQ(format_share(1), "100.0%");
}

TEST(Format, BarsAreAsWideAsAsked) {
  EXPECT_EQ(format_bar(0.5, 4), "██  ");
  EXPECT_EQ(format_bar(0.0001, 2), "▏ ");
  EXPECT_EQ(format_bar(7, 2), "██");
  EXPECT_EQ(format_bar(std::nan(""), 2), "  ");
  for (int i = 0; i <= 100; ++i) EXPECT_EQ(text_width(format_bar(i / 100.0, 7)), 7);
}

TEST(Format, BytesAreBinary) {
  EXPECT_EQ(format_bytes(512), "512 B");
  EXPECT_EQ(format_bytes(1536), "1.5 KiB");
  EXPECT_EQ(format_bytes(200 * 1024 * 1024), "200 MiB");
}

TEST(Format, DoublesReadBackTheSame) {
  EXPECT_EQ(format_double(0.1), "0.1");
  EXPECT_EQ(format_double(1.0 / 3), "0.3333333333333333");
  EXPECT_EQ(format_double(INFINITY), "");
  EXPECT_EQ(format_scaled(1234567, 1000), "1234.567");
}

TEST(Format, JsonStringsAreValidWhateverANameHolds) {
  std::string out;
  append_json_string(&out, std::string_view("a\"\\\n\x01\xff\xc3\xa9\xed\xa0\x80", 11));
  EXPECT_EQ(out, "\"a\\\"\\\\\\n\\u0001\xEF\xBF\xBD\xc3\xa9\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"");
}

TEST(Format, NamesCannotDriveTheTerminal) {
  EXPECT_EQ(printable("a\x1b[31mb\nc"), "a?[31mb c");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "?31m");
}

TEST(Format, LongNamesKeepTheirEnds) {
  EXPECT_EQ(shorten_middle("abcdefghij", 5), "ab…ij");
  EXPECT_EQ(shorten_middle("abc", 5), "abc");
  EXPECT_EQ(text_width(shorten_middle("ééééééééé", 4)), 4);
}

}  // namespace
}  // namespace et::inspector
