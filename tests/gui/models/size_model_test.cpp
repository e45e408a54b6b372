// The treemap of the Size panel: areas are bytes, nothing overlaps, nothing is lost.
#include "gui/models/size_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "gui/core/selection.h"
#include "tests/gui/support/opened_trace.h"

namespace et::gui::test {
namespace {

SizeModel size_of(const OpenedTrace& trace) {
  inspector::ProgramSize size;
  const Status status = inspector::program_size(trace.data->facts.program_path.value_or(""), &size);
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_TRUE(inspector::name_entries(trace.store, trace.data->trace_id(), &size).ok());
  SizeModel model;
  model.set(std::move(size));
  return model;
}

// A group that is zoomed into fills the map with what it has, and nothing else.
TEST(SizeModel, AGroupFillsTheMap) {
  const SizeModel model = size_of(OpenedTrace("partial_delegation"));
  const std::vector<SizeBox> all = model.boxes(SizeBy::Kind, 600, 400, 10);
  size_t groups = 0;
  for (const SizeBox& group : all) {
    if (!group.is_group || group.path.empty()) continue;
    ++groups;
    int64_t bytes = 0, entries = 0;
    for (const SizeBox& box : model.boxes(SizeBy::Kind, 600, 400, 10, 3, group.path)) {
      bytes += box.is_group ? 0 : box.bytes;
      entries += box.is_group ? 0 : box.entries;
    }
    EXPECT_EQ(bytes, group.bytes) << group.path;
    EXPECT_EQ(entries, group.entries) << group.path;
  }
  EXPECT_GT(groups, 0U);
  EXPECT_EQ(model.boxes(SizeBy::Kind, 600, 400, 10, 3, "no such group").size(), all.size()) << "then all of it";
}

class SizeMap : public testing::TestWithParam<const char*> {};

TEST_P(SizeMap, BoxesHaveAllBytesAndDoNotOverlap) {
  const SizeModel model = size_of(OpenedTrace(GetParam()));
  for (const SizeBy by : {SizeBy::Kind, SizeBy::Module}) {
    // Without headings and frames areas are exact.
    const float width = 2000, height = 1300;
    const std::vector<SizeBox> boxes = model.boxes(by, width, height, 14, 4);
    int64_t leaves = 0, entries = 0;
    std::set<int32_t> seen;
    std::vector<SizeBox> solid;
    for (const SizeBox& box : boxes) {
      EXPECT_GE(box.x, -0.01F);
      EXPECT_GE(box.y, -0.01F);
      EXPECT_LE(box.x + box.width, width + 0.5F) << box.label;
      EXPECT_LE(box.y + box.height, height + 0.5F) << box.label;
      if (box.is_group) continue;
      leaves += box.bytes;
      entries += box.entries;
      if (box.entry >= 0) {
        EXPECT_TRUE(seen.insert(box.entry).second) << "each entry once";
      }
      solid.push_back(box);
    }
    EXPECT_EQ(leaves, model.size().file_bytes) << "to the byte";
    EXPECT_LE(entries, static_cast<int64_t>(model.size().entries.size()));
    for (size_t i = 0; i < solid.size(); ++i) {
      for (size_t k = i + 1; k < solid.size(); ++k) {
        const float wide =
            std::min(solid[i].x + solid[i].width, solid[k].x + solid[k].width) - std::max(solid[i].x, solid[k].x);
        const float high =
            std::min(solid[i].y + solid[i].height, solid[k].y + solid[k].height) - std::max(solid[i].y, solid[k].y);
        EXPECT_FALSE(wide > 0.1F && high > 0.1F) << solid[i].label << " and " << solid[k].label;
      }
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Artifacts, SizeMap,
                         testing::Values("partial_delegation", "lstm_xnnpack", "quantised_portable"));

TEST(SizeModel, AreasAreInProportionToBytes) {
  inspector::ProgramSize size;
  size.file_bytes = 1000;
  for (const int64_t bytes : {500, 300, 120, 80}) {
    inspector::SizeEntry e;
    e.group = "constants";
    e.name = std::to_string(bytes);
    e.bytes = bytes;
    size.entries.push_back(e);
  }
  SizeModel model;
  model.set(std::move(size));
  double area = 0;
  std::vector<std::pair<int64_t, double>> parts;
  for (const SizeBox& box : model.boxes(SizeBy::Kind, 400, 250, 10)) {
    if (box.is_group) continue;
    parts.emplace_back(box.bytes, static_cast<double>(box.width) * static_cast<double>(box.height));
    area += parts.back().second;
    EXPECT_LT(std::max(box.width / box.height, box.height / box.width), 4) << "nearly square: " << box.label;
  }
  ASSERT_EQ(parts.size(), 4u);
  for (const auto& [bytes, pixels] : parts) EXPECT_NEAR(pixels / area, static_cast<double>(bytes) / 1000, 1e-4);
}

TEST(SizeModel, ASearchLeavesEntriesWithAllItsWords) {
  inspector::ProgramSize size;
  for (const char* name : {"net.layer.0.weight", "net.layer.1.weight", "net.head.bias"}) {
    inspector::SizeEntry e;
    e.group = "constants";
    e.name = name;
    e.used_by = "aten::permute_copy.out";
    if (size.entries.size() == 1) e.leads_to = "aten::addmm.out";
    e.bytes = 100;
    size.file_bytes += e.bytes;
    size.entries.push_back(e);
  }
  SizeModel model;
  model.set(std::move(size));
  EXPECT_EQ(model.shown("").size(), 3U);
  EXPECT_EQ(model.shown_bytes(), 300);
  EXPECT_EQ(model.shown("LAYER weight"), (std::vector<int32_t>{0, 1}));
  EXPECT_EQ(model.shown_bytes(), 200);
  EXPECT_EQ(model.shown("addmm"), (std::vector<int32_t>{1})) << "what reads it in the end uses it";
  EXPECT_TRUE(model.shown("layer bias").empty());
}

TEST(SizeModel, SmallEntriesAreOneBoxTogether) {
  inspector::ProgramSize size;
  for (int i = 0; i < 5000; ++i) {
    inspector::SizeEntry e;
    e.group = "constants";
    e.name = "value " + std::to_string(i);
    e.bytes = i == 0 ? 1'000'000 : 4;
    size.file_bytes += e.bytes;
    size.entries.push_back(e);
  }
  SizeModel model;
  model.set(std::move(size));
  const std::vector<SizeBox> boxes = model.boxes(SizeBy::Kind, 300, 200, 10);
  EXPECT_LT(boxes.size(), 10u);
  int64_t entries = 0;
  for (const SizeBox& box : boxes) entries += box.is_group ? 0 : box.entries;
  EXPECT_EQ(entries, 5000);
  SizeModel none;
  EXPECT_TRUE(none.boxes(SizeBy::Kind, 300, 200, 10).empty());
  EXPECT_EQ(none.csv(), "");
}

TEST(SizeModel, TensorsAreCalledAsInTheModel) {
  const SizeModel model = size_of(OpenedTrace("lstm_xnnpack"));
  int named = 0;
  for (const SizeBy by : {SizeBy::Kind, SizeBy::Module}) {
    for (const SizeBox& box : model.boxes(by, 2000, 1300, 14, 4)) {
      if (box.entry < 0) continue;
      const inspector::SizeEntry& e = model.size().entries[static_cast<size_t>(box.entry)];
      if (e.shape.empty() || e.used_by.empty()) continue;
      ++named;
      EXPECT_TRUE(e.name.ends_with(box.label)) << box.label;
      // Inside of its module's box what is around the module is said already.
      const bool inside = by == SizeBy::Module && e.name.starts_with(e.module + ".");
      EXPECT_EQ(box.label == e.name, !inside || e.module.find('.') == std::string::npos) << box.label;
      EXPECT_FALSE(inside && box.label == "weight") << "more than that";
    }
  }
  EXPECT_GT(named, 0);
}

TEST(SizeModel, AParameterIsOfTheModuleThatHasIt) {
  for (const char* name : {"lstm_xnnpack", "partial_delegation"}) {
    const OpenedTrace trace(name);
    const SizeModel model = size_of(trace);
    int64_t own = 0;
    for (const inspector::SizeEntry& e : model.size().entries) {
      const std::string tensor = e.name.substr(0, e.name.find(','));
      const size_t dot = tensor.rfind('.');
      if (e.shape.empty() || e.module.empty() || dot == std::string::npos) continue;
      const std::string parent = tensor.substr(0, dot);
      if (select_module(*trace.data, parent).empty()) continue;
      EXPECT_EQ(e.module, parent) << e.name;
      ++own;
    }
    EXPECT_GT(own, 0) << name;
  }
}

TEST(SizeModel, WhatIsStoredTwiceIsMarkedAndFoundOneAfterAnother) {
  inspector::ProgramSize size;
  for (const char* const name : {"a.weight", "head.weight", "b.weight", "head.weight, copy"}) {
    inspector::SizeEntry& e = size.entries.emplace_back();
    e.name = name;
    e.bytes = 64;
  }
  size.entries[3].same_as = "head.weight";
  size.duplicate_bytes = 64;
  SizeModel model;
  model.set(size);
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(model.is_stored_twice(model.size().entries[i]), i % 2 == 1);
  EXPECT_EQ(model.next_stored_twice(-1), 1);
  EXPECT_EQ(model.next_stored_twice(1), 3);
  EXPECT_EQ(model.next_stored_twice(3), 1);
  size.entries[3].same_as.clear();
  model.set(size);
  EXPECT_EQ(model.next_stored_twice(-1), -1);
}

TEST(SizeModel, FactsAreRowsWithAName) {
  const SizeModel model = size_of(OpenedTrace("lstm_xnnpack"));
  size_t types = 0;
  for (size_t i = 0; i < model.size().entries.size(); ++i) {
    for (const auto& [key, value] : model.facts(i)) {
      EXPECT_FALSE(key.empty() || value.empty());
      types += key == "Type" ? 1 : 0;
    }
  }
  EXPECT_GT(types, 0U);
}

TEST(SizeModel, SizesAreInOneUnitAndColoursHaveALegend) {
  inspector::ProgramSize size;
  for (const auto& [bytes, used_by] : {std::pair{600 * 1024, "aten::addmm.out"},
                                       {100, "aten::addmm.out"},
                                       {300 * 1024, "aten::bmm.out"},
                                       {1024, ""}}) {
    inspector::SizeEntry e;
    e.group = "constants";
    e.used_by = used_by;
    e.bytes = bytes;
    size.file_bytes += bytes;
    size.entries.push_back(e);
  }
  SizeModel model;
  model.set(size);
  EXPECT_STREQ(model.unit(), "KiB");
  EXPECT_EQ(model.in_unit(600 * 1024), "600.0");
  EXPECT_EQ(model.in_unit(2047), "2.0");
  EXPECT_EQ(model.in_unit(100), "<0.1");
  EXPECT_EQ(model.size_text(1'500'000), "1.43 MiB");
  EXPECT_EQ(model.size_text(1'000'000), "976.6 KiB");
  ASSERT_EQ(model.legend().size(), 3U);
  EXPECT_EQ(model.legend()[0].name, "aten::addmm.out");
  EXPECT_EQ(model.legend()[0].bytes, 600 * 1024 + 100);
  EXPECT_TRUE(model.legend()[0].is_operator);
  EXPECT_EQ(model.legend()[2].name, "constants");
  EXPECT_FALSE(model.legend()[2].is_operator);
  size.file_bytes = 64 << 20;
  model.set(size);
  EXPECT_EQ(model.size_text(600 * 1024), "0.59 MiB");
}

}  // namespace
}  // namespace et::gui::test
