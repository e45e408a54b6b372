// Transposes that XNNPACK's lowering puts between a model's layout (channels first) and its own (channels last). Only
// XNNPACK's: how another backend's are spared is not known here.
#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "inspector/analysis/advice/advice.h"
#include "inspector/analysis/ops/op_title.h"
#include "inspector/text/words.h"

namespace et::inspector {
namespace {

constexpr std::string_view kXnnpack = "XnnpackBackend";
constexpr double kLeastOfTransposes = 5000;  // ns: of events in whole microseconds less is a step or two of the clock

/// Tried with ExecuTorch 1.5: such example inputs alone take the transposes out of the payload, of float and of
/// quantised programs; with the model's weights channels last as well, its lowering ends with an error.
constexpr const char* kChannelsLast =
    "Export with channels-last example inputs, example.to(memory_format=torch.channels_last), and give the program "
    "such "
    "inputs (images mostly come so): then nothing is transposed on the way in, nor where the result goes on channels "
    "last. Leave the model itself as it is: with model.to(memory_format=torch.channels_last) the lowering of "
    "ExecuTorch "
    "1.5 ends with an error. ";
constexpr const char* kInside =
    "What goes from one convolution or pooling to the next without a reshape or permute between stays channels last. ";
constexpr const char* kAtBreaks =
    "Those at graph breaks go with the break, where the operators between are delegated, too.";

/// A call of one of these instructions reads an input of the method that has four dimensions.
bool reads_images(const GraphModel& graph, const std::set<int64_t>& instructions) {
  for (const GraphNode& n : graph.nodes) {
    if (n.part < 0 || !n.instruction || !instructions.contains(*n.instruction)) continue;
    for (const GraphArgument& a : n.arguments) {
      for (const std::string_view id : identifiers(a.text)) {
        const GraphValue* const v = graph.value(n.scope, std::string(id));
        if (v != nullptr && v->producer < 0 && !v->is_constant() &&
            std::count(v->shape.begin(), v->shape.end(), ',') == 3)
          return true;
      }
    }
  }
  return false;
}

}  // namespace

void advise_delegate_layout(AdviceContext& c) {
  for (size_t m = 0; m < c.maps().size(); ++m) {
    const DelegationMap& map = c.maps()[m];
    double sum = 0;
    std::set<int64_t> calls;
    int64_t count = 0;
    std::vector<AdviceItem> items;
    for (const OpBlock& block : c.shown().blocks) {
      if (block.kind != "execute" || block.method.value_or("") != map.method) continue;
      for (size_t i = block.first_op; i < block.first_op + block.ops; ++i) {
        const OpEntry& op = c.shown().ops[i];
        if (op.role.value_or("") != "layout" || op.backend.value_or("") != kXnnpack || !op.on_trace_clock() ||
            op.encloses || op.cost <= 0)
          continue;
        sum += op.cost;
        if (op.instruction_id) calls.insert(*op.instruction_id);
        ++count;
        AdviceItem item = {op.name, op.cost, {}};
        item.place.op_id = op.id;
        item.place.instruction = op.instruction_id.value_or(-1);
        items.push_back(std::move(item));
      }
    }
    if (sum < kLeastShare * c.usual(map.method) || (c.shown().unit == "ns" && sum < kLeastOfTransposes)) continue;
    if (items.empty()) continue;
    const AdviceItem worst = *std::max_element(items.begin(), items.end(),
                                               [](const AdviceItem& a, const AdviceItem& b) { return a.ns < b.ns; });
    Advice a;
    a.id = "delegate-layout";
    a.method = map.method;
    a.title = "XnnpackBackend transposes between layouts";
    c.add_time(&a, "time of transposes that the lowering inserted", sum);
    a.facts.push_back({"of which the costliest", worst.ns, AdviceFact::Unit::Time});
    a.facts.push_back({"transposes", static_cast<double>(count), AdviceFact::Unit::Count});
    a.text = plural(count, "transpose") +
             " that the lowering put into XnnpackBackend, between channels first outside " +
             "and channels last inside, " + (count == 1 ? "takes " : "take ") + c.time(sum) + ", " +
             c.share(sum, map.method) + " of the execution";
    if (count > 1) a.text += "; the costliest is " + worst.title + " (" + c.time(worst.ns) + ")";
    a.what_to_do = std::string(reads_images(c.graphs()[m], calls) ? kChannelsLast : kInside) +
                   (map.breaks.empty() ? "" : kAtBreaks);
    while (a.what_to_do.ends_with(' ')) a.what_to_do.pop_back();
    a.items = std::move(items);
    a.most_ns = sum;
    a.assumes = "inputs and results have the delegate's layout";
    a.place = worst.place;
    c.add(std::move(a));
  }
}

}  // namespace et::inspector
