// Advice: what makes a program slow, large or hungry for memory, and what to do about it in the model's code or its
// export. One rule a file, one row a rule (advice.def); et-inspect findings, doctor and the window read the same list.
// A rule speaks only where the trace proves what it says: a reader who knows the model has to agree.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "inspector/analysis/advice/consumers.h"
#include "inspector/analysis/advice/needs.h"
#include "inspector/analysis/delegation/delegation_map.h"
#include "inspector/analysis/memory/memory_plan.h"
#include "inspector/analysis/ops/interruptions.h"
#include "inspector/analysis/ops/op_table.h"
#include "inspector/analysis/size/program_size.h"
#include "inspector/analysis/work/roofline.h"
#include "inspector/store/store.h"

namespace et::inspector {

/// Where in the model it is; parts that are not known are empty.
struct AdvicePlace {
  int64_t op_id = 0;  ///< 0: no op of the trace
  std::string file, module, node;
  int64_t line = 0;
  int64_t instruction = -1;  ///< of a delegate's call; -1 without one
};

/// A number that a finding rests on.
struct AdviceFact {
  enum class Unit : uint8_t { Time, Bytes, Count, Share, Gflops, Gops, Gbytes };
  std::string what;  ///< "time outside of the delegates"
  double value = 0;
  Unit unit = Unit::Time;  ///< Time: in ticks; Gflops, Gops (of integers), Gbytes: 10^9 a second
};

/// The fact of copies that go away with what a finding is about; they are in its saving, and in no time of its ops.
inline constexpr const char* kCopiesAtBreaks = "copies and transposes at them";

/// One of the ops, nodes or calls that a finding is about.
struct AdviceItem {
  std::string title;  ///< as op_title() calls it
  double ns = 0;      ///< of an execution, in ticks
  AdvicePlace place;
};

struct Advice {
  std::string id;     ///< "graph-break", stable
  std::string title;  ///< what it is about, in a few words without numbers of time: "aten.where.self outside …"
  std::string text;   ///< what was found, with its numbers
  std::string what_to_do;
  double most_ns = 0;      ///< at most so much of an execution is won, in ticks; 0 where it is not time, or not known
  int64_t most_bytes = 0;  ///< of the program or the arenas
  bool open = false;       ///< costly, but no rule knows what would spare it: `most_ns` is what rates leave, 0 unknown
  std::string assumes;     ///< what `most_ns` takes for granted; "" without it
  std::optional<double> roof_win = {};  ///< what the roofline would have the same ops win, in ticks, where it is known
  double work_ns = 0;                   ///< of `most_ns`, the time of work that somebody still has to do
  std::string method;                   ///< "" for the whole program
  AdvicePlace place;
  std::vector<AdviceFact> facts;
  std::vector<AdviceItem> items;  ///< the most time first; empty where `place` is all
  std::vector<AdviceItem> along;  ///< ops that go with it and are in `most_ns`, but that it is not about
  std::string overlap;            ///< what of it findings before it win as well: "1.38 ms of it …"; "" for nothing

  /// The smaller of its bounds: of work that stays, no more goes than the roofline leaves.
  double likely_ns() const { return most_ns - (roof_win ? std::max(0.0, work_ns - *roof_win) : 0); }
  /// By which findings come, and which is named first: what it assumes is named with it.
  double ranked_ns() const { return assumes.empty() ? likely_ns() : most_ns; }
};

/// A node that computes the same in every execution.
struct ConstantNode {
  size_t node = 0;    ///< index into GraphModel::nodes
  bool left = false;  ///< it starts from what exporters leave in the program (aten.full)
};

/// What the rules share; each part is read once, when a rule first asks for it.
class AdviceContext {
 public:
  AdviceContext(const Store& store, const OpTable& shown, const MachinePeaks* machine = nullptr);

  const Store& store() const { return store_; }
  const OpTable& shown() const { return shown_; }
  const std::vector<DelegationMap>& maps();
  const MemoryPlan& memory();
  /// With roofs where peaks were given, or the trace names its processor and this host's peaks are of it; empty for a
  /// trace in cycles.
  const Roofline& work();
  const WorkOfNodes& nodes();
  const ProgramSize* program();             ///< nullptr without a program, or where its file is gone
  const std::vector<GraphModel>& graphs();  ///< of the maps, by index; without nodes where there is no graph
  /// Nodes of graphs()[graph] that compute the same in every execution, by index.
  const std::vector<ConstantNode>& constant_nodes(size_t graph);
  /// The instructions of those that run as kernels.
  std::set<int64_t> constant_instructions(size_t graph);
  /// Kernels that the rule on scaled_dot_product_attention speaks of, so that no other does.
  std::set<int64_t> safe_softmax_instructions(size_t graph);
  /// Of the execution of a method, on the basis; of all for "".
  double total(const std::string& method) const;
  /// Of it, what its ops usually take. Limits are shares of this, as noise is not time that a program could save.
  double usual(const std::string& method) const;
  /// One that ran a hundred times as often as another has a hundred times its weight; 1 where times say so already.
  double weight_of(const std::string& method) const;
  /// That ran.
  std::set<std::string> methods() const;
  std::string time(double ticks) const;  ///< "12.3 µs"
  std::string share(double ticks, const std::string& method) const;
  /// Adds a time and its share of the execution of the advice's method.
  void add_time(Advice* advice, std::string what, double ticks) const;

  /// Where the node of an instruction outside of delegates is; without parts that are not known.
  static AdvicePlace place_in(const DelegationMap& map, int64_t instruction);
  /// Where the node is that an op's time is charged to.
  AdvicePlace place_of(const RooflineRow& row) const;

  /// ", all of it aten.cat", ", most of it aten.cat (3 µs)", ", the largest part …": what a sum is made of. `kinds`: of
  /// how many operators it is.
  std::string largest_part(const std::string& name, double ns, double sum, size_t kinds) const;

  /// What could win less than kLeastTime is left out.
  void add(Advice advice);
  const std::vector<Advice>& found() const { return found_; }
  std::vector<Advice> take();

 private:
  const Store& store_;
  const OpTable& shown_;
  const MachinePeaks* machine_;  // that were given, else nullptr
  bool several_methods_ = false;
  std::optional<std::vector<DelegationMap>> maps_;
  std::optional<MemoryPlan> memory_;
  std::optional<Roofline> work_;
  std::optional<WorkOfNodes> nodes_;
  std::optional<ProgramSize> program_;
  std::optional<std::vector<GraphModel>> graphs_;
  std::optional<std::vector<std::vector<ConstantNode>>> constant_nodes_;
  std::vector<Advice> found_;
};

/// So little of what the ops of an execution usually take is not worth a word.
inline constexpr double kLeastShare = 0.03;
inline constexpr double kLeastTime = 1000;  // ns

/// What is to be known beside what the rules find.
struct AdviceNotes {
  std::vector<Interruption> left_out;  ///< which no rule takes for time of an op
  std::vector<Consumer> silent;        ///< of which no rule speaks
  uint32_t missing = 0;                ///< what rules need and the trace does not have (advice_needs)
};

/// What the rules find, what is likely to win the most first. Without peaks of the trace's machine those of this host
/// are taken where they are of its processor. Errors: InvalidExternalData (damaged store).
Status find_advice(const Store& store, const OpTable& shown, std::vector<Advice>* out,
                   const MachinePeaks* machine = nullptr, AdviceNotes* notes = nullptr);

/// Rules, for lists of them: id, what it needs and what it looks for.
struct AdviceRule {
  const char* id;
  uint32_t needs;  ///< of advice_needs: without these it cannot look
  const char* summary;
  void (*find)(AdviceContext& context);
};
const std::vector<AdviceRule>& advice_rules();

}  // namespace et::inspector
