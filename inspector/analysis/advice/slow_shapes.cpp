#include "inspector/analysis/advice/slow_shapes.h"

#include <algorithm>
#include <array>
#include <optional>

#include "inspector/analysis/work/operator_work.h"
#include "inspector/match/operator_name.h"
#include "inspector/match/type_family.h"
#include "inspector/text/words.h"

namespace et::inspector {
namespace {

constexpr int64_t kFewChannels = 16;

/// Of a convolution, by what keeps its kernel from many operations for each element that it loads.
enum ConvolutionKind : uint8_t { kDepthwise, kFew, kShort, kOther, kKinds };

struct KindOfRows {
  int64_t rows = 0;
  double ns = 0, flops = 0;
  bool integer = false;  // some of them
  double rate() const { return ns > 0 ? flops / ns : 0; }
};

/// Shapes of a convolution's input and weight: channels are the second dimension of both.
struct ConvolutionShapes {
  Shape input, weight;
};

std::optional<ConvolutionShapes> shapes_of(AdviceContext& c, const RooflineRow& row) {
  for (const uint32_t op : row.ops) {
    for (const OpNode* const n : c.shown().own_nodes(c.shown().ops[op])) {
      const auto [model, node] = c.nodes().node(n->node->id);
      if (node == nullptr || type_family(node->op) != TypeFamily::Convolution) continue;
      std::vector<Shape> tensors;  // input, weight, and perhaps a bias
      for (const GraphArgument& argument : node->arguments) {
        for (const std::string_view name : identifiers(argument.text)) {
          const GraphValue* const value = model->value(node->scope, std::string(name));
          const std::optional<Shape> shape = value == nullptr ? std::nullopt : parse_shape(value->shape);
          if (shape && tensors.size() < 2) tensors.push_back(*shape);
        }
      }
      if (tensors.size() == 2 && tensors[0].size() > 2 && tensors[0].size() == tensors[1].size())
        return ConvolutionShapes{tensors[0], tensors[1]};
    }
  }
  return {};
}

std::optional<ConvolutionKind> convolution_kind(AdviceContext& c, const RooflineRow& row) {
  const std::optional<ConvolutionShapes> s = shapes_of(c, row);
  if (!s || !row.work.flops) return {};
  const int64_t channels = s->input[1];
  if (s->weight[1] == 1 && channels > 1) return kDepthwise;
  if (std::min({channels, s->weight[0], s->weight[1]}) <= kFewChannels) return kFew;
  return row.ns < kCallNs * std::max(row.calls, 1.0) ? kShort : kOther;
}

using ConvolutionKinds = std::array<KindOfRows, kKinds>;

std::optional<ConvolutionKinds> kinds_of(AdviceContext& c, const std::vector<const RooflineRow*>& rows) {
  ConvolutionKinds kinds;
  for (const RooflineRow* const row : rows) {
    if (type_family(row->op) != TypeFamily::Convolution) return {};
    const std::optional<ConvolutionKind> kind = convolution_kind(c, *row);
    if (!kind) continue;
    ++kinds[*kind].rows;
    kinds[*kind].integer |= row->work.integer;
    kinds[*kind].ns += row->ns;
    kinds[*kind].flops += *row->work.flops;
  }
  return kinds;
}

std::vector<ConvolutionKind> costliest_first(const ConvolutionKinds& kinds) {
  std::vector<ConvolutionKind> out;
  for (uint8_t k = 0; k < kKinds; ++k) {
    if (kinds[k].rows > 0) out.push_back(static_cast<ConvolutionKind>(k));
  }
  std::stable_sort(out.begin(), out.end(),
                   [&](ConvolutionKind a, ConvolutionKind b) { return kinds[a].ns > kinds[b].ns; });
  return out;
}

/// The kind that takes the most beyond what the fastest kind would take for its operations: what is costliest may be
/// what is fastest. kOther where there is only one, or none that counts.
ConvolutionKind slowest_kind(const ConvolutionKinds& kinds) {
  double best = 0;
  for (const KindOfRows& k : kinds) best = std::max(best, k.rate());
  ConvolutionKind out = kOther;
  double most = -1;
  for (const ConvolutionKind k : costliest_first(kinds)) {
    const double beyond = best > 0 ? kinds[k].ns - kinds[k].flops / best : 0;
    if (beyond > most) most = beyond, out = k;
  }
  return out;
}

std::string kind_name(ConvolutionKind kind) {
  switch (kind) {
    case kDepthwise:
      return "depthwise";
    case kFew:
      return "with at most " + std::to_string(kFewChannels) + " channels on a side";
    case kShort:
      return "shorter than 2 µs";
    default:
      return "others";
  }
}

/// What makes an operator of that kind slow, and what spares it.
std::string by_family(const RooflineRow& row) {
  const bool kernel = row.backend.empty();
  const std::string delegate = "delegate it (for CPUs XnnpackPartitioner)";
  switch (type_family(row.op)) {
    case TypeFamily::Matmul:
      return "Few rows, odd sizes, a transposed weight that is read with strides, or a kernel without vector "
             "instructions: " +
             (kernel ? delegate + ", or " : "") + "batch rows that are computed one by one.";
    case TypeFamily::Reduction:
      return std::string(
                 "A reduction that walks over its input with strides, or element by element: reduce over the "
                 "last dimensions, write it as a pooling or a product with ones") +
             (kernel ? ", or delegate it." : ".");
    case TypeFamily::Softmax:
    case TypeFamily::Normalisation:
      return "Several passes over the values of each row, so short rows cost most for an element: " +
             (kernel ? delegate + ", or " : "") + "use an operator of the backend that does all of it at once.";
    case TypeFamily::Activation:
      return "Costly functions of each element: a cheaper activation (hardswish for SiLU, ReLU for GELU) or a backend "
             "that fuses it with what computes its input.";
    case TypeFamily::Lookup:
      return "Single elements from scattered places: look up whole rows, with indices in order.";
    default:
      break;
  }
  if (multiplies(row.op))
    return "A kernel without vector instructions, or shapes that it is not made for: try another shape or backend.";
  return std::string(
             "Its memory traffic does not explain it: broadcasts, strides, changes of dtype, or a kernel "
             "without vector instructions. ") +
         (kernel ? "Delegate it, or fold it into its producer." : "Fold it into its producer, or try another backend.");
}

}  // namespace

std::string shapes_text(AdviceContext& c, const std::vector<const RooflineRow*>& rows) {
  constexpr double kMatters = 0.01;  // of all: of less nobody wants the rate
  const std::optional<ConvolutionKinds> kinds = kinds_of(c, rows);
  if (!kinds) return "";
  double all = 0;
  for (const KindOfRows& k : *kinds) all += k.ns;
  std::vector<ConvolutionKind> order = costliest_first(*kinds);
  std::erase_if(order, [&](ConvolutionKind k) { return (*kinds)[k].ns < kMatters * all; });
  if (order.empty() || (order.size() == 1 && order.front() == kOther)) return "";
  std::stable_partition(order.begin(), order.end(), [](ConvolutionKind k) { return k != kOther; });
  std::string out;
  for (const ConvolutionKind k : order) {
    const KindOfRows& of = (*kinds)[k];
    out += (out.empty() ? "; " : ", ") + format_count(of.rows) + " " + kind_name(k) + " " + c.time(of.ns) + " (" +
           format_real(of.rate(), of.rate() < 10 ? 1 : 0) + " " + rate_unit(of.integer) + ")";
  }
  return out;
}

std::string what_spares(AdviceContext& c, const std::vector<const RooflineRow*>& rows) {
  const RooflineRow& costliest = **std::max_element(
      rows.begin(), rows.end(), [](const RooflineRow* a, const RooflineRow* b) { return a->ns < b->ns; });
  const std::optional<ConvolutionKinds> kinds = kinds_of(c, rows);
  if (!kinds) return by_family(costliest);
  std::string out;
  if (costliest.backend.empty()) out = "Delegate it (for CPUs XnnpackPartitioner). ";
  switch (slowest_kind(*kinds)) {
    case kDepthwise:
      return out +
             "A depthwise convolution multiplies each element that it loads only by the weights of one channel, so its "
             "kernels are far from the rate of ordinary ones. Where images are large it may pay to have fewer of them: "
             "an earlier stride, or one ordinary convolution in place of the expansion and the depthwise one, as "
             "EfficientNetV2 has in its first stages: more operations at a much better rate. Measure both.";
    case kFew:
      return out +
             "With few channels there is little to do for each element that is loaded, and lanes of vector "
             "instructions stay empty: the same operations are done faster with more channels on smaller images, an "
             "earlier stride, "
             "or pixels folded into channels (pixel_unshuffle) before the first layer. Channels that are multiples of "
             "16 fill vectors.";
    case kShort:
      return out + "Each is so short that calling it counts: fewer, larger layers.";
    default:
      return out +
             "Groups, odd sizes, dilation or few positions may keep a kernel from its rate, or it has no vector "
             "instructions: change the channels to multiples of 16, or try another backend.";
  }
}

}  // namespace et::inspector
