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
#include "inspector/match/operator_name.h"
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
constexpr const char* kOneDimension =
    "A 1-D convolution runs as a 2-D one, which its lowering wraps in a transpose on each side: write it as Conv2d of "
    "height 1 on [N, C, 1, L], then what goes from one to the next stays channels last. ";
constexpr const char* kOwnShapes =
    "The model reshapes or permutes between its convolutions or poolings, and each time channels last ends: do without "
    "(a channel shuffle can be a 1x1 convolution), or do it where the tensor is small. ";
constexpr const char* kInside =
    "What goes from one convolution or pooling to the next without a reshape or permute between stays channels last. ";
constexpr const char* kAtBreaks =
    "Those at graph breaks go with the break, where the operators between are delegated, too. ";
constexpr const char* kKernels =
    "Channels-last inputs would take out others, but the kernels between the delegates then walk with strides, which "
    "may "
    "cost more: measure it. ";

/// What stands inside the calls and around them.
struct Surroundings {
  bool images = false;         ///< an input of the method has four dimensions
  bool one_dimension = false;  ///< a convolution of three
  bool own_shapes = false;     ///< reshapes or permutes of more than three dimensions, not of such a convolution
};

Surroundings look_around(const GraphModel& graph, const std::set<int64_t>& instructions) {
  Surroundings out;
  const auto dims = [](const GraphValue* v) {
    return v == nullptr || v->shape.size() < 3 ? 0 : std::count(v->shape.begin(), v->shape.end(), ',') + 1;
  };
  for (const GraphNode& n : graph.nodes) {
    if (n.part < 0 || !n.instruction || !instructions.contains(*n.instruction)) continue;
    const std::string_view op = operator_base(n.op);
    bool three = false, more = false;
    for (const GraphArgument& a : n.arguments) {
      for (const std::string_view id : identifiers(a.text)) {
        const GraphValue* const v = graph.value(n.scope, std::string(id));
        if (v == nullptr || v->is_constant()) continue;
        three = three || dims(v) == 3;
        more = more || dims(v) > 3;
        out.images = out.images || (v->producer < 0 && dims(v) == 4);
      }
    }
    out.one_dimension = out.one_dimension || (op == "convolution" && three) || op == "conv1d";
    out.own_shapes = out.own_shapes || (more && (op.starts_with("view") || op.starts_with("permute") ||
                                                 op.starts_with("reshape") || op.starts_with("transpose")));
  }
  return out;
}

/// Of kernels outside of delegates that make images, what those take that compute: they would walk with strides.
double image_kernels(const GraphModel& graph) {
  double sum = 0;
  for (const GraphNode& n : graph.nodes) {
    if (n.part < 0 && n.instruction && !only_moves_data(n.op) && std::count(n.shape.begin(), n.shape.end(), ',') == 3)
      sum += n.ns;
  }
  return sum;
}

std::string layout_advice(const Surroundings& around, const DelegationMap& map, double kernels, double transposes) {
  constexpr double kMatters = 0.25;  // kernels between, of the time of the transposes
  std::string text;
  if (around.one_dimension) {
    text = kOneDimension;
  } else if (around.own_shapes) {
    text = kOwnShapes;
  } else if (around.images) {
    const bool between = !map.breaks.empty() && kernels > kMatters * transposes;
    text = between ? kKernels : kChannelsLast;
  } else {
    text = kInside;
  }
  if (!map.breaks.empty()) text += kAtBreaks;
  while (text.ends_with(' ')) text.pop_back();
  return text;
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
    a.what_to_do = layout_advice(look_around(c.graphs()[m], calls), map, image_kernels(c.graphs()[m]), sum);
    a.items = std::move(items);
    a.most_ns = sum;
    a.assumes = "inputs and results have the delegate's layout";
    a.place = worst.place;
    c.add(std::move(a));
  }
}

}  // namespace et::inspector
