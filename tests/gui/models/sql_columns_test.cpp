// How columns of a query's result are shown, charted and sorted.
#include "gui/models/sql_columns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace et::gui::test {
namespace {

using inspector::SqlCell;

TEST(SqlFigures, HeadingsSayWhatTheCellsShow) {
  const inspector::SqlColumn time{.name = "usual_ns"}, text{.name = "usual_ns", .number = false};
  EXPECT_EQ(sql_heading(time, "ns"), "usual");
  EXPECT_EQ(sql_figure("usual_ns", 12'300, "ns"), "12.3 µs");
  EXPECT_EQ(sql_heading({.name = "ns"}, "ns"), "time");
  // As they are: raw numbers, texts, another clock.
  EXPECT_EQ(sql_heading(time, ""), "usual_ns");
  EXPECT_EQ(sql_figure("usual_ns", 12'300, ""), "");
  EXPECT_EQ(sql_heading(text, "ns"), "usual_ns");
  EXPECT_EQ(sql_heading(time, "cycles"), "usual_ns");
  EXPECT_EQ(sql_figure("usual_ns", 12'300, "cycles"), "");
  EXPECT_EQ(sql_heading({.name = "ops"}, "ns"), "ops");
}

TEST(SqlFigures, ComputedTimesHaveTheirUnit) {
  for (const char* time :
       {"usual_ns", "ns", "sum(usual_ns)", "cold_ns - usual_ns", "sum(sum_ns) / count(*)", "sum_ns/calls",
        "max(u.usual_ns) - min(u.usual_ns)", "round(usual_ns, 2)", "coalesce(cold_ns, 0)", "(cold_ns + 0)"})
    EXPECT_EQ(sql_figure(time, 39553.9, "ns"), "39.6 µs") << time;
  // Of a time that was scaled nobody knows the unit; ratios and others have none.
  for (const char* other : {"usual_ns / 1000", "usual_ns * 1e-3", "cold_ns / usual_ns", "count(usual_ns)",
                            "usual_ns / bytes", "sqrt(usual_ns)", "'a_ns'", "(usual_ns", "usual_ns usual_ns"})
    EXPECT_EQ(sql_figure(other, 39553.9, "ns"), "") << other;
  inspector::SqlColumn column;
  column.name = "cold_ns - usual_ns";
  column.number = true;
  EXPECT_EQ(sql_heading(column, "ns"), column.name) << "half an expression is no heading";
}

TEST(SqlFigures, BytesAndKeysAreShownAsInThePanels) {
  EXPECT_EQ(sql_figure("payload_bytes", 1536, "ns"), "1.5 KiB");
  EXPECT_EQ(sql_figure("sum(bytes)", 512, "cycles"), "512 B") << "whatever the unit of times";
  EXPECT_EQ(sql_figure("payload_bytes", 1536, ""), "") << "raw";
  EXPECT_EQ(sql_figure("bytes / usual_ns", 1536, "ns"), "");
  EXPECT_EQ(sql_heading({.name = "payload_bytes"}, "ns"), "payload_bytes");
  // Points on a clock that runs since the machine's start: rows are told apart by their last digits.
  EXPECT_EQ(sql_cell_text("start_ns", SqlCell(int64_t{16161939766014}), "ns"), "16,161.939766014 s");
  EXPECT_EQ(sql_cell_text("end_ns", SqlCell(int64_t{1500}), "ns"), "0.000001500 s");
  EXPECT_EQ(sql_cell_text("start_ns", SqlCell(int64_t{16161939766014}), ""), "16,161,939,766,014");
  EXPECT_EQ(sql_cell_text("op_id", SqlCell(int64_t{12345}), "ns"), "12345");
  EXPECT_EQ(sql_cell_text("ops", SqlCell(int64_t{12345}), "ns"), "12,345");
  EXPECT_EQ(sql_cell_text("share", SqlCell(0.5), "ns"), "50.0%");
  EXPECT_EQ(sql_cell_text("first_instruction", SqlCell(int64_t{1234}), "ns"), "1234");
}

TEST(SqlAxes, TicksHaveUnits) {
  EXPECT_EQ(sql_measure("usual_ns", "ns"), SqlMeasure::Time);
  EXPECT_EQ(sql_measure("usual_ns", "cycles"), SqlMeasure::Other);
  EXPECT_EQ(sql_measure("usual_ns", ""), SqlMeasure::Other);
  EXPECT_EQ(sql_measure("op_id", "ns"), SqlMeasure::Key);
  EXPECT_EQ(sql_tick(SqlMeasure::Time, 20'000, 80'000), "20 µs");
  EXPECT_EQ(sql_tick(SqlMeasure::Time, 500'000, 2'000'000), "0.5 ms") << "one unit for an axis";
  EXPECT_EQ(sql_tick(SqlMeasure::Time, 0, 2'000'000), "0");
  EXPECT_EQ(sql_tick(SqlMeasure::Share, 0.25, 1), "25%");
  EXPECT_EQ(sql_tick(SqlMeasure::Bytes, 1536, 4096), "1.5 KiB");
  EXPECT_EQ(sql_tick(SqlMeasure::Bytes, 3 << 20, 4 << 20), "3 MiB");
  EXPECT_EQ(sql_tick(SqlMeasure::Other, 12'000'000, 12'000'000), "12,000,000");
  EXPECT_EQ(sql_tick(SqlMeasure::Key, 2.5, 10), "") << "there is no half instruction";
  EXPECT_EQ(sql_byte_ticks(0, 4000, 8), (std::vector<double>{0, 512, 1024, 1536, 2048, 2560, 3072, 3584}));
  EXPECT_TRUE(sql_byte_ticks(5, 5, 8).empty());
}

TEST(SqlAxes, AmountsStandOnZero) {
  const std::vector<double> times = {90, 100}, below = {-10, 100}, none = {0, 0};
  EXPECT_EQ(sql_range(times, true).low, 0);
  EXPECT_DOUBLE_EQ(sql_range(times, true).high, 105);
  EXPECT_DOUBLE_EQ(sql_range(times, false).low, 89.5) << "what names something begins where it begins";
  EXPECT_LT(sql_range(below, true).low, -10);
  EXPECT_EQ(sql_range(none, true).low, 0);
  EXPECT_GT(sql_range(none, true).high, 0);
  EXPECT_GT(sql_range({}, true).high, 0);
}

TEST(SqlOrder, TextsAreInTheOrderOfPeople) {
  std::vector<SqlCell> cells = {std::string("h.10"), SqlCell(),        std::string("#10"), std::string("h.9"),
                                std::string("B"),    std::string("a"), std::string("#9")};
  const auto sorted = [&](bool descending) {
    std::stable_sort(cells.begin(), cells.end(),
                     [&](const SqlCell& a, const SqlCell& b) { return sql_before(a, b, descending); });
    std::string out;
    for (const SqlCell& c : cells) out += inspector::cell_text(c) + " ";
    return out;
  };
  EXPECT_EQ(sorted(false), "#9 #10 a B h.9 h.10 NULL ");
  EXPECT_EQ(sorted(true), "h.10 h.9 B a #10 #9 NULL ");
  EXPECT_FALSE(sql_before(std::string("a01"), std::string("a01"), false));
  EXPECT_TRUE(sql_before(std::string("a01"), std::string("a1"), false) !=
              sql_before(std::string("a1"), std::string("a01"), false))
      << "an order of all texts";
}

}  // namespace
}  // namespace et::gui::test
