#include "inspector/analysis/ops/group.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "inspector/analysis/ops/called_kernel.h"
#include "inspector/analysis/ops/op_count.h"
#include "inspector/analysis/ops/op_title.h"
#include "inspector/match/operator_name.h"

namespace et::inspector {
namespace {

struct Name {
  GroupBy by;
  const char* text;
  const char* none;
};
constexpr std::array<Name, 8> kNames = {{{GroupBy::Op, "op", ""},
                                         {GroupBy::Type, "type", "(no operator)"},
                                         {GroupBy::Module, "module", "(no module)"},
                                         {GroupBy::Line, "line", "(no line)"},
                                         {GroupBy::Delegate, "delegate", ""},
                                         {GroupBy::Method, "method", "(method unknown)"},
                                         {GroupBy::Frame, "frame", "(no line)"},
                                         {GroupBy::Phase, "phase", ""}}};

constexpr size_t kMostOpsAround = 64;  // in a ring of a damaged store

struct GroupKey {
  bool none = false;
  std::string text;
  auto operator<=>(const GroupKey&) const = default;
};

class Groups {
 public:
  Groups(const OpTable& table, GroupBy by) : table_(table), by_(by), parts_(parts_of(table)) {}

  void add(size_t index) {
    const OpEntry& op = table_.ops[index];
    switch (by_) {
      case GroupBy::Op:
        charge(op, {false, op.encloses ? "(unattributed) in " + op.name : op.name}, "", 1);
        break;
      case GroupBy::Method: {
        const auto& method = table_.block_of(op).method;
        charge(op, {!method, method.value_or(none())}, "", 1);
        break;
      }
      case GroupBy::Delegate:
        charge(op, part_key(parts_[index]), "", 1);
        break;
      case GroupBy::Phase:
        by_phase(index);
        break;
      case GroupBy::Type:
      case GroupBy::Module:
      case GroupBy::Line:
        by_node(op, parts_[index]);
        break;
      case GroupBy::Frame:
        break;
    }
  }

  std::vector<GroupRow> finish() {
    if (by_ == GroupBy::Module) add_inner();
    std::vector<GroupRow> out;
    for (auto& [key, row] : rows_) {
      count(&row);
      row.key = key.text;
      row.none = key.none;
      out.push_back(std::move(row));
    }
    return out;
  }

 private:
  std::string none() const { return kNames[static_cast<size_t>(by_)].none; }

  /// `weight`: of the op's time; `part`: of its samples.
  void charge(const OpEntry& op, const GroupKey& key, const std::string& detail, double weight, double part = 1) {
    GroupRow& row = rows_[key];
    row.self += weight * op.cost;
    row.inner += weight * op.cost;
    if (row.detail.empty()) row.detail = detail;
    // Ops come one after the other, so the last one is enough to count each of them once.
    const auto index = static_cast<uint32_t>(&op - table_.ops.data());
    if (!row.parts.empty() && row.parts.back().op == index) {
      row.parts.back().weight += weight;
      return;
    }
    row.parts.push_back({index, weight});
    const int64_t samples = std::llround(part * static_cast<double>(op.count));
    row.samples += samples;
    if (op.is_wrapper()) wrappers_[{&row, index}] = samples;
  }

  /// A call and its kernel are one op: the call's own time stays, but it ran no second time.
  void count(GroupRow* row) const {
    std::set<uint32_t> left_out;
    std::vector<uint32_t> ops;
    for (const GroupPart& part : row->parts) {
      ops.push_back(part.op);
      const OpEntry& op = table_.ops[part.op];
      if (op.kind != "kernel" || !op.parent || !left_out.insert(*op.parent).second) continue;
      if (const auto at = wrappers_.find({row, *op.parent}); at != wrappers_.end()) row->samples -= at->second;
    }
    row->ops = count_ops(table_, ops);
  }

  /// Loading is init where Method::init is around it. Executions are as the application named them: an op's time is
  /// divided as the executions' time is, so that the phases add up on every basis.
  void by_phase(size_t index) {
    const OpEntry& op = table_.ops[index];
    const OpBlock& block = table_.block_of(op);
    if (block.kind == "load") return charge(op, {false, is_in_init(index) ? "init" : "load"}, "", 1);
    const std::string name = block.kind == "execute" ? "execute" : block.name;
    if (op.role.value_or("") == "plan") return charge(op, {false, "plan"}, "", 1);
    double time = 0, runs = 0;
    for (const BlockPhase& p : block.phases) {
      time += p.total;
      runs += static_cast<double>(p.runs);
    }
    if (block.phases.size() < 2 || !(time > 0)) {
      const bool named = block.phases.size() == 1 && !block.phases.front().name.empty();
      return charge(op, {false, named ? name + ": " + block.phases.front().name : name}, "", 1);
    }
    for (const BlockPhase& p : block.phases) {
      charge(op, {false, p.name.empty() ? name : name + ": " + p.name}, "", p.total / time,
             static_cast<double>(p.runs) / runs);
    }
  }

  bool is_in_init(size_t index) const {
    for (size_t steps = 0; steps < kMostOpsAround; ++steps) {
      if (table_.ops[index].name == "Method::init") return true;
      if (!table_.ops[index].parent) return false;
      index = *table_.ops[index].parent;
    }
    return false;
  }

  void by_node(const OpEntry& op, const OpPart& part) {
    double charged = 0;
    for (size_t i = op.first_node; i < op.first_node + op.nodes; ++i) {
      const OpNode& link = table_.nodes[i];
      if (!(link.weight > 0)) continue;
      const NodeFacts& n = *link.node;
      GroupKey key;
      std::string detail;
      if (by_ == GroupBy::Type) {
        key = {n.op.empty(), n.op};
      } else if (by_ == GroupBy::Line) {
        key = {n.file.empty(), source_place(n)};
        detail = n.code;
      } else {
        key = {!n.has_module, n.module_path};
        detail = n.module_type;
      }
      if (key.none) key.text = none();
      charge(op, key, key.none ? "" : detail, link.weight);
      charged += link.weight;
    }
    // Weights add up to 1, or to 0 where nobody can be charged.
    if (charged <= 0) {
      std::string type = by_ == GroupBy::Type ? type_by_name(called_kernel(table_, op), part) : "";
      const GroupKey key = type.empty() ? nobodys(op, part) : GroupKey{false, std::move(type)};
      charge(op, key, "", 1);
    } else if (charged < 1 - 1e-9) {
      charge(op, {true, none()}, "", 1 - charged);
    }
  }

  /// Where no node can be charged: whose time it is instead.
  GroupKey nobodys(const OpEntry& op, const OpPart& part) const {
    // Jumps and moves are nobody's operator, and have one name wherever their time stands.
    if (part.part == Part::Framework || (part.part == Part::Control && by_ == GroupBy::Type)) return part_key(part);
    return {true, op.encloses || (part.overhead && part.part == Part::Delegate) ? "(unattributed)" : none()};
  }

  /// Of an op that leads to no graph node, as its event's name has it: "aten::mean.out" of a kernel's, "Convolution" of
  /// a delegate's "Convolution (NHWC, F32) GEMM #1". "": of neither, or time that no event explains.
  static std::string type_by_name(const OpEntry& op, const OpPart& part) {
    if (op.encloses || (part.overhead && part.part == Part::Delegate)) return {};
    const std::string_view name = op.name.str();
    if (op.called) return std::string(op.called.text());
    if (part.part == Part::Kernel) return is_kernel_event(name) ? std::string(kernel_name(name)) : std::string();
    if (part.part != Part::Delegate) return {};
    return std::string(type_of_event(name));
  }

  static GroupKey part_key(const OpPart& part) {
    switch (part.part) {
      case Part::Delegate:
        return {false, part.backend.empty() ? "(unnamed backend)" : part.backend.str()};
      case Part::Kernel:
        return {true, "(kernels)"};
      case Part::Control:
        return {true, "(control flow)"};
      case Part::Framework:
        break;
    }
    return {true, "(framework)"};
  }

  // Modules contain each other by their paths: a.b is inside a, and all are inside the root "".
  void add_inner() {
    std::map<GroupKey, double> sums;
    for (const auto& [key, row] : rows_) {
      if (key.none) continue;
      std::string path = key.text;
      while (!path.empty()) {
        const size_t dot = path.rfind('.');
        path.resize(dot == std::string::npos ? 0 : dot);
        sums[{false, path}] += row.self;
      }
    }
    for (const auto& [key, sum] : sums) rows_[key].inner += sum;
  }

  const OpTable& table_;
  GroupBy by_;
  std::vector<OpPart> parts_;
  std::map<GroupKey, GroupRow> rows_;
  std::map<std::pair<const GroupRow*, uint32_t>, int64_t> wrappers_;  // samples of each
};

}  // namespace

Status parse_group_by(std::string_view text, GroupBy* out) {
  for (const Name& name : kNames) {
    if (text == name.text) {
      *out = name.by;
      return {};
    }
  }
  std::string names;
  for (size_t i = 0; i < kNames.size(); ++i) {
    names += (i == 0 ? "" : i + 1 == kNames.size() ? " or " : ", ");
    names += kNames[i].text;
  }
  return {Error::InvalidArgument, "--group-by '" + std::string(text) + "': expected " + names};
}

const char* group_by_name(GroupBy by) { return kNames[static_cast<size_t>(by)].text; }

double GroupTable::unexplained() const {
  double sum = hidden;
  for (const GroupRow& row : rows) sum += row.self;
  return total - sum;
}

GroupTable group_costs(const OpTable& table, GroupBy by, const Filter& filter) {
  GroupTable out;
  Groups groups(table, by);
  const bool any_execution =
      std::any_of(table.blocks.begin(), table.blocks.end(), [](const OpBlock& b) { return b.kind == "execute"; });
  std::vector<uint32_t> hidden;
  for (const OpBlock& block : table.blocks) {
    if (by != GroupBy::Phase && any_execution && block.kind != "execute") continue;
    out.total += block.cost;
    for (size_t i = block.first_op; i < block.first_op + block.ops; ++i) {
      const OpEntry& op = table.ops[i];
      if (!op.on_trace_clock() || op.count == 0) continue;
      if (filter.matches(table, op)) {
        groups.add(i);
      } else {
        out.hidden += op.cost;
        hidden.push_back(static_cast<uint32_t>(i));
      }
    }
  }
  out.hidden_ops = count_ops(table, hidden);
  out.hides = !hidden.empty();
  out.rows = groups.finish();
  for (GroupRow& row : out.rows) row.share = out.total > 0 ? row.self / out.total : 0;
  std::stable_sort(out.rows.begin(), out.rows.end(),
                   [](const GroupRow& a, const GroupRow& b) { return a.self > b.self; });
  return out;
}

}  // namespace et::inspector
