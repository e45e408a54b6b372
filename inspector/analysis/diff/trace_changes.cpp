#include "inspector/analysis/diff/trace_changes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>

#include "base/mapped_file.h"
#include "inspector/analysis/delegation/delegation.h"
#include "inspector/analysis/diff/diff_text.h"
#include "inspector/analysis/graph/node_counts.h"
#include "inspector/analysis/memory/memory_plan.h"
#include "inspector/store/foreign_files.h"
#include "inspector/text/words.h"

namespace et::inspector {
namespace {

struct ChangesSide {
  std::map<std::string, DelegationCount> delegation;
  std::map<std::tuple<std::string, int64_t, std::string>, ArenaCount> arenas;
  std::optional<ProgramSize> size;
  std::string no_size, path;  ///< the program's
};

Status load_side(const Store& store, int64_t trace, const char* when, ChangesSide* out) {
  const ForeignFiles foreign = foreign_files(store, trace);
  Status status;
  std::vector<DelegationSummary> delegated;
  if (!foreign.hides_record()) status = delegation(store, trace, &delegated);
  for (const DelegationSummary& s : delegated) {
    DelegationCount count = {s.subgraphs, s.delegated_nodes, s.non_delegated_nodes};
    for (const DelegationRow& row : s.rows) {  // as all panels count: what only takes a result apart is no node
      if (is_counted_node(row.op_type)) continue;
      count.delegated -= row.delegated;
      count.non_delegated -= row.non_delegated;
    }
    out->delegation[s.method] = count;
  }
  MemoryPlan plan;
  if (status.ok() && !foreign.hides_program()) status = load_memory_plan(store, trace, &plan);
  for (const PlanArena& a : plan.arenas) out->arenas[{a.method, a.memory_id, a.device}] = {a.bytes, a.peak};
  if (!status.ok()) return status;
  Statement st = store.query("SELECT program_path FROM traces WHERE trace_id = ?1");
  st.bind_all(trace);
  std::string path;
  if (st.step() && !foreign.hides_program()) path = st.str(0);
  if (status = st.finish("the trace"); !status.ok()) return status;
  if (path.empty()) {
    out->no_size = std::string("no program ") + when;
    return {};
  }
  ProgramSize size;
  // The file may be gone since the import: that is no reason to have no comparison.
  if (const Status read = program_size(path, &size); !read.ok()) {
    out->no_size = read.message();
    return {};
  }
  if (!foreign.hides_record()) status = name_entries(store, trace, &size);
  out->size = std::move(size);
  out->path = std::move(path);
  return status;
}

bool same_bytes(const std::string& a, const std::string& b) {
  MappedFile one, two;
  if (a == b) return true;
  if (!MappedFile::open(a, &one).ok() || !MappedFile::open(b, &two).ok()) return false;
  return one.bytes().size() == two.bytes().size() &&
         std::equal(one.bytes().begin(), one.bytes().end(), two.bytes().begin());
}

template <class Key, class Count, class Make>
void merge_sides(const std::map<Key, Count>& before, const std::map<Key, Count>& after, const Make& make) {
  std::map<Key, std::pair<std::optional<Count>, std::optional<Count>>> all;
  for (const auto& [key, count] : before) all[key].first = count;
  for (const auto& [key, count] : after) all[key].second = count;
  for (const auto& [key, counts] : all) make(key, counts.first, counts.second);
}

std::string delegation_sentence(const std::vector<DelegationChange>& changes) {
  std::vector<std::string> parts;
  for (const DelegationChange& c : changes) {
    if (!c.before || !c.after) continue;
    const auto text = [](const DelegationCount& n) {
      return format_count(n.delegated) + " of " + plural(n.delegated + n.non_delegated, "node") + " in " +
             plural(n.subgraphs, "subgraph");
    };
    std::string part = changes.size() > 1 ? printable(c.method) + " " : "";
    part += *c.before == *c.after ? "unchanged, " + text(*c.after) : text(*c.before) + " → " + text(*c.after);
    parts.push_back(std::move(part));
  }
  return parts.empty() ? "" : "Delegated: " + joined(parts, "; ");
}

std::string memory_sentence(const std::vector<MemoryChange>& changes) {
  ArenaCount before, after;
  bool known_before = false, known_after = false;
  for (const MemoryChange& c : changes) {
    known_before = known_before || c.before.has_value();
    known_after = known_after || c.after.has_value();
    before.bytes += c.before ? c.before->bytes : 0;
    before.peak += c.before ? c.before->peak : 0;
    after.bytes += c.after ? c.after->bytes : 0;
    after.peak += c.after ? c.after->peak : 0;
  }
  if (!known_before || !known_after) return {};
  const std::string sum = changes.size() > 1 ? ", sum of " + plural(static_cast<int64_t>(changes.size()), "arena") : "";
  if (before == after)
    return "Memory plan: unchanged, " + format_bytes(after.bytes) + ", peak " + format_bytes(after.peak) + sum;
  return "Memory plan: " + format_bytes(before.bytes) + " → " + format_bytes(after.bytes) + ", peak " +
         format_bytes(before.peak) + " → " + format_bytes(after.peak) + sum;
}

std::string size_sentence(const SizeDiff& size) {
  constexpr size_t kMost = 2;
  std::string out = "Program: ";
  if (size.before == size.after) {
    out += format_bytes(size.after) + (size.entries.empty() ? ", unchanged" : " in both, but with other parts");
    if (size.entries.empty()) return out;
  } else {
    out += format_bytes(size.before) + " → " + format_bytes(size.after) + " (" +
           percent_change(static_cast<double>(size.before), static_cast<double>(size.after)) + ")";
  }
  std::vector<std::string> groups;
  for (const SizeChange& g : size.groups) {
    if (g.change() != 0 && groups.size() < kMost) groups.push_back(printable(g.group) + " " + signed_bytes(g.change()));
  }
  return groups.empty() ? out : out + ": " + joined(groups, ", ");
}

}  // namespace

Status compare_traces(const Store& before, int64_t before_id, const Store& after, int64_t after_id, TraceChanges* out) {
  *out = {};
  ChangesSide a, b;
  Status status = load_side(before, before_id, "before", &a);
  if (status.ok()) status = load_side(after, after_id, "after", &b);
  if (!status.ok()) return status;
  merge_sides(a.delegation, b.delegation, [&](const auto& method, const auto& was, const auto& is) {
    out->delegation.push_back({method, was, is});
  });
  merge_sides(a.arenas, b.arenas, [&](const auto& key, const auto& was, const auto& is) {
    out->memory.push_back({std::get<0>(key), std::get<2>(key), std::get<1>(key), was, is});
  });
  if (a.size && b.size) {
    out->size = diff_sizes(*a.size, *b.size);
    out->same_program = out->size->before == out->size->after && same_bytes(a.path, b.path);
  } else {
    out->no_size = a.no_size.empty() || b.no_size.empty() ? a.no_size + b.no_size : a.no_size + ", " + b.no_size;
  }
  return {};
}

std::vector<std::string> change_sentences(const TraceChanges& changes) {
  std::vector<std::string> out = {delegation_sentence(changes.delegation), memory_sentence(changes.memory),
                                  changes.size ? size_sentence(*changes.size) : std::string()};
  std::erase(out, std::string());
  return out;
}

}  // namespace et::inspector
