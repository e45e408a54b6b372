#include "bundled_program/write/bundle_writer.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "bundled_generated.h"
#include "bundled_program/cases/tensor_value.h"

namespace et::bundled {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

constexpr uint32_t kSchemaVersion = 2;
constexpr size_t kTensorAlignment = 16;
constexpr size_t kProgramAlignment = 32;
constexpr uint64_t kMaxBundleBytes = FLATBUFFERS_MAX_BUFFER_SIZE;
// Tables, vector lengths and padding of a value; a name is counted by its length.
constexpr uint64_t kValueOverhead = 160;
constexpr uint64_t kTableOverhead = 96;

Offset<flatbuffers::Vector<uint8_t>> byte_vector(FlatBufferBuilder* fbb, std::span<const uint8_t> bytes,
                                                 size_t alignment) {
  // Upstream's builder aligns empty vectors, too. PreAlign() leaves a length of 0 alone: a length of `alignment` pads
  // alike.
  fbb->PreAlign(bytes.empty() ? alignment : bytes.size(), alignment);
  fbb->StartVector(bytes.size(), 1);
  if (!bytes.empty()) fbb->PushBytes(bytes.data(), bytes.size());
  return {fbb->EndVector(bytes.size())};
}

// Tables are built field by field in the order of their ids, as Python's generated code does; the Create functions of
// C++ sort by size.
Offset<bp_fb::Tensor> tensor_table(FlatBufferBuilder* fbb, const TensorValue& t) {
  fbb->StartVector(t.sizes.size(), sizeof(int32_t));
  for (size_t d = t.sizes.size(); d-- > 0;) fbb->PushElement(t.sizes[d]);
  const Offset<flatbuffers::Vector<int32_t>> sizes(fbb->EndVector(t.sizes.size()));
  const auto data = byte_vector(fbb, t.data, kTensorAlignment);
  const auto dim_order = byte_vector(fbb, t.dim_order, 1);
  bp_fb::TensorBuilder table(*fbb);
  table.add_scalar_type(static_cast<int8_t>(t.scalar_type));
  table.add_sizes(sizes);
  table.add_data(data);
  table.add_dim_order(dim_order);
  return table.Finish();
}

Offset<bp_fb::Double> double_table(FlatBufferBuilder* fbb, double value) {
  // A field that equals its default is left out, and −0 equals 0: it would lose its sign.
  const bool negative_zero = value == 0 && std::signbit(value);
  if (negative_zero) fbb->ForceDefaults(true);
  const auto table = bp_fb::CreateDouble(*fbb, value);
  if (negative_zero) fbb->ForceDefaults(false);
  return table;
}

Offset<bp_fb::Value> value_table(FlatBufferBuilder* fbb, const Value& v) {
  Offset<void> inner;
  bp_fb::ValueUnion tag = bp_fb::ValueUnion::NONE;
  switch (v.kind) {
    case ValueKind::Tensor:
      tag = bp_fb::ValueUnion::Tensor;
      inner = tensor_table(fbb, v.tensor).Union();
      break;
    case ValueKind::Int:
      tag = bp_fb::ValueUnion::Int;
      inner = bp_fb::CreateInt(*fbb, v.as_int).Union();
      break;
    case ValueKind::Bool:
      tag = bp_fb::ValueUnion::Bool;
      inner = bp_fb::CreateBool(*fbb, v.as_bool).Union();
      break;
    case ValueKind::Double:
      tag = bp_fb::ValueUnion::Double;
      inner = double_table(fbb, v.as_double).Union();
      break;
    case ValueKind::None:
      break;
  }
  bp_fb::ValueBuilder table(*fbb);
  table.add_val_type(tag);
  table.add_val(inner);
  return table.Finish();
}

Offset<flatbuffers::Vector<Offset<bp_fb::Value>>> value_list(FlatBufferBuilder* fbb, const std::vector<Value>& values) {
  std::vector<Offset<bp_fb::Value>> tables;
  tables.reserve(values.size());
  for (const Value& v : values) tables.push_back(value_table(fbb, v));
  return fbb->CreateVector(tables);
}

class Writer {
 public:
  Writer(std::span<const uint8_t> program, const CaseSource& cases) : program_(program), cases_(cases) {}

  Status run(FlatBufferBuilder* fbb) {
    fbb_ = fbb;
    if (program_.empty()) return {Error::InvalidArgument, "a bundled program needs a program"};
    if (Status s = spend(program_.size() + kProgramAlignment + kTableOverhead, "the program"); !s.ok()) return s;
    std::vector<size_t> order(cases_.suite_count());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return cases_.method(a) < cases_.method(b); });
    std::vector<Offset<bp_fb::BundledMethodTestSuite>> suites;
    for (size_t s : order) {
      suites.emplace_back();
      if (Status status = suite(s, &suites.back()); !status.ok()) return status;
    }
    const auto list = fbb_->CreateVector(suites);
    const auto program = byte_vector(fbb_, program_, kProgramAlignment);
    bp_fb::BundledProgramBuilder root(*fbb_);
    root.add_version(kSchemaVersion);
    root.add_method_test_suites(list);
    root.add_program(program);
    bp_fb::FinishBundledProgramBuffer(*fbb_, root.Finish());
    return {};
  }

 private:
  Status suite(size_t s, Offset<bp_fb::BundledMethodTestSuite>* out) {
    const std::string_view method = cases_.method(s);
    if (Status status = spend(method.size() + kTableOverhead, std::string(method)); !status.ok()) return status;
    const auto name = fbb_->CreateString(method.data(), method.size());
    std::vector<Offset<bp_fb::BundledMethodTestCase>> tables;
    for (size_t c = 0; c < cases_.case_count(s); ++c) {
      LoadedCase loaded;
      if (Status status = cases_.load(s, c, &loaded); !status.ok()) return status;
      if (Status status = accept(loaded, cases_.place(s, c)); !status.ok()) return status;
      const auto inputs = value_list(fbb_, loaded.inputs);
      const auto expected = value_list(fbb_, loaded.expected);
      bp_fb::BundledMethodTestCaseBuilder table(*fbb_);
      table.add_inputs(inputs);
      table.add_expected_outputs(expected);
      tables.push_back(table.Finish());
    }
    const auto list = fbb_->CreateVector(tables);
    bp_fb::BundledMethodTestSuiteBuilder table(*fbb_);
    table.add_method_name(name);
    table.add_test_cases(list);
    *out = table.Finish();
    return {};
  }

  Status accept(const LoadedCase& loaded, const std::string& place) {
    uint64_t bytes = kTableOverhead;
    for (const auto* list : {&loaded.inputs, &loaded.expected}) {
      for (size_t i = 0; i < list->size(); ++i) {
        const Value& v = (*list)[i];
        const std::string which = (list == &loaded.inputs ? ": input " : ": expected output ") + std::to_string(i);
        if (v.kind == ValueKind::None) return {Error::InvalidArgument, place + which + " has no value"};
        if (v.kind == ValueKind::Tensor) {
          if (const std::string why = tensor_problem(v.tensor); !why.empty()) {
            return {Error::InvalidArgument, place + which + ": " + why};
          }
        }
        bytes += kValueOverhead + v.tensor.data.size() + v.tensor.sizes.size() * 8;
      }
    }
    return spend(bytes, place);
  }

  // Asked before the builder is, which knows no error.
  Status spend(uint64_t bytes, const std::string& place) {
    if (bytes > kMaxBundleBytes - spent_) {
      return {Error::OutOfResources,
              place +
                  ": the bundled program would reach 2 GiB, more than its format supports; put the cases into a "
                  "side-car (--sidecar)"};
    }
    spent_ += bytes;
    return {};
  }

  std::span<const uint8_t> program_;
  const CaseSource& cases_;
  FlatBufferBuilder* fbb_ = nullptr;
  uint64_t spent_ = 0;
};

}  // namespace

struct BundleBytes::Buffer {
  flatbuffers::DetachedBuffer bytes;
};

BundleBytes::BundleBytes() = default;
BundleBytes::~BundleBytes() = default;
BundleBytes::BundleBytes(BundleBytes&&) noexcept = default;
BundleBytes& BundleBytes::operator=(BundleBytes&&) noexcept = default;

std::span<const uint8_t> BundleBytes::bytes() const {
  return buffer_ == nullptr ? std::span<const uint8_t>()
                            : std::span<const uint8_t>(buffer_->bytes.data(), buffer_->bytes.size());
}

Status write_bundle(std::span<const uint8_t> program, const CaseSource& cases, BundleBytes* out) {
  *out = BundleBytes();
  if (program.size() >= kMaxBundleBytes) {
    return {Error::OutOfResources,
            "the program has 2 GiB or more, which a bundled program cannot contain; put the cases "
            "into a side-car (--sidecar)"};
  }
  FlatBufferBuilder fbb(program.size() + size_t{4096});
  if (Status s = Writer(program, cases).run(&fbb); !s.ok()) return s;
  out->buffer_ = std::make_unique<BundleBytes::Buffer>();
  out->buffer_->bytes = fbb.Release();
  return {};
}

}  // namespace et::bundled
