// speedscope's file format: one profile of all executions together, then one a run with its events in time. With
// Python's stacks: the warm median and all executions together.
// https://www.speedscope.app/file-format-schema.json
#include "inspector/analysis/ops/stack_profile.h"
#include "inspector/analysis/timeline/timeline_tree.h"
#include "inspector/report/export_text.h"
#include "inspector/report/exporters.h"

#include <algorithm>
#include <vector>

namespace et::inspector {
namespace {

// The viewer keeps every profile in memory and offers them in one list.
constexpr int64_t kDefaultExecutions = 100;

void append_frame(std::string* s, std::string_view name, const std::string& file, int64_t line) {
  *s += "{\"name\":";
  append_json_string(s, name);
  if (!file.empty()) {
    *s += ",\"file\":";
    append_json_string(s, file);
    *s += ",\"line\":" + std::to_string(line);
  }
  *s += '}';
}

const char* unit_of(const Timeline& t, int32_t track) {
  return track == 0 && t.unit() == "ns" ? "nanoseconds" : "none";
}

/// All runs of all blocks: stacks weighted with their self time. Frame i is op i, frame ops + b is block b.
void append_aggregate(std::string* s, const Timeline& t, const TimelineTree& tree) {
  const auto frame_of_block = [&](size_t b) { return std::to_string(t.ops().size() + b); };
  std::string samples, weights;
  int64_t total = 0;
  auto add = [&](const std::string& stack, int64_t ns) {
    if (ns <= 0) return;
    samples += (samples.empty() ? "[" : ",[") + stack + "]";
    weights += (weights.empty() ? "" : ",") + std::to_string(ns);
    total += ns;
  };
  std::vector<std::string> stacks(t.ops().size());
  for (size_t b = 0; b < t.blocks().size(); ++b) {
    add(frame_of_block(b), tree.rest[b]);
    for (const int32_t i : t.blocks()[b].ops) {
      const auto at = static_cast<size_t>(i);
      const TimelineOp& o = t.ops()[at];
      if (o.track != 0) continue;
      const bool inner = o.parent >= 0 && t.ops()[static_cast<size_t>(o.parent)].track == 0;
      stacks[at] = (inner ? stacks[static_cast<size_t>(o.parent)] : frame_of_block(b)) + "," + std::to_string(i);
      add(stacks[at], tree.self[at]);
    }
  }
  *s += std::string("{\"type\":\"sampled\",\"name\":\"all runs\",\"unit\":\"") + unit_of(t, 0) +
        "\",\"startValue\":0,\"endValue\":" + std::to_string(total) + ",\"samples\":[" + samples + "],\"weights\":[" +
        weights + "]}";
}

/// The slices of one lane of one run.
void append_evented(std::string* s, const Timeline& t, const std::string& name, std::span<const Slice> slices) {
  int64_t begin = slices.front().start, end = begin;
  for (const Slice& x : slices) end = std::max(end, x.end);
  const int32_t track = t.ops()[static_cast<size_t>(slices.front().op)].track;
  *s += "{\"type\":\"evented\",\"name\":";
  append_json_string(s, name);
  *s += std::string(",\"unit\":\"") + unit_of(t, track) + "\",\"startValue\":" + std::to_string(begin) +
        ",\"endValue\":" + std::to_string(end) + ",\"events\":[";
  bool first = true;
  auto event = [&](char type, int32_t op, int64_t at) {
    if (!first) *s += ',';
    first = false;
    *s += std::string("{\"type\":\"") + type + "\",\"frame\":" + std::to_string(op) + ",\"at\":" + std::to_string(at) +
          "}";
  };
  for_begin_end(
      slices, [&](const Slice& x) { event('O', x.op, x.start); }, [&](const Slice& x) { event('C', x.op, x.end); });
  *s += "]}";
}

void append_weights(std::string* s, const StackProfile& profile, const char* name, int64_t ProfileStack::*time) {
  std::string samples, weights;
  int64_t total = 0;
  for (const ProfileStack& stack : profile.stacks) {
    if (stack.*time <= 0) continue;
    samples += samples.empty() ? "[" : ",[";
    for (size_t i = 0; i < stack.frames.size(); ++i) samples += (i == 0 ? "" : ",") + std::to_string(stack.frames[i]);
    samples += ']';
    weights += (weights.empty() ? "" : ",") + std::to_string(stack.*time);
    total += stack.*time;
  }
  *s += std::string("{\"type\":\"sampled\",\"name\":\"") + name + "\",\"unit\":\"" +
        (profile.unit == "ns" ? "nanoseconds" : "none") + "\",\"startValue\":0,\"endValue\":" + std::to_string(total) +
        ",\"samples\":[" + samples + "],\"weights\":[" + weights + "]}";
}

void append_head(std::string* s, std::string_view title, std::string_view lines) {
  *s += "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"exporter\":\"et-inspect\",\"name\":";
  append_json_string(s, title);
  *s += ",\"lines\":";
  append_json_string(s, lines);
  *s += ",\"activeProfileIndex\":0,\"shared\":{\"frames\":[\n";
}

Status write_python_profiles(const Store& store, int64_t trace_id, const PathMaps& maps, std::ostream& out) {
  StackProfile profile;
  if (Status s = stack_profile(store, trace_id, StackKind::Python, maps, &profile); !s.ok()) return s;
  ExportSink sink(out);
  append_head(&sink.buffer, profile.title, profile.lines);
  for (size_t i = 0; i < profile.frames.size(); ++i) {
    if (i != 0) sink.buffer += ",\n";
    append_frame(&sink.buffer, profile.frames[i].name, profile.frames[i].file, profile.frames[i].line);
    if (!sink.flush_if_large()) return sink.status();
  }
  sink.buffer += "\n]},\"profiles\":[\n";
  append_weights(&sink.buffer, profile, "warm median execution", &ProfileStack::warm);
  sink.buffer += ",\n";
  append_weights(&sink.buffer, profile, "all executions", &ProfileStack::total);
  sink.buffer += "\n]}\n";
  return sink.finish();
}

}  // namespace

Status export_speedscope(const Store& store, int64_t trace_id, const ExportOptions& options, std::ostream& out) {
  if (options.stacks == "python") return write_python_profiles(store, trace_id, options.source_maps, out);
  Timeline t;
  if (Status s = Timeline::load(store, trace_id, &t); !s.ok()) return s;
  ExportSink sink(out);
  std::string& s = sink.buffer;
  append_head(&s, trace_title(t), t.table().lines.text());
  for (size_t i = 0; i < t.ops().size(); ++i) {
    if (i != 0) s += ",\n";
    const NodeFacts* source = t.ops()[i].source;
    append_frame(&s, frame_label(t.ops()[i]),
                 source == nullptr ? std::string() : mapped_path(source->file, options.source_maps),
                 source == nullptr ? 0 : source->line.value_or(0));
    sink.flush_if_large();
  }
  for (size_t b = 0; b < t.blocks().size(); ++b) {
    if (b != 0 || !t.ops().empty()) s += ",\n";
    append_frame(&s, t.blocks()[b].label(), "", 0);
  }
  s += "\n]},\"profiles\":[\n";
  append_aggregate(&s, t, build_tree(t));

  int64_t all = 0;
  for (const TimelineBlock& b : t.blocks()) all += b.kind() == "execute" ? b.entry->runs : 0;
  const int64_t limit = options.max_executions > 0 ? options.max_executions : kDefaultExecutions;
  const std::string of_all = limit < all ? " (first " + std::to_string(limit) + " of " + std::to_string(all) + ")" : "";
  std::vector<Slice> lane;
  const Status walked = t.walk(store, limit, [&](const TimelineRun& run, std::span<const Slice> slices) {
    std::vector<std::pair<int32_t, int32_t>> lanes;  // track, lane
    for (const Slice& x : slices) lanes.emplace_back(t.ops()[static_cast<size_t>(x.op)].track, x.lane);
    std::sort(lanes.begin(), lanes.end());
    lanes.erase(std::unique(lanes.begin(), lanes.end()), lanes.end());
    for (const auto& [track, number] : lanes) {
      lane.clear();
      for (const Slice& x : slices) {
        if (x.lane == number && t.ops()[static_cast<size_t>(x.op)].track == track) lane.push_back(x);
      }
      std::string name = t.blocks()[static_cast<size_t>(run.block)].label() + " #" + std::to_string(run.execution);
      if (run.is_cold) name += " cold";
      if (track != 0)
        name += ", " + t.tracks()[static_cast<size_t>(track)].backend + " in " +
                t.tracks()[static_cast<size_t>(track)].clock;
      if (number != 0) name += ", overlapping " + std::to_string(number);
      s += ",\n";
      append_evented(&s, t, name + of_all, lane);
      if (!sink.flush_if_large()) return sink.status();
    }
    return Status();
  });
  if (!walked.ok()) return walked;
  s += "\n]}\n";
  return sink.finish();
}

}  // namespace et::inspector
