// Folded stacks, one a line: "method;instruction;delegate;inner op ns", for flamegraph.pl, inferno and the like. The
// numbers of a block sum to its total. With Python's stacks: "method;forward (model.py:12);aten.linear.default ns".
#include "inspector/analysis/ops/stack_profile.h"
#include "inspector/analysis/timeline/timeline_tree.h"
#include "inspector/report/export_text.h"
#include "inspector/report/exporters.h"

#include <map>

namespace et::inspector {
namespace {

// ";" separates frames, and the number stands behind the last space of the line.
std::string frame(std::string text) {
  for (char& c : text) {
    if (c == ';') c = ':';
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  return text.empty() ? "?" : text;
}

Status write_python(const Store& store, int64_t trace_id, const PathMaps& maps, std::ostream& out) {
  StackProfile profile;
  if (Status s = stack_profile(store, trace_id, StackKind::Python, maps, &profile); !s.ok()) return s;
  ExportSink sink(out);
  std::map<std::string, int64_t> times;  // stacks that differ by backend or module alone are one line
  for (const ProfileStack& s : profile.stacks) {
    std::string stack;
    for (const int32_t i : s.frames) {
      const ProfileFrame& f = profile.frames[static_cast<size_t>(i)];
      const std::string place = f.file.substr(f.file.rfind('/') + 1) + ":" + std::to_string(f.line);
      stack += (stack.empty() ? "" : ";") + frame(f.file.empty() ? f.name : f.name + " (" + place + ")");
    }
    times[stack] += s.total;
  }
  for (const auto& [stack, time] : times) {
    if (time > 0) sink.buffer += stack + " " + std::to_string(time) + "\n";
    if (!sink.flush_if_large()) return sink.status();
  }
  return sink.finish();
}

}  // namespace

Status export_folded(const Store& store, int64_t trace_id, const ExportOptions& options, std::ostream& out) {
  if (options.stacks == "python") return write_python(store, trace_id, options.source_maps, out);
  Timeline t;
  if (Status s = Timeline::load(store, trace_id, &t); !s.ok()) return s;
  const TimelineTree tree = build_tree(t);
  ExportSink sink(out);
  std::vector<std::string> stacks(t.ops().size());
  std::vector<std::string> order;  // lines in the order of execution, equal stacks once
  std::map<std::string, int64_t> times;
  auto add = [&](const std::string& stack, int64_t ns) {
    if (ns <= 0) return;
    const auto [at, fresh] = times.emplace(stack, 0);
    at->second += ns;
    if (fresh) order.push_back(stack);
  };
  for (size_t b = 0; b < t.blocks().size(); ++b) {
    const TimelineBlock& block = t.blocks()[b];
    add(frame(block.label()), tree.rest[b]);
    for (const int32_t i : block.ops) {
      const TimelineOp& o = t.ops()[static_cast<size_t>(i)];
      if (o.track != 0) continue;
      const bool inner = o.parent >= 0 && t.ops()[static_cast<size_t>(o.parent)].track == 0;
      stacks[static_cast<size_t>(i)] =
          (inner ? stacks[static_cast<size_t>(o.parent)] : frame(block.label())) + ";" + frame(frame_label(o));
      add(stacks[static_cast<size_t>(i)], tree.self[static_cast<size_t>(i)]);
    }
  }
  for (const std::string& stack : order) {
    sink.buffer += stack + " " + std::to_string(times[stack]) + "\n";
    if (!sink.flush_if_large()) return sink.status();
  }
  return sink.finish();
}

}  // namespace et::inspector
