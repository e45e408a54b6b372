// Opens MPS payloads and gives their views.
#include "runtime/format/mps_payload.h"

#include <algorithm>
#include <string>

#include "mps_generated.h"
#include "runtime/format/flat.h"
#include "runtime/format/payload.h"

namespace et::format {
namespace {

constexpr uint64_t kMpsHeader = 24;

/// The flatbuffer and what is behind it, without the header, and the size of the constants.
FileError mps_parts(Span<const uint8_t> payload, Span<const uint8_t>* flat, uint64_t* constants) {
  *flat = payload;
  *constants = 0;
  // A flatbuffer begins with an offset, which is never 0.
  if (payload.size() < 8 || read<uint32_t>(payload, 0) != 0) return FileError::none();
  if (payload.size() < kMpsHeader) return invalid_payload(0, "MPS header", "24 bytes");
  const auto from = read<uint64_t>(payload, 8), length = read<uint64_t>(payload, 16);
  if (from < kMpsHeader || !inside(from, length, payload.size()))
    return invalid_payload(8, "MPS header constants", "an offset behind the header and a size inside the payload");
  *flat = payload.subspan(kMpsHeader, static_cast<size_t>(from - kMpsHeader));
  *constants = length;
  return FileError::none();
}

/// Fields of an operator's table that hold value ids; kNone ends a list that is shorter.
constexpr uint8_t kNone = 255;
struct Layout {
  char letter;
  uint8_t inputs[5] = {kNone, kNone, kNone, kNone, kNone};
  uint8_t outputs[3] = {kNone, kNone, kNone};
  uint8_t input_list = kNone, output_list = kNone;
};
constexpr Layout kLayouts[] = {
    {'1', {0, kNone, kNone, kNone, kNone}, {1, kNone, kNone}},
    {'r', {0, kNone, kNone, kNone, kNone}, {2, kNone, kNone}},
    {'2', {0, 1, kNone, kNone, kNone}, {2, kNone, kNone}},
    {'3', {0, 1, 2, kNone, kNone}, {3, kNone, kNone}},
    {'s', {0, 3, kNone, kNone, kNone}, {1, kNone, kNone}},
    {'t', {0, kNone, kNone, kNone, kNone}, {2, kNone, kNone}, 1},
    {'p', {0, 3, kNone, kNone, kNone}, {4, kNone, kNone}, 1},
    {'c', {0, 3, 4, kNone, kNone}, {1, kNone, kNone}},
    {'l', {kNone, kNone, kNone, kNone, kNone}, {1, kNone, kNone}, 0},
    {'d', {0, kNone, kNone, kNone, kNone}, {kNone, kNone, kNone}, kNone, 1},
    {'b', {0, 1, 2, 3, 4}, {8, 7, 9}},
    {'n', {0, 2, 3, kNone, kNone}, {6, 5, 7}},
    {'o', {0, kNone, kNone, kNone, kNone}, {14, kNone, kNone}},
    {'x', {0, kNone, kNone, kNone, kNone}, {14, 15, kNone}},
    {'a', {kNone, kNone, kNone, kNone, kNone}, {0, kNone, kNone}},
    {'q', {0, 2, 3, kNone, kNone}, {1, kNone, kNone}},
};
/// By operator, in the order of the union: the layout of its table.
constexpr std::string_view kLayoutOf =
    "1r1111222222222222221111111111111111111111111"
    "1111111231113s2tpc1111l11111d133222222bnxo1aq";
static_assert(kLayoutOf.size() == static_cast<size_t>(mps_fb::Op::MAX));

const Layout* layout_of(mps_fb::Op op) {
  const auto number = static_cast<size_t>(op);
  if (number == 0 || number > kLayoutOf.size()) return nullptr;
  const auto at = std::find_if(std::begin(kLayouts), std::end(kLayouts),
                               [&](const Layout& l) { return l.letter == kLayoutOf[number - 1]; });
  return at == std::end(kLayouts) ? nullptr : &*at;
}

/// Ids of values; a negative one stands for none.
void add_ids(const flatbuffers::Table& table, Span<const uint8_t> fields, uint8_t list, std::vector<int32_t>* out) {
  constexpr auto kField = [](uint8_t n) { return static_cast<flatbuffers::voffset_t>(4 + 2 * n); };
  for (const uint8_t field : fields) {
    if (field == kNone) break;
    if (const auto id = table.GetField<int32_t>(kField(field), 0); id >= 0) out->push_back(id);
  }
  if (list == kNone) return;
  for (const int32_t id : span_of(table.GetPointer<const flatbuffers::Vector<int32_t>*>(kField(list)))) {
    if (id >= 0) out->push_back(id);
  }
}

MpsOperator read_op(const mps_fb::Node* node) {
  MpsOperator out;
  const Layout* const layout = node == nullptr || node->op() == nullptr ? nullptr : layout_of(node->op_type());
  if (layout == nullptr) return out;
  out.name = mps_fb::EnumNameOp(node->op_type());
  if (out.name.ends_with("Op")) out.name.remove_suffix(2);
  const auto& table = *static_cast<const flatbuffers::Table*>(node->op());
  add_ids(table, layout->inputs, layout->input_list, &out.inputs);
  add_ids(table, layout->outputs, layout->output_list, &out.outputs);
  return out;
}

FileError check_mps(const mps_fb::Graph& graph, uint64_t constants, uint64_t base, size_t size) {
  const uint32_t values = count_of(graph.values());
  const auto known = [&](Span<const int32_t> ids) {
    return std::all_of(ids.begin(), ids.end(),
                       [&](int32_t id) { return id >= 0 && static_cast<uint32_t>(id) < values; });
  };
  Budget budget(size);
  for (uint32_t i = 0; i < count_of(graph.nodes()); ++i) {
    const MpsOperator op = read_op(graph.nodes()->Get(i));
    if (!budget.spend(op.inputs.size() + op.outputs.size()))
      return invalid_payload(base, "MPSGraph.mps_nodes", "lists that together are no longer than the payload", i);
    if (!known(op.inputs) || !known(op.outputs))
      return invalid_payload(base, "MPSGraph.mps_nodes", "numbers of values", i);
  }
  for (uint32_t i = 0; i < values; ++i) {
    const auto* value = graph.values()->Get(i);
    if (!budget.spend(count_of(value->dims())))
      return invalid_payload(base, "MPSTensor.dims", "lists that together are no longer than the payload", i);
    const bool behind = value->constant_size() > 0 && value->constant() == nullptr;
    if (behind && constants > 0 && !inside(value->segment_offset(), value->constant_size(), constants))
      return invalid_payload(base, "MPSTensor.segment_offset", "an offset and size inside the constants", i);
  }
  if (!known(span_of(graph.input_ids())) || !known(span_of(graph.output_ids())) ||
      !known(span_of(graph.constant_ids())))
    return invalid_payload(base, "MPSGraph.input_ids", "numbers of values");
  return FileError::none();
}

}  // namespace

const char* mps_dtype_name(int32_t type) {
  constexpr const char* kNames[] = {"invalid", "float16", "float32", "float64", "bfloat16",  "int4",
                                    "int8",    "int16",   "int32",   "int64",   "uint4",     "uint8",
                                    "uint16",  "uint32",  "uint64",  "bool",    "complex32", "complex64"};
  return type >= 0 && type < 18 ? kNames[type] : "unknown";
}

FileError MpsPayload::open(Span<const uint8_t> payload, MpsPayload* out) {
  *out = {};
  Span<const uint8_t> flat;
  uint64_t constants = 0;
  if (FileError e = mps_parts(payload, &flat, &constants); !e.ok()) return e;
  const auto base = static_cast<uint64_t>(flat.data() - payload.data());
  if (!fits_flatbuffer(flat.size())) return invalid_payload(base, "MPS graph", "a flatbuffer of 8 bytes to 2 GiB");
  if (!has_magic(flat, 4, "MP00")) {
    return failure(Error::DelegateInvalidCompatibility, base + 4, "MPS identifier", "MP00");
  }
  if (!aligned(flat.data(), 8)) {
    return failure(Error::InvalidArgument, base, "buffer", "a start address that is a multiple of 8");
  }
  flatbuffers::Verifier verifier(flat.data(), flat.size(), verifier_options(flat.size()));
  if (!verifier.VerifyBuffer<mps_fb::Graph>(nullptr)) {
    return invalid_payload(base, "MPS graph", "a valid flatbuffer (a table, vector or string is out of bounds)");
  }
  const auto* graph = flatbuffers::GetRoot<mps_fb::Graph>(flat.data());
  if (FileError e = check_mps(*graph, constants, base, flat.size()); !e.ok()) return e;
  out->graph_ = graph;
  out->constant_bytes_ = constants;
  return FileError::none();
}

std::string_view MpsPayload::version() const { return graph_ ? view(graph_->version()) : std::string_view(); }
bool MpsPayload::is_metal_kernel() const { return graph_ && graph_->graph_type() == 1; }
uint32_t MpsPayload::operator_count() const { return graph_ ? count_of(graph_->nodes()) : 0; }
MpsOperator MpsPayload::op(uint32_t i) const { return read_op(graph_ ? element(graph_->nodes(), i) : nullptr); }
uint32_t MpsPayload::value_count() const { return graph_ ? count_of(graph_->values()) : 0; }
MpsValue MpsPayload::value(uint32_t i) const {
  const auto* v = graph_ ? element(graph_->values(), i) : nullptr;
  if (v == nullptr) return {};
  return {v->datatype(), span_of(v->dims()), v->constant_size()};
}
Span<const int32_t> MpsPayload::input_ids() const {
  return graph_ ? span_of(graph_->input_ids()) : Span<const int32_t>();
}
Span<const int32_t> MpsPayload::output_ids() const {
  return graph_ ? span_of(graph_->output_ids()) : Span<const int32_t>();
}
Span<const int32_t> MpsPayload::constant_ids() const {
  return graph_ ? span_of(graph_->constant_ids()) : Span<const int32_t>();
}

}  // namespace et::format
