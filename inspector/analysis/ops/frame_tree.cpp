#include "inspector/analysis/ops/frame_tree.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "inspector/analysis/ops/op_title.h"
#include "inspector/analysis/ops/tree_builder.h"
#include "inspector/ingest/links/unlinked_reasons.h"
#include "inspector/match/file_owners.h"

namespace et::inspector {
namespace {

constexpr size_t kMostFrames = 128;  // of a damaged record

struct StackFrame {
  int64_t file = 0, line = 0, function = 0, code = 0;  // texts by their ids
};

/// The stacks of a trace's nodes, cut down to the frames of a scope.
class Stacks {
 public:
  Stacks(const Store& store, const FrameTreeOptions& options) : store_(store), options_(options) {}

  Status load(int64_t trace) {
    Statement st;
    Status status = store_.prepare(
        "SELECT n.id, x.file, x.line, x.function, x.code FROM raw_node n JOIN raw_frame x ON x.node = n.id WHERE "
        "n.trace = ?1 ORDER BY n.id, x.depth",
        &st);
    if (!status.ok()) return status;
    st.bind_all(trace);
    while (st.step()) {
      std::vector<StackFrame>& stack = stacks_[st.integer(0)];
      if (stack.size() < kMostFrames) stack.push_back({st.integer(1), st.integer(2), st.integer(3), st.integer(4)});
    }
    status = st.finish("frames");
    if (status.ok()) status = load_texts();
    if (status.ok()) cut();
    return status;
  }

  /// Outermost first; nothing for a node without a stack.
  const std::vector<StackFrame>& of(int64_t node) const {
    static const std::vector<StackFrame> none;
    const auto found = stacks_.find(node);
    return found == stacks_.end() ? none : found->second;
  }
  const std::string& text(int64_t id) const {
    static const std::string none;
    const auto found = texts_.find(id);
    return found == texts_.end() ? none : found->second;
  }
  std::string file(int64_t id) const { return mapped_path(text(id), options_.maps); }

 private:
  Status load_texts() {
    Statement st;
    Status status = store_.prepare("SELECT text FROM raw_string WHERE id = ?1", &st);
    if (!status.ok()) return status;
    const auto read = [&](int64_t id) {
      if (texts_.contains(id)) return;
      st.bind_all(id);
      texts_[id] = st.step() ? st.str(0) : std::string();
      st.reset();
    };
    for (const auto& [node, stack] : stacks_) {
      for (const StackFrame& f : stack) {
        read(f.file);
        read(f.function);
        read(f.code);
      }
    }
    return st.finish("texts");
  }

  void cut() {
    if (options_.scope == FrameScope::Everything) return;
    std::set<int64_t> files;
    for (const auto& [node, stack] : stacks_)
      for (const StackFrame& f : stack) files.insert(f.file);
    FileOwners learned;
    for (const int64_t f : files) learned.learn(text(f));
    std::map<int64_t, FileOwner> owners;
    for (const int64_t f : files) owners[f] = learned.of(text(f));
    for (auto& each : stacks_) {
      std::vector<StackFrame>& stack = each.second;
      const auto keep = [&](FileOwner least) {
        std::vector<StackFrame> kept;
        for (const StackFrame& f : stack) {
          const FileOwner owner = owners[f.file];
          if (owner == FileOwner::User || (least == FileOwner::Library && owner == least)) kept.push_back(f);
        }
        return kept;
      };
      std::vector<StackFrame> kept = keep(options_.scope == FrameScope::User ? FileOwner::User : FileOwner::Library);
      if (kept.empty()) kept = keep(FileOwner::Library);
      if (kept.empty()) continue;
      if (options_.scope == FrameScope::Outermost) kept.resize(1);
      stack = std::move(kept);
    }
  }

  const Store& store_;
  const FrameTreeOptions& options_;
  std::unordered_map<int64_t, std::vector<StackFrame>> stacks_;
  std::unordered_map<int64_t, std::string> texts_;
};

/// Why an op's time leads to no line.
class Reasons {
 public:
  Status load(const Store& store, const OpTable& table) {
    if (!store.has_table("raw_unlinked")) return {};
    const auto [first, last] = table.ids();
    Statement st = store.query("SELECT op, reason FROM raw_unlinked WHERE op BETWEEN ?1 AND ?2");
    st.bind_all(first, last);
    while (st.step()) reasons_.emplace(st.integer(0), st.str(1));
    return st.finish("unlinked ops");
  }

  std::string of(const OpEntry& op, bool linked) const {
    if (linked) return unlinked_reason(Unlinked::no_line).text;
    const auto found = reasons_.find(op.id);
    if (found != reasons_.end()) return found->second;
    return unlinked_reason(op.kind == "delegate_call" ? Unlinked::delegate_overhead : Unlinked::runtime_overhead).text;
  }

 private:
  std::unordered_map<int64_t, std::string> reasons_;
};

bool is_number(std::string_view s) {
  return !s.empty() && s.find_first_not_of("0123456789*") == std::string_view::npos;
}

/// The part of two module paths in which they agree but for numbers.
std::string common_module(std::string_view a, std::string_view b) {
  std::string out;
  while (!a.empty() && !b.empty()) {
    const std::string_view x = a.substr(0, a.find('.')), y = b.substr(0, b.find('.'));
    const bool numbers = is_number(x) && is_number(y);
    if (x != y && !numbers) break;
    out += (out.empty() ? "" : ".") + (x == y ? std::string(x) : "*");
    a.remove_prefix(std::min(a.size(), x.size() + 1));
    b.remove_prefix(std::min(b.size(), y.size() + 1));
  }
  return out;
}

std::string all_numbers_alike(std::string_view path) {
  std::string out;
  while (!path.empty()) {
    const std::string_view x = path.substr(0, path.find('.'));
    out += (out.empty() ? "" : ".") + (is_number(x) ? "*" : std::string(x));
    path.remove_prefix(std::min(path.size(), x.size() + 1));
  }
  return out;
}

/// The module of each node: what those of its ops have in common.
class CommonModules {
 public:
  void add(int32_t node, const NodeFacts& facts) {
    if (facts.has_module) take(node, facts.module_path);
  }

  void finish(const ModuleTypes& types, TreeBuilder* b) {
    std::unordered_map<std::string, std::string> alike;  // classes by path without numbers; "" when they differ
    for (const auto& [path, type] : types) {
      const auto [at, first] = alike.emplace(all_numbers_alike(path), type);
      if (!first && at->second != type) at->second.clear();
    }
    for (auto i = static_cast<int32_t>(b->tree_.nodes.size()); i-- > 1;) {
      CostNode& n = b->node(i);
      const auto own = modules_.find(i);
      if (own == modules_.end()) continue;
      const std::string path = own->second;  // taking may move it
      take(n.parent, path);
      if (n.kind != CostKind::Frame && n.kind != CostKind::Node) continue;
      n.path = b->keep(path);
      if (n.kind != CostKind::Frame) continue;
      const auto exact = types.find(path);
      const auto like = alike.find(all_numbers_alike(path));
      n.type = b->keep(exact != types.end() ? exact->second : like != alike.end() ? like->second : std::string());
    }
  }

 private:
  void take(int32_t node, const std::string& path) {
    const auto [at, first] = modules_.try_emplace(node, path);
    if (!first && at->second != path) at->second = common_module(at->second, path);
  }

  std::unordered_map<int32_t, std::string> modules_;
};

class FrameTreeBuilder {
 public:
  FrameTreeBuilder(const Stacks& stacks, const Reasons& reasons, const OpTable& table)
      : stacks_(stacks), reasons_(reasons), table_(table), b_(table) {}

  void add(const OpBlock& block, const Filter* filter) {
    if (!b_.counted(block)) return;
    const int32_t method = b_.method_node(block);
    for (size_t i = block.first_op; i < block.first_op + block.ops; ++i) {
      const OpEntry& op = table_.ops[i];
      if (filter != nullptr && !filter->matches(table_, op)) continue;
      if (b_.counted(op)) add(method, i);
    }
  }

  CostTree finish(const ModuleTypes& types) {
    modules_.finish(types, &b_);
    return b_.finish();
  }

 private:
  void add(int32_t method, size_t index) {
    const OpEntry& op = table_.ops[index];
    double charged = 0;
    bool linked = false;
    for (size_t l = op.first_node; l < op.first_node + op.nodes; ++l) {
      const OpNode& link = table_.nodes[l];
      if (!(link.weight > 0)) continue;
      charged += link.weight;
      const std::vector<StackFrame>& stack = stacks_.of(link.node->id);
      if (stack.empty()) {
        without_line(method, index, static_cast<int32_t>(l), link.weight * op.cost, true);
        continue;
      }
      linked = true;
      const int32_t leaf = leaf_of(method, *link.node, stack);
      charge(leaf, index, static_cast<int32_t>(l), link.weight * op.cost);
    }
    // Weights add up to 1, or to 0 where nobody can be charged.
    if (charged < 1 - 1e-9) without_line(method, index, -1, (1 - charged) * op.cost, linked);
  }

  /// Below the innermost frame the node's operator; found once for each node, however many ops are linked to it.
  int32_t leaf_of(int32_t method, const NodeFacts& facts, const std::vector<StackFrame>& stack) {
    const auto [known, fresh] = leaves_.try_emplace({method, facts.id}, 0);
    if (!fresh) return known->second;
    int32_t at = method;
    for (const StackFrame& f : stack) at = frame(at, f);
    const std::string& type = facts.op.empty() ? facts.name : facts.op;
    const int32_t leaf = b_.child(at, CostKind::Node, type);
    CostNode& n = b_.node(leaf);
    // Of several nodes none speaks for the others.
    n.node = n.type.empty() ? b_.keep(facts.name) : Text();
    n.type = b_.keep(type);
    modules_.add(leaf, facts);
    return known->second = leaf;
  }

  int32_t frame(int32_t parent, const StackFrame& f) {
    const int32_t at =
        b_.child(parent, CostKind::Frame,
                 std::to_string(f.file) + ":" + std::to_string(f.line) + ":" + std::to_string(f.function));
    CostNode& n = b_.node(at);
    if (n.file.empty()) {
      const std::string& function = stacks_.text(f.function);
      n.name = b_.keep(function.empty() ? "?" : function);
      n.file = b_.keep(stacks_.file(f.file));
      n.code = b_.keep(stacks_.text(f.code));
      n.line = f.line;
    }
    return at;
  }

  void without_line(int32_t method, size_t index, int32_t link, double time, bool linked) {
    const OpEntry& op = table_.ops[index];
    const std::string reason = reasons_.of(op, linked);
    // As groups by line have it.
    const char* const whose = linked                   ? "(no line)"
                              : op.kind == "framework" ? "(framework)"
                              : op.encloses            ? "(unattributed)"
                                                       : "(no line)";
    const int32_t outside = b_.child(method, CostKind::Outside, whose);
    b_.node(outside).note = b_.keep("Time that no line of the model asked for; inside of it are the reasons.");
    const int32_t group = b_.child(outside, CostKind::Outside, reason);
    const UnlinkedReason* const known = find_unlinked_reason(reason);
    if (known != nullptr) b_.node(group).note = b_.keep(known->advice);
    const int32_t leaf =
        b_.child(group, op.encloses ? CostKind::Unattributed : CostKind::Call, own_time_title(table_, op));
    CostNode& n = b_.node(leaf);
    n.type = b_.keep(op.kind.str());
    if (n.op < 0) n.op = static_cast<int32_t>(index);
    charge(leaf, index, link, time);
  }

  void charge(int32_t leaf, size_t op, int32_t link, double time) { b_.charge(leaf, op, time, 1, link); }

  const Stacks& stacks_;
  const Reasons& reasons_;
  const OpTable& table_;
  TreeBuilder b_;
  CommonModules modules_;
  std::map<std::pair<int32_t, int64_t>, int32_t> leaves_;  // by method and node
};

}  // namespace

FrameScope scope_of_rule(std::string_view rule) {
  return rule == "user" ? FrameScope::User : rule == "outermost" ? FrameScope::Outermost : FrameScope::Model;
}

Status frame_tree(const Store& store, const OpTable& table, const FrameTreeOptions& options, CostTree* out) {
  ModuleTypes types;
  Stacks stacks(store, options);
  Reasons reasons;
  Status status = load_module_types(store, table.trace_id, &types);
  if (status.ok()) status = stacks.load(table.trace_id);
  if (status.ok()) status = reasons.load(store, table);
  if (!status.ok()) return status;
  FrameTreeBuilder builder(stacks, reasons, table);
  for (const OpBlock& block : table.blocks) builder.add(block, options.filter);
  *out = builder.finish(types);
  return {};
}

}  // namespace et::inspector
