// Strip and table of the delegation map.
#include <gtest/gtest.h>

#include <algorithm>

#include "gui/models/delegation_model.h"
#include "tests/gui/support/opened_trace.h"

namespace et::gui::test {
namespace {

using inspector::MapItem;
using inspector::NonDelegatedOp;

void open(const OpenedTrace& trace, DelegationModel* model) {
  std::vector<inspector::DelegationMap> maps;
  const Status status = inspector::delegation_map(trace.store, trace.data->table, &maps);
  ASSERT_TRUE(status.ok()) << status.message();
  model->set(std::move(maps), trace.data);
}

struct DelegationModelTest : testing::TestWithParam<const char*> {};

TEST_P(DelegationModelTest, TotalsAreTheTraces) {
  const OpenedTrace trace(GetParam());
  DelegationModel model;
  open(trace, &model);
  double total = 0;
  for (size_t m = 0; m < model.maps().size(); ++m) {
    const inspector::DelegationTotals t = model.totals(static_cast<int32_t>(m));
    EXPECT_NEAR(t.delegated + t.non_delegated + t.framework, t.total, 1e-6 * std::max(1.0, t.total));
    EXPECT_LE(t.moves, t.breaks + 1e-6);
    EXPECT_LE(t.breaks, t.non_delegated + 1e-6);
    total += t.total;
  }
  EXPECT_NEAR(total, static_cast<double>(trace.data->facts.execute_total.value_or(0)), 1e-3);
}

TEST_P(DelegationModelTest, StripHoldsEveryInstruction) {
  const OpenedTrace trace(GetParam());
  DelegationModel model;
  open(trace, &model);
  for (const bool equal : {false, true}) {
    model.set_equal(equal);
    for (size_t m = 0; m < model.maps().size(); ++m) {
      const auto index = static_cast<int32_t>(m);
      const auto& boxes = model.strip(index, 900);
      ASSERT_EQ(boxes.size(), model.map(index).items.size());
      for (size_t i = 0; i < boxes.size(); ++i) {
        EXPECT_EQ(boxes[i].item, static_cast<int32_t>(i));
        EXPECT_GT(boxes[i].x1, boxes[i].x0);
        EXPECT_EQ(boxes[i].x0, i == 0 ? 0 : boxes[i - 1].x1);
        EXPECT_EQ(model.hit(index, (boxes[i].x0 + boxes[i].x1) / 2), static_cast<int32_t>(i));
      }
      EXPECT_TRUE(boxes.empty() || boxes.back().x1 >= 899);
      EXPECT_EQ(model.hit(index, -1), -1);
      EXPECT_EQ(model.hit(index, 1e9F), -1);
    }
  }
}

TEST_P(DelegationModelTest, TableHasAllThatStayedOutside) {
  const OpenedTrace trace(GetParam());
  DelegationModel model;
  open(trace, &model);
  model.show_free(true);
  model.by_type(false);
  double outside = 0, rows = 0, types = 0;
  size_t ops = 0;
  for (size_t m = 0; m < model.maps().size(); ++m) {
    ops += model.map(static_cast<int32_t>(m)).non_delegated.size();
    for (const auto& o : model.map(static_cast<int32_t>(m)).non_delegated) outside += o.ns;
  }
  EXPECT_EQ(model.rows().size(), ops);
  for (const NonDelegatedRow& r : model.rows()) rows += r.ns;
  model.by_type(true);
  EXPECT_LE(model.rows().size(), ops);
  for (const NonDelegatedRow& r : model.rows()) {
    // A type is looked at by its most expensive operator.
    for (const int32_t i : r.ops)
      EXPECT_LE(model.map(r.map).non_delegated[static_cast<size_t>(i)].ns, model.first(r).ns);
  }
  for (const NonDelegatedRow& r : model.rows()) types += r.ns;
  EXPECT_NEAR(rows, outside, 1e-6 * std::max(1.0, outside));
  EXPECT_NEAR(types, outside, 1e-6 * std::max(1.0, outside));
  model.by_type(false);
  for (size_t r = 1; r < model.rows().size(); ++r) EXPECT_GE(model.rows()[r - 1].ns, model.rows()[r].ns);
  model.sort(DelegationModel::Column::Instruction, false);
  for (size_t r = 1; r < model.rows().size(); ++r) {
    const NonDelegatedRow &a = model.rows()[r - 1], &b = model.rows()[r];
    EXPECT_TRUE(a.map < b.map || (a.map == b.map && model.first(a).instruction <= model.first(b).instruction));
  }
  const std::string csv = model.csv();
  EXPECT_EQ(static_cast<size_t>(std::count(csv.begin(), csv.end(), '\n')), ops + 1);
  model.show_free(false);
  EXPECT_EQ(model.rows().size() + static_cast<size_t>(model.hidden_free()), ops);
}

TEST_P(DelegationModelTest, DelegatesAndBreaksAreSortedByTime) {
  const OpenedTrace trace(GetParam());
  DelegationModel model;
  open(trace, &model);
  size_t delegates = 0, breaks = 0;
  for (const auto& map : model.maps()) {
    delegates += map.delegates();
    breaks += map.breaks.size();
  }
  ASSERT_EQ(model.delegates().size(), delegates);
  ASSERT_EQ(model.breaks().size(), breaks);
  const auto item = [&](size_t i) -> const MapItem& {
    const PlaceInMap& p = model.delegates()[i];
    return model.map(p.map).items[static_cast<size_t>(p.index)];
  };
  const auto time_of_break = [&](size_t i) {
    const PlaceInMap& p = model.breaks()[i];
    return model.map(p.map).breaks[static_cast<size_t>(p.index)].ns;
  };
  for (size_t i = 0; i < delegates; ++i) {
    EXPECT_EQ(item(i).kind, MapItem::Kind::Delegate);
    EXPECT_GE(item(i > 0 ? i - 1 : 0).ns, item(i).ns);
  }
  for (size_t i = 1; i < breaks; ++i) EXPECT_GE(time_of_break(i - 1), time_of_break(i));
}

TEST_P(DelegationModelTest, SelectsWhatIsClicked) {
  const OpenedTrace trace(GetParam());
  DelegationModel model;
  open(trace, &model);
  for (size_t m = 0; m < model.maps().size(); ++m) {
    const auto map = static_cast<int32_t>(m);
    for (size_t i = 0; i < model.map(map).items.size(); ++i) {
      const auto item = static_cast<int32_t>(i);
      const Selection s = model.selection_of(map, item);
      if (model.map(map).items[i].kind == MapItem::Kind::Control) continue;
      EXPECT_FALSE(s.empty()) << model.map(map).items[i].label;
      EXPECT_TRUE(s.empty() || model.is_selected(map, item, s)) << model.map(map).items[i].label;
    }
  }
  for (const NonDelegatedRow& r : model.rows()) {
    const Selection s = model.selection_of(r);
    EXPECT_TRUE(s.empty() || model.is_selected(r, s)) << model.first(r).op;
  }
}

INSTANTIATE_TEST_SUITE_P(Fixtures, DelegationModelTest,
                         testing::Values("partial_delegation", "mobilenet_v2_035_xnnpack_int8", "lstm_xnnpack",
                                         "multi_method", "control_flow_cond", "nanogpt_xnnpack_qd4"));

// Rows of several methods stand in one table: their shares are of one whole, as the Overview's.
TEST(DelegationModel, SharesOfAllMethodsAreOfOneWhole) {
  const OpenedTrace trace("multi_method");
  DelegationModel model;
  open(trace, &model);
  ASSERT_GT(model.maps().size(), 1U);
  double whole = 0;
  for (const inspector::DelegationMap& map : model.maps()) whole += map.total_ns;
  EXPECT_NEAR(model.whole_ns(), whole, 1e-6 * whole);
  ASSERT_FALSE(model.rows().empty());
  for (const NonDelegatedRow& row : model.rows()) EXPECT_NEAR(row.share * whole, row.ns, 1e-6 * whole);
}

TEST(DelegationModel, FilterLooksAtReasons) {
  const OpenedTrace trace("nanogpt_xnnpack_qd4");
  DelegationModel model;
  open(trace, &model);
  const size_t all = model.rows().size();
  model.filter("BOOL");
  EXPECT_GT(model.rows().size(), 0U);
  EXPECT_LT(model.rows().size(), all);
  model.filter("between delegates");
  for (const NonDelegatedRow& r : model.rows()) EXPECT_NE(r.reasons.find("between delegates"), std::string::npos);
  model.filter("nothing is called like that");
  EXPECT_TRUE(model.rows().empty());
}

// Whatever their number, all parts fit, and what takes twice the time is twice as wide.
TEST(DelegationModel, StripFitsAndStaysInProportion) {
  const OpenedTrace trace("partial_delegation");
  for (const size_t count : {3U, 40U, 200U, 449U}) {
    inspector::DelegationMap map;
    map.method = "forward";
    for (size_t i = 0; i < count; ++i) {
      MapItem& item = map.items.emplace_back();
      item.instruction = static_cast<int64_t>(i);
      item.kind = i % 3 == 1 ? MapItem::Kind::Delegate : MapItem::Kind::Kernel;
      item.ns = i == 1 ? 500'000 : i == 0 ? 250'000 : 10;
      map.total_ns += item.ns;
    }
    DelegationModel model;
    model.set({map}, trace.data);
    const auto& boxes = model.strip(0, 900);
    EXPECT_NEAR(boxes.back().x1, 900, 1) << count;
    float least = 1e9F;
    for (const StripBox& box : boxes) least = std::min(least, box.x1 - box.x0);
    EXPECT_GE(least, count < 90 ? 0.99F : 0.19F) << count;
    EXPECT_NEAR(boxes[1].x1 - boxes[1].x0, 2 * (boxes[0].x1 - boxes[0].x0), 1) << count;
    EXPECT_EQ(model.short_ones(0), static_cast<int64_t>(count) - 2) << "drawn wider than their time, which is said";
    double seen = 0;
    for (size_t i = 2; i < boxes.size(); ++i) seen += boxes[i].x1 - boxes[i].x0;
    EXPECT_LE(seen, 90.1) << "a tenth of the strip at most";
    // Beside a wide one a narrow one is hit where the mouse is near.
    EXPECT_EQ(model.hit(0, boxes[1].x1 - 1), 2) << count;
    EXPECT_EQ(model.hit(0, boxes[1].x1 - 4), 1) << count;
    model.set_equal(true);
    EXPECT_NEAR(model.strip(0, 900)[1].x1 - model.strip(0, 900)[1].x0,
                std::max(2.0, 900.0 / static_cast<double>(count)), 0.01);
    EXPECT_EQ(model.short_ones(0), 0);
  }
}

// A kernel of 22 µs is not drawn narrower than a delegate's call of 6.
TEST(DelegationModel, WhatTakesLongerIsNotNarrower) {
  const OpenedTrace trace("partial_delegation");
  inspector::DelegationMap map;
  for (int i = 0; i < 12; ++i) {
    MapItem& item = map.items.emplace_back();
    item.kind = i % 2 == 1 ? MapItem::Kind::Delegate : MapItem::Kind::Kernel;
    item.ns = i % 2 == 1 ? 6'000 - 100 * i : 22'000 + 100 * i;
    map.total_ns += item.ns;
  }
  map.items[3].ns = 1'500'000;
  DelegationModel model;
  model.set({map}, trace.data);
  const auto& boxes = model.strip(0, 900);
  for (size_t a = 0; a < boxes.size(); ++a) {
    for (size_t b = 0; b < boxes.size(); ++b) {
      if (map.items[a].ns > map.items[b].ns) {
        EXPECT_GE(boxes[a].x1 - boxes[a].x0, boxes[b].x1 - boxes[b].x0 - 0.1F) << a << " and " << b;
      }
    }
  }
}

TEST(DelegationModel, ShowsOneMethodOfSeveral) {
  const OpenedTrace trace("multi_method");
  DelegationModel model;
  open(trace, &model);
  ASSERT_EQ(model.maps().size(), 3U);
  const size_t all = model.rows().size();
  size_t sum = 0, delegates = 0;
  for (int32_t m = 0; m < 3; ++m) {
    model.show_map(m);
    for (const NonDelegatedRow& r : model.rows()) EXPECT_EQ(r.map, m);
    for (const PlaceInMap& p : model.delegates()) EXPECT_EQ(p.map, m);
    sum += model.rows().size();
    delegates += model.delegates().size();
  }
  EXPECT_EQ(sum, all);
  DelegationModel again;
  again.choose_as(model);
  open(trace, &again);
  EXPECT_EQ(again.shown_map(), 2) << "kept when the times are read again";
  model.show_map(-1);
  EXPECT_EQ(model.rows().size(), all);
  EXPECT_EQ(model.delegates().size(), delegates);
}

TEST(DelegationModel, SaysWhatToLookAtFirst) {
  const OpenedTrace trace("partial_delegation");
  DelegationModel model;
  open(trace, &model);
  const FirstLook look = model.first_look(0);
  const auto& rows = model.rows();  // by type and time
  ASSERT_FALSE(rows.empty());
  EXPECT_EQ(look.item, model.first(rows.front()).item);
  EXPECT_TRUE(look.what.starts_with("aten.mean.dim")) << look.what;
  EXPECT_EQ(look.why, model.first(rows.front()).reasons.front().text);

  // What a finding says of several operators together comes first where it costs more.
  DelegationModel advised;
  open(trace, &advised);
  inspector::Advice a;
  a.id = "safe-softmax";
  a.method = model.map(0).method;
  a.place.node = model.map(0).non_delegated.back().node;
  a.items = {{"aten.eq.Scalar", 1e-3, {}}};
  advised.set_advice({a});
  EXPECT_EQ(advised.first_look(0).what, look.what);
  a.items.push_back({"aten.where.self", 1e9, {}});
  advised.set_advice({a});
  EXPECT_TRUE(advised.first_look(0).what.starts_with("what scaled_dot_product_attention becomes"));
  EXPECT_EQ(advised.first_look(0).item, model.map(0).non_delegated.back().item);

  // Little is outside: the time is inside of a delegate.
  inspector::DelegationMap map = model.map(0);
  for (MapItem& item : map.items) item.ns = item.number == 2 ? 1e6 : 1;
  map.total_ns = 1e6 + 5;
  DelegationModel inside;
  inside.set({map}, trace.data);
  EXPECT_EQ(map.items[static_cast<size_t>(inside.first_look(0).item)].number, 2);
  EXPECT_TRUE(inside.first_look(0).what.starts_with("XnnpackBackend call 2"));

  map.total_ns = 0;
  DelegationModel untimed;
  untimed.set({map}, trace.data);
  EXPECT_TRUE(untimed.first_look(0).what.empty());
}

TEST(DelegationModel, TypesSayOnceThatTheyLieBetweenDelegates) {
  inspector::DelegationMap map;
  map.method = "forward";
  for (int i = 0; i < 5; ++i) {
    NonDelegatedOp& op = map.non_delegated.emplace_back();
    op.op = "aten.sum";
    op.instruction = i;
    op.module_path = "layers." + std::to_string(i % 2);
    op.reasons.push_back({inspector::StayReason::Kind::Between, "splits calls " + std::to_string(i)});
  }
  DelegationModel model;
  model.set({map}, nullptr);
  ASSERT_EQ(model.rows().size(), 1U);
  EXPECT_EQ(model.reasons_of(model.rows()[0]), "splits delegate calls: reads from one and feeds the other");
  EXPECT_EQ(model.rows()[0].module, "layers.0 and 1 more");
  EXPECT_TRUE(model.has_reasons());
  for (NonDelegatedOp& op : map.non_delegated) op.reasons.front().kind = inspector::StayReason::Kind::Moves;
  model.set({map}, nullptr);
  EXPECT_FALSE(model.has_reasons()) << "nothing is delegated, and a copy needs no reason";
}

TEST(DelegationModel, CrossingBytesAddUpAndTheDifferenceIsSaid) {
  int noted = 0;
  for (const char* name :
       {"partial_delegation", "nanogpt_xnnpack_qd4", "mobilenet_v2_035_xnnpack_int8", "lstm_xnnpack"}) {
    SCOPED_TRACE(name);
    const OpenedTrace trace(name);
    DelegationModel model;
    open(trace, &model);
    for (const bool free : {false, true}) {
      model.show_free(free);
      int64_t rows = 0, breaks = 0;
      bool known = true;
      for (const NonDelegatedRow& row : model.rows()) {
        known = known && row.bytes >= 0;
        rows += row.bytes;
      }
      CrossingSum sum;
      for (size_t m = 0; m < model.maps().size(); ++m) {
        const CrossingSum x = crossing_sum(model.map(static_cast<int32_t>(m)), free);
        if (x.listed < 0) {
          EXPECT_FALSE(known);
          continue;
        }
        sum.listed += x.listed, sum.outside += x.outside, sum.again += x.again;
        breaks += std::max<int64_t>(model.totals(static_cast<int32_t>(m)).break_bytes, 0);
        EXPECT_GE(x.outside, 0);
        EXPECT_GE(x.again, 0) << "a tensor counts at least once in its break";
      }
      if (!known) continue;
      EXPECT_EQ(sum.listed, rows) << "what the column adds up to";
      EXPECT_EQ(sum.listed, breaks + sum.outside + sum.again);
      EXPECT_EQ(model.crossing_note().empty(), sum.listed == breaks) << model.crossing_note();
      noted += !model.crossing_note().empty();
    }
  }
  EXPECT_GT(noted, 0);
}

TEST(DelegationModel, WithoutADelegateEachTypeHasABound) {
  for (const char* name : {"quantised_portable", "add_mul", "lstm"}) {
    SCOPED_TRACE(name);
    const OpenedTrace trace(name);
    DelegationModel model;
    open(trace, &model);
    ASSERT_EQ(model.maps().size(), 1U);
    ASSERT_TRUE(model.backends().empty());
    const std::vector<TypeBound> bounds = type_bounds(model.map(0));
    ASSERT_FALSE(bounds.empty());
    double sum = 0;
    int64_t ops = 0;
    for (size_t i = 0; i < bounds.size(); ++i) {
      EXPECT_LE(bounds[i].ns, bounds[i == 0 ? 0 : i - 1].ns);
      sum += bounds[i].ns;
      ops += bounds[i].ops;
      EXPECT_NEAR(bounds[i].with_above, sum, 1e-6 * sum);
    }
    EXPECT_EQ(ops, model.what_if(0).all.ops);
    EXPECT_NEAR(sum, model.what_if(0).all.ns, 1e-6 * sum);
  }
}

TEST(DelegationModel, ReasonsAreWhole) {
  const OpenedTrace trace("partial_delegation");
  DelegationModel model;
  open(trace, &model);
  model.by_type(false);
  for (const NonDelegatedRow& row : model.rows()) {
    const std::string text = model.reasons_of(row);
    for (const auto& reason : model.first(row).reasons) EXPECT_NE(text.find(reason.text), std::string::npos);
  }
  const uint64_t version = model.rows_version();
  model.filter("mean");
  EXPECT_NE(model.rows_version(), version) << "heights of rows are measured again";
}

// Rows of a reason stand together, in the order that the column shows.
TEST(DelegationModel, SortedByTheReasonTheTextsAreInOrder) {
  const OpenedTrace trace("nanogpt_xnnpack_qd4");
  DelegationModel model;
  open(trace, &model);
  for (const bool types : {true, false}) {
    model.by_type(types);
    model.sort(DelegationModel::Column::Reasons, false);
    for (size_t r = 1; r < model.rows().size(); ++r)
      EXPECT_LE(model.reasons_of(model.rows()[r - 1]), model.reasons_of(model.rows()[r]));
    model.sort(DelegationModel::Column::Reasons, true);
    for (size_t r = 1; r < model.rows().size(); ++r)
      EXPECT_GE(model.reasons_of(model.rows()[r - 1]), model.reasons_of(model.rows()[r]));
  }
}

TEST(DelegationModel, ListsAreSortedByAnyColumn) {
  const OpenedTrace trace("nanogpt_xnnpack_qd4");
  DelegationModel model;
  open(trace, &model);
  ASSERT_GT(model.delegates().size(), 2U);
  ASSERT_GT(model.breaks().size(), 2U);
  const auto item = [&](size_t i) -> const MapItem& {
    const PlaceInMap& p = model.delegates()[i];
    return model.map(p.map).items[static_cast<size_t>(p.index)];
  };
  model.sort_places(PlaceList::Delegates, {PlaceColumn::Overhead, true});
  for (size_t i = 1; i < model.delegates().size(); ++i)
    EXPECT_GE(item(i - 1).ns - item(i - 1).inner_ns, item(i).ns - item(i).inner_ns);
  model.sort_places(PlaceList::Delegates, {PlaceColumn::Instruction, false});
  for (size_t i = 1; i < model.delegates().size(); ++i) EXPECT_LT(item(i - 1).instruction, item(i).instruction);
  model.sort_places(PlaceList::Delegates, {PlaceColumn::Module, false});
  for (size_t i = 1; i < model.delegates().size(); ++i) EXPECT_LE(item(i - 1).module, item(i).module);
  model.sort_places(PlaceList::Breaks, {PlaceColumn::Crossing, false});
  for (size_t i = 1; i < model.breaks().size(); ++i)
    EXPECT_LE(model.break_at(model.breaks()[i - 1]).bytes, model.break_at(model.breaks()[i]).bytes);
  model.sort_places(PlaceList::WhatIf, {PlaceColumn::Breaks, true});
  const auto& bounds = model.places(PlaceList::WhatIf);
  ASSERT_GT(bounds.size(), 2U);
  for (size_t i = 1; i < bounds.size(); ++i)
    EXPECT_GE(model.bound(bounds[i - 1]).breaks, model.bound(bounds[i]).breaks);
  // Another basis makes another model: it keeps the order.
  DelegationModel again;
  again.choose_as(model);
  open(trace, &again);
  EXPECT_EQ(again.order_of(PlaceList::Breaks), (PlaceOrder{PlaceColumn::Crossing, false}));
  EXPECT_EQ(again.breaks().front().index, model.breaks().front().index);
}

TEST(DelegationModel, RowsOfBreaksAndBoundsSelectWhatIsInThem) {
  const OpenedTrace trace("nanogpt_xnnpack_qd4");
  DelegationModel model;
  open(trace, &model);
  for (const PlaceInMap& place : model.breaks()) {
    const Selection s = model.selection_of_break(place);
    const inspector::MapBreak& x = model.break_at(place);
    for (size_t i = x.first; i <= x.last; ++i)
      EXPECT_TRUE(model.is_selected(place.map, static_cast<int32_t>(i), s)) << i;
    EXPECT_FALSE(model.is_selected(place.map, static_cast<int32_t>(x.last) + 1, s)) << "the call behind it";
  }
  for (const bool reason : {false, true}) {
    model.bounds_by_reason(reason);
    for (const PlaceInMap& place : model.places(PlaceList::WhatIf)) {
      const Selection s = model.selection_of_bound(place);
      EXPECT_FALSE(s.empty()) << model.bound_name(place);
      EXPECT_TRUE(model.is_bound_selected(place, s)) << model.bound_name(place);
      EXPECT_EQ(s.kind == Selection::Kind::Several, model.bound(place).ops > 1) << model.bound_name(place);
    }
  }
}

TEST(DelegationModel, ZoomTellsShortInstructionsApart) {
  const OpenedTrace trace("nanogpt_xnnpack_qd4");
  DelegationModel model;
  open(trace, &model);
  (void)model.strip(0, 300);
  const int64_t at_first = model.short_ones(0);
  ASSERT_GT(at_first, 0);
  model.set_zoom(0, 16);
  EXPECT_NEAR(model.strip(0, 300).back().x1, 16 * 300, 1);
  EXPECT_LT(model.short_ones(0), at_first);
  DelegationModel again;
  open(trace, &again);
  again.choose_as(model);
  EXPECT_EQ(again.zoom(0), 16) << "kept when the times are read again";
  model.set_zoom(0, 0);
  EXPECT_NEAR(model.strip(0, 300).back().x1, 300, 1) << "the whole is the least";
}

}  // namespace
}  // namespace et::gui::test
