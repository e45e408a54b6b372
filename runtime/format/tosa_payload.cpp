// Opens TOSA payloads and gives their views.
#include "runtime/format/tosa_payload.h"

#include "runtime/format/flat.h"
#include "runtime/format/tosa_tables.h"
#include "tosa_generated.h"

namespace et::format {

namespace {

/// The lists of names, which the schema declares as offsets.
class NameChecker {
 public:
  NameChecker(Span<const uint8_t> payload, const flatbuffers::Verifier& verifier)
      : payload_(payload), verifier_(verifier), budget_(payload.size()) {}

  FileError block(const tosa_fb::TosaBasicBlock& b) {
    if (FileError e = names(b.inputs(), "TosaBasicBlock.inputs"); !e.ok()) return e;
    if (FileError e = names(b.outputs(), "TosaBasicBlock.outputs"); !e.ok()) return e;
    for (uint32_t i = 0; i < count_of(b.operators()); ++i) {
      const auto* op = b.operators()->Get(i);
      if (FileError e = names(op->inputs(), "TosaOperator.inputs"); !e.ok()) return e;
      if (FileError e = names(op->outputs(), "TosaOperator.outputs"); !e.ok()) return e;
    }
    return FileError::none();
  }

 private:
  FileError names(const flatbuffers::Vector<uint32_t>* list, const char* field) {
    const uint32_t n = count_of(list);
    if (n == 0) return FileError::none();
    const uint64_t at = static_cast<uint64_t>(list->Data() - payload_.data());
    if (!budget_.spend(n)) return invalid_payload(at, field, "lists that together are no longer than the payload");
    for (uint32_t i = 0; i < n; ++i) {
      const size_t place = static_cast<size_t>(at) + 4 * size_t{i};
      const uint32_t offset = verifier_.VerifyOffset(place);
      if (offset == 0 ||
          !verifier_.VerifyString(reinterpret_cast<const flatbuffers::String*>(payload_.data() + place + offset))) {
        return invalid_payload(place, field, "a string inside the payload", i);
      }
    }
    return FileError::none();
  }

  Span<const uint8_t> payload_;
  const flatbuffers::Verifier& verifier_;
  Budget budget_;
};

}  // namespace

FileError TosaPayload::open(Span<const uint8_t> payload, TosaPayload* out) {
  *out = TosaPayload();
  if (!fits_flatbuffer(payload.size())) return invalid_payload(0, "TosaGraph", "a flatbuffer of 8 bytes to 2 GiB");
  if (std::memcmp(payload.data() + 4, "TOSA", 4) != 0) {
    return failure(Error::DelegateInvalidCompatibility, 4, "TOSA identifier", "TOSA");
  }
  if (!aligned(payload.data(), 8)) {
    return failure(Error::InvalidArgument, 0, "buffer", "a start address that is a multiple of 8");
  }
  flatbuffers::Verifier verifier(payload.data(), payload.size(), verifier_options(payload.size()));
  if (!verifier.VerifyBuffer<tosa_fb::TosaGraph>(nullptr)) {
    return invalid_payload(0, "TosaGraph", "a valid flatbuffer (a table, vector or string is out of bounds)");
  }
  const auto* graph = flatbuffers::GetRoot<tosa_fb::TosaGraph>(payload.data());
  if (graph->version() == nullptr) return invalid_payload(0, "TosaGraph.version", "a version");
  NameChecker names(payload, verifier);
  for (uint32_t r = 0; r < count_of(graph->regions()); ++r) {
    const auto* blocks = graph->regions()->Get(r)->blocks();
    for (uint32_t b = 0; b < count_of(blocks); ++b) {
      if (FileError e = names.block(*blocks->Get(b)); !e.ok()) return e;
    }
  }
  out->graph_ = graph;
  return FileError::none();
}

TosaVersion TosaPayload::version() const {
  const auto* v = valid() ? graph_->version() : nullptr;
  return v == nullptr ? TosaVersion() : TosaVersion{v->_major(), v->_minor(), v->_patch(), v->_draft()};
}
uint32_t TosaPayload::region_count() const { return valid() ? count_of(graph_->regions()) : 0; }
TosaRegion TosaPayload::region(uint32_t i) const {
  return valid() ? TosaRegion(element(graph_->regions(), i)) : TosaRegion();
}

TosaBlock TosaPayload::main_block() const {
  for (uint32_t r = 0; r < region_count(); ++r) {
    if (region(r).name() != "main") continue;
    for (uint32_t b = 0; b < region(r).block_count(); ++b) {
      if (region(r).block(b).name() == "main") return region(r).block(b);
    }
  }
  return region(0).block(0);
}

std::string_view TosaRegion::name() const { return valid() ? view(region_->name()) : std::string_view(); }
uint32_t TosaRegion::block_count() const { return valid() ? count_of(region_->blocks()) : 0; }
TosaBlock TosaRegion::block(uint32_t i) const {
  return valid() ? TosaBlock(element(region_->blocks(), i)) : TosaBlock();
}

std::string_view TosaBlock::name() const { return valid() ? view(block_->name()) : std::string_view(); }
uint32_t TosaBlock::operator_count() const { return valid() ? count_of(block_->operators()) : 0; }
TosaOperator TosaBlock::op(uint32_t i) const {
  return valid() ? TosaOperator(element(block_->operators(), i)) : TosaOperator();
}
uint32_t TosaBlock::tensor_count() const { return valid() ? count_of(block_->tensors()) : 0; }
TosaTensor TosaBlock::tensor(uint32_t i) const {
  return valid() ? TosaTensor(element(block_->tensors(), i)) : TosaTensor();
}
uint32_t TosaBlock::shape_count() const { return valid() ? count_of(block_->shapes()) : 0; }
TosaShape TosaBlock::shape(uint32_t i) const { return valid() ? TosaShape(element(block_->shapes(), i)) : TosaShape(); }
TosaNames TosaBlock::inputs() const { return valid() ? TosaNames(span_of(block_->inputs())) : TosaNames(); }
TosaNames TosaBlock::outputs() const { return valid() ? TosaNames(span_of(block_->outputs())) : TosaNames(); }
TosaTensor TosaBlock::find_tensor(std::string_view name) const {
  for (uint32_t i = 0; i < tensor_count(); ++i) {
    if (tensor(i).name() == name) return tensor(i);
  }
  return {};
}

std::string_view TosaNames::operator[](uint32_t i) const {
  if (i >= offsets_.size()) return {};
  const auto* place = reinterpret_cast<const uint8_t*>(offsets_.data() + i);
  return view(reinterpret_cast<const flatbuffers::String*>(place + offsets_[i]));
}

uint32_t TosaOperator::op() const { return valid() ? static_cast<uint32_t>(op_->op()) : 0; }
TosaNames TosaOperator::inputs() const { return valid() ? TosaNames(span_of(op_->inputs())) : TosaNames(); }
TosaNames TosaOperator::outputs() const { return valid() ? TosaNames(span_of(op_->outputs())) : TosaNames(); }
std::string_view TosaOperator::location() const {
  const auto* l = valid() ? op_->location() : nullptr;
  return l == nullptr ? std::string_view() : view(l->text());
}

const void* TosaOperator::raw_attribute(uint8_t tag) const {
  return valid() && static_cast<uint8_t>(op_->attribute_type()) == tag ? op_->attribute() : nullptr;
}

uint32_t TosaOperator::attribute_count() const {
  if (!valid() || op_->attribute() == nullptr) return 0;
  return static_cast<uint32_t>(tosa_attribute_fields(static_cast<uint8_t>(op_->attribute_type())).size());
}

TosaAttribute TosaOperator::attribute(uint32_t i) const {
  using Kind = TosaAttribute::Kind;
  TosaAttribute a;
  if (i >= attribute_count()) return a;
  const TosaField& f = tosa_attribute_fields(static_cast<uint8_t>(op_->attribute_type()))[i];
  const auto* table = static_cast<const flatbuffers::Table*>(op_->attribute());
  a.name = f.name;
  a.kind = f.kind;
  switch (f.kind) {
    case Kind::Int:
      a.number = table->GetField<int32_t>(f.slot, 0);
      break;
    case Kind::Bool:
      a.number = table->GetField<uint8_t>(f.slot, 0) != 0;
      break;
    case Kind::Dtype:
    case Kind::NanMode:
    case Kind::ResizeMode:
    case Kind::RoundingMode:
      a.number = table->GetField<uint32_t>(f.slot, 0);
      break;
    case Kind::Ints:
      a.ints = span_of(table->GetPointer<const flatbuffers::Vector<int32_t>*>(f.slot));
      break;
    case Kind::Bytes:
      a.bytes = span_of(table->GetPointer<const flatbuffers::Vector<uint8_t>*>(f.slot));
      break;
    case Kind::String:
      a.text = view(table->GetPointer<const flatbuffers::String*>(f.slot));
      break;
  }
  return a;
}

bool TosaOperator::find_attribute(std::string_view name, TosaAttribute* out) const {
  for (uint32_t i = 0; i < attribute_count(); ++i) {
    TosaAttribute a = attribute(i);
    if (name == a.name) {
      *out = a;
      return true;
    }
  }
  return false;
}

std::string_view TosaTensor::name() const { return valid() ? view(tensor_->name()) : std::string_view(); }
Span<const int32_t> TosaTensor::shape() const { return valid() ? span_of(tensor_->shape()) : Span<const int32_t>(); }
uint32_t TosaTensor::dtype() const { return valid() ? static_cast<uint32_t>(tensor_->type()) : 0; }
Span<const uint8_t> TosaTensor::data() const { return valid() ? span_of(tensor_->data()) : Span<const uint8_t>(); }
uint64_t TosaTensor::outside_offset() const { return outside_size() != 0 ? tensor_->offset() : 0; }
uint64_t TosaTensor::outside_size() const { return valid() && tensor_->offset() > 1 ? tensor_->size() : 0; }
bool TosaTensor::is_variable() const { return valid() && tensor_->variable(); }
bool TosaTensor::is_unranked() const { return valid() && tensor_->is_unranked(); }
std::string_view TosaTensor::variable_name() const {
  return valid() ? view(tensor_->variable_name()) : std::string_view();
}

std::string_view TosaShape::name() const { return valid() ? view(shape_->name()) : std::string_view(); }
uint32_t TosaShape::rank() const { return valid() ? shape_->rank() : 0; }
uint32_t TosaShape::dim_count() const { return valid() ? count_of(shape_->data()) / 8 : 0; }
int64_t TosaShape::dim(uint32_t i) const {
  return i < dim_count() ? read<int64_t>(span_of(shape_->data()), uint64_t{i} * 8) : 0;
}

}  // namespace et::format
