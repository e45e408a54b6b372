// Real dumps of the upstream runtime against what upstream's own Inspector says of them (reference/*.json): the
// Inspector's grouping is done again here on top of the reader, and every event, time and tensor is compared.
#include <gtest/gtest.h>
#include <simdjson.h>

#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <tuple>

#include "etdump/debug_buffer.h"
#include "etdump/reader.h"
#include "tests/etdump/corpus.h"

namespace et::etdump {
namespace {

namespace fs = std::filesystem;
using simdjson::dom::array;
using simdjson::dom::element;

using GroupKey = std::tuple<int32_t, int64_t, int32_t, std::string>;          // instruction, chain, delegate ids
using RowKey = std::tuple<std::string, int32_t, int32_t, std::string, bool>;  // name, instruction, ids, has profile

struct Row {
  RowKey key;
  std::vector<uint64_t> start, end;  // one per run
  std::vector<const Event*> debug;   // of the first run
};

struct Block {
  std::string name;
  int32_t bundled = -1;
  std::vector<Row> rows;
  std::vector<const Event*> outputs;
};

struct RunRows {
  std::vector<RowKey> order;
  std::map<RowKey, std::pair<const Event*, std::vector<const Event*>>> rows;
  std::vector<const Event*> outputs;
};

RunRows rows_of(const std::vector<Event>& events) {
  struct Group {
    GroupKey key;
    std::vector<const Event*> profile, debug;
  };
  std::vector<Group> groups;
  RunRows out;
  for (const Event& e : events) {
    if (e.kind == EventKind::Debug && e.value.is_output()) {
      out.outputs.push_back(&e);
      continue;
    }
    const GroupKey key{e.instruction_id, e.chain_index, e.delegate_id_int, std::string(e.delegate_id_str)};
    auto at = std::find_if(groups.begin(), groups.end(), [&](const Group& g) { return g.key == key; });
    if (at == groups.end()) at = groups.insert(groups.end(), Group{key, {}, {}});
    (e.kind == EventKind::Profile ? at->profile : at->debug).push_back(&e);
  }
  for (const Group& g : groups) {
    auto add = [&](const Event* p, const Event& id) {
      const RowKey key{p == nullptr ? "" : std::string(p->name), id.instruction_id, id.delegate_id_int,
                       std::string(id.delegate_id_str), p != nullptr};
      if (!out.rows.contains(key)) out.order.push_back(key);
      out.rows[key] = {p, g.debug};  // the later trip of a loop replaces the earlier
    };
    for (const Event* p : g.profile) add(p, *p);
    if (g.profile.empty()) add(nullptr, *g.debug.front());
  }
  return out;
}

// Blocks as the Inspector makes them. Events live in `store`.
std::vector<Block> blocks_of(Reader* reader, std::vector<std::vector<Event>>* store) {
  std::vector<Block> blocks;
  store->resize(reader->run_count());
  for (size_t r = 0; r < reader->run_count(); ++r) {
    etdump::Run run;
    EXPECT_TRUE(reader->run(r, &run));
    std::vector<Event>& events = (*store)[r];
    events.resize(run.event_count());
    for (size_t i = 0; i < events.size(); ++i) EXPECT_TRUE(run.event(i, &events[i]));
    const RunRows rows = rows_of(events);
    auto same = [&](const Block& b) {
      if (b.name != run.name() || b.bundled != run.bundled_input_index() || b.rows.size() != rows.order.size())
        return false;
      for (size_t i = 0; i < b.rows.size(); ++i) {
        if (b.rows[i].key != rows.order[i]) return false;
      }
      return true;
    };
    auto block = std::find_if(blocks.begin(), blocks.end(), same);
    if (block == blocks.end()) {
      block = blocks.insert(blocks.end(), Block{std::string(run.name()), run.bundled_input_index(), {}, rows.outputs});
      for (const RowKey& key : rows.order) block->rows.push_back({key, {}, {}, rows.rows.at(key).second});
    }
    for (Row& row : block->rows) {
      const Event* p = rows.rows.at(row.key).first;
      if (p == nullptr) continue;
      row.start.push_back(p->start);
      row.end.push_back(p->end);
    }
  }
  return blocks;
}

double number(element e) {
  double d = 0;
  if (e.get(d) == simdjson::SUCCESS) return d;
  bool b = false;
  if (e.get(b) == simdjson::SUCCESS) return b;
  std::string_view s = e.get_string().value();
  if (s == "NaN") return std::numeric_limits<double>::quiet_NaN();
  return s == "Infinity" ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity();
}

void expect_same_number(double got, double wanted, double tolerance, const std::string& where) {
  if (std::isnan(wanted)) {
    EXPECT_TRUE(std::isnan(got)) << where;
  } else if (std::isinf(wanted)) {
    EXPECT_EQ(got, wanted) << where;
  } else {
    EXPECT_NEAR(got, wanted, tolerance) << where;
  }
}

struct Tally {
  size_t tensors = 0, strided = 0;
};

void compare_tensor(const TensorInfo& info, element reference, const DebugBuffer& buffer, const std::string& where,
                    Tally* tally) {
  EXPECT_EQ(scalar_type_name(info.dtype), reference["dtype"].get_string().value()) << where;
  std::vector<int64_t> sizes;
  for (const element s : reference["sizes"].get_array()) sizes.push_back(s.get_int64().value());
  ASSERT_EQ((std::vector<int64_t>{info.sizes.begin(), info.sizes.end()}), sizes) << where;
  TensorView view;
  const TensorSummary s = summarise(buffer, info);
  ASSERT_EQ(buffer.open(info, &view), TensorFault::None) << where;
  ASSERT_EQ(s.fault, TensorFault::None) << where;
  ++tally->tensors;
  if (!view.contiguous()) ++tally->strided;
  element first;
  if (reference["first"].get(first) == simdjson::SUCCESS) {
    size_t i = 0;
    for (const element v : first.get_array()) {
      // Upstream ignores strides: its first values are those of the memory.
      const double got = view.contiguous()
                             ? s.first[i]
                             : element_as_double(info.dtype, view.storage().data() + i * view.element_bytes());
      expect_same_number(got, number(v), 0, where);
      ++i;
    }
  }
  element sum;
  if (reference["sum"].get(sum) == simdjson::SUCCESS && s.nan_count == 0) {
    element sum_abs = reference["sum_abs"];
    const double slack = 1e-12 * (1 + std::fabs(number(sum_abs)));
    expect_same_number(s.sum, number(sum), slack, where);
    expect_same_number(s.sum_abs, number(sum_abs), slack, where);
  }
}

void compare_value(const Value& value, element reference, const DebugBuffer& buffer, const std::string& where,
                   Tally* tally) {
  switch (value.kind()) {
    case ValueKind::Tensor:
      return compare_tensor(value.tensor(0), reference, buffer, where, tally);
    case ValueKind::TensorList: {
      const array list = reference.get_array();
      ASSERT_EQ(list.size(), value.tensor_count()) << where;
      for (size_t i = 0; i < value.tensor_count(); ++i)
        compare_tensor(value.tensor(i), list.at(i), buffer, where, tally);
      return;
    }
    case ValueKind::Int:
      EXPECT_EQ(static_cast<double>(value.as_int()), number(reference)) << where;
      return;
    case ValueKind::Bool:
      EXPECT_EQ(value.as_bool(), number(reference) != 0) << where;
      return;
    default:
      EXPECT_EQ(value.as_double(), number(reference)) << where;
  }
}

void compare_values(const std::vector<const Event*>& values, array reference, const DebugBuffer& buffer,
                    const std::string& where, Tally* tally) {
  ASSERT_EQ(reference.size(), values.size()) << where;
  for (size_t i = 0; i < values.size(); ++i)
    compare_value(values[i]->value, reference.at(i), buffer, where + " value " + std::to_string(i), tally);
}

void compare_row(const Row& row, element reference, const std::string& where) {
  const auto& [name, instruction, id_int, id_str, has_profile] = row.key;
  const bool delegated = id_int != -1 || !id_str.empty();
  if (has_profile) {
    const std::string shown = !delegated ? name : id_str.empty() ? std::to_string(id_int) : id_str;
    EXPECT_EQ(reference["name"].get_string().value(), shown) << where;
  }
  EXPECT_EQ(reference["instruction_id"].get_int64().value(), instruction) << where;
  EXPECT_EQ(reference["is_delegated_op"].get_bool().value(), delegated) << where;
  if (!has_profile) return;
  const array starts = reference["start_time"].get_array();
  const array raw = reference["perf"]["raw"].get_array();
  ASSERT_EQ(starts.size(), row.start.size()) << where;
  ASSERT_EQ(raw.size(), row.start.size()) << where;
  for (size_t i = 0; i < row.start.size(); ++i) {
    EXPECT_EQ(starts.at(i).get_uint64().value(), row.start[i]) << where;
    bool wrapped = false;
    bool invalid = false;
    const double ms = static_cast<double>(elapsed_ticks(row.start[i], row.end[i], &wrapped, &invalid)) / 1e6;
    EXPECT_NEAR(number(raw.at(i)), ms, 1e-9) << where;  // upstream subtracts scaled times of delegates
    EXPECT_FALSE(wrapped || invalid) << where;
  }
}

// Compares one dump with one reference file. Returns false when there is nothing to compare with.
bool compare(const fs::path& folder, const char* dump, const char* reference, const char* debug, Tally* tally) {
  if (!fs::exists(folder / dump) || !fs::exists(folder / "reference" / reference)) return false;
  simdjson::dom::parser parser;
  element root;
  if (parser.load((folder / "reference" / reference).string()).get(root) != simdjson::SUCCESS) return false;
  array blocks_json;
  if (root["event_blocks"].get(blocks_json) != simdjson::SUCCESS) return false;

  const auto bytes = test::file_bytes(folder / dump);
  std::vector<uint8_t> buffer_bytes;
  const bool values = debug != nullptr && fs::exists(folder / debug);
  if (values) buffer_bytes = test::file_bytes(folder / debug);
  const DebugBuffer buffer(buffer_bytes);
  Reader reader;
  std::vector<std::vector<Event>> store;
  EXPECT_TRUE(Reader::open(bytes, &reader).ok());
  const std::vector<Block> blocks = blocks_of(&reader, &store);
  EXPECT_EQ(reader.lost_tables(), 0u);
  EXPECT_FALSE(reader.truncated());
  EXPECT_EQ(reader.version(), 0u);
  EXPECT_EQ(reader.trailer_state(), TrailerState::Absent);

  EXPECT_EQ(blocks_json.size(), blocks.size()) << folder;
  for (size_t b = 0; b < std::min(blocks.size(), blocks_json.size()); ++b) {
    const element ref = blocks_json.at(b);
    const std::string where = folder.filename().string() + "/" + dump + " block " + std::to_string(b);
    EXPECT_EQ(ref["name"].get_string().value(), blocks[b].name) << where;
    EXPECT_EQ(ref["bundled_input_index"].get_int64().value(), blocks[b].bundled) << where;
    const array events = ref["events"].get_array();
    EXPECT_EQ(events.size(), blocks[b].rows.size()) << where;
    for (size_t i = 0; i < std::min(events.size(), blocks[b].rows.size()); ++i) {
      const std::string at = where + " event " + std::to_string(i);
      compare_row(blocks[b].rows[i], events.at(i), at);
      if (values) compare_values(blocks[b].rows[i].debug, events.at(i)["debug_data"].get_array(), buffer, at, tally);
    }
    if (values) compare_values(blocks[b].outputs, ref["run_output"].get_array(), buffer, where + " output", tally);
  }
  return true;
}

TEST(RealDumps, EventsOrderAndTimesAreThoseOfUpstreamsInspector) {
  size_t compared = 0;
  Tally tally;
  for (const fs::path& folder : test::case_folders()) {
    const bool plain = compare(folder, "etdump.etdp", "inspector_no_etrecord.json", nullptr, &tally) ||
                       compare(folder, "etdump.etdp", "inspector.json", nullptr, &tally);
    compared += plain;
  }
  if (compared == 0) GTEST_SKIP() << "no case with a reference is there";
  std::printf("%zu dumps compared\n", compared);
}

TEST(RealDumps, LoggedTensorsAreThoseOfUpstreamsInspector) {
  size_t compared = 0;
  Tally tally;
  for (const fs::path& folder : test::case_folders())
    compared += compare(folder, "debug.etdp", "inspector_debug.json", "debug.bin", &tally);
  if (compared == 0) GTEST_SKIP() << "no case with a reference is there";
  std::printf("%zu dumps, %zu tensors compared, %zu of them not in row-major order\n", compared, tally.tensors,
              tally.strided);
}

TEST(RealDumps, AllAreReadWithoutLossButTheOneThatUpstreamBreaks) {
  const auto files = test::dump_files();
  if (files.empty()) GTEST_SKIP() << "no case is there";
  for (const fs::path& path : files) {
    const auto bytes = test::file_bytes(path);
    Reader reader;
    ASSERT_TRUE(Reader::open(bytes, &reader).ok()) << path;
    EXPECT_TRUE(reader.size_prefixed());
    size_t events = 0;
    for (size_t r = 0; r < reader.run_count(); ++r) {
      etdump::Run run;
      if (!reader.run(r, &run)) continue;
      Event event;
      for (size_t i = 0; i < run.event_count(); ++i) events += run.event(i, &event);
    }
    const bool broken = path.parent_path().filename() == "dtypes" && path.filename() == "debug.etdp";
    EXPECT_EQ(reader.lost_tables() != 0, broken) << path;
    EXPECT_EQ(events == 0, broken) << path;
  }
}

}  // namespace
}  // namespace et::etdump
