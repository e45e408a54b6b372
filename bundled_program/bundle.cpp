#include "bundled_program/bundle.h"

#include <cstring>

#include "bundled_generated.h"
#include "runtime/format/flat.h"

namespace et::bundled {

using et::format::count_of;
using et::format::element;
using et::format::span_of;

namespace {

class Checker {
 public:
  Checker(Span<const uint8_t> file, const bp_fb::BundledProgram& root)
      : file_(file), root_(root), budget_(file.size()) {}

  FileError run() {
    if (root_.program() == nullptr || root_.program()->size() == 0) {
      return invalid(&root_, "BundledProgram.program", "the bytes of a program");
    }
    if (!et::format::aligned(root_.program()->Data(), 16)) {
      return invalid(&root_, "BundledProgram.program", "bytes that start at a multiple of 16");
    }
    for (uint32_t s = 0; s < count_of(root_.method_test_suites()); ++s) {
      const auto* suite = root_.method_test_suites()->Get(s);
      if (suite->method_name() == nullptr) return invalid(suite, "BundledMethodTestSuite.method_name", "a name", s);
      for (uint32_t c = 0; c < count_of(suite->test_cases()); ++c) {
        const auto* test = suite->test_cases()->Get(c);
        if (FileError e = values(test->inputs(), "BundledMethodTestCase.inputs"); !e.ok()) return e;
        if (FileError e = values(test->expected_outputs(), "BundledMethodTestCase.expected_outputs"); !e.ok()) return e;
      }
    }
    return FileError::none();
  }

 private:
  FileError invalid(const void* at, const char* field, const char* expected, int64_t index = -1) const {
    const auto offset = static_cast<uint64_t>(static_cast<const uint8_t*>(at) - file_.data());
    return et::format::failure(Error::InvalidProgram, offset, field, expected, index);
  }

  template <class List>
  FileError values(const List* list, const char* field) {
    for (uint32_t i = 0; i < count_of(list); ++i) {
      const auto* v = list->Get(i);
      if (v->val_type() > bp_fb::ValueUnion::MAX || v->val() == nullptr) {
        return invalid(v, field, "a tensor, an int, a bool or a double", i);
      }
      if (const auto* t = v->val_as_Tensor()) {
        if (FileError e = tensor(*t, field, i); !e.ok()) return e;
      }
    }
    return FileError::none();
  }

  FileError tensor(const bp_fb::Tensor& t, const char* field, uint32_t index) {
    const auto type = static_cast<ScalarType>(t.scalar_type());
    if (element_size(type) == 0) return invalid(&t, field, "a scalar type", index);
    const uint32_t rank = count_of(t.sizes());
    if (rank > 16) return invalid(&t, field, "a tensor of at most 16 dimensions", index);
    if (count_of(t.dim_order()) != rank) return invalid(&t, field, "as many entries of dim_order as sizes", index);
    uint64_t bytes = element_size(type);
    uint32_t seen = 0;
    bool empty = false;
    for (uint32_t d = 0; d < rank; ++d) {
      const int32_t n = t.sizes()->Get(d);
      if (n < 0) return invalid(&t, field, "sizes of 0 or more", index);
      empty = empty || n == 0;
      const uint32_t dim = t.dim_order()->Get(d);
      if (dim >= rank || (seen >> dim & 1u) != 0) return invalid(&t, field, "each dimension once in dim_order", index);
      seen |= 1u << dim;
    }
    for (uint32_t d = 0; d < rank && !empty; ++d) {
      if (!et::format::mul(bytes, static_cast<uint64_t>(t.sizes()->Get(d)), &bytes)) {
        return invalid(&t, field, "a size in bytes below 2^64", index);
      }
    }
    if (empty) bytes = 0;
    if (count_of(t.data()) != bytes) return invalid(&t, field, "exactly the bytes of the tensor's shape", index);
    if (bytes > 0 && !et::format::aligned(t.data()->Data(), element_size(type) < 8 ? element_size(type) : 8)) {
      return invalid(&t, field, "data aligned to the element's size", index);
    }
    if (!budget_.spend(bytes / 4))
      return invalid(&t, field, "tensors that together are no longer than the file", index);
    return FileError::none();
  }

  Span<const uint8_t> file_;
  const bp_fb::BundledProgram& root_;
  et::format::Budget budget_;
};

Value value_of(const bp_fb::Value* v) {
  Value out;
  if (v == nullptr) return out;
  out.kind = static_cast<ValueKind>(v->val_type());
  if (const auto* i = v->val_as_Int()) out.as_int = i->int_val();
  if (const auto* b = v->val_as_Bool()) out.as_bool = b->bool_val();
  if (const auto* d = v->val_as_Double()) out.as_double = d->double_val();
  if (const auto* t = v->val_as_Tensor()) {
    out.tensor = {static_cast<ScalarType>(t->scalar_type()), span_of(t->sizes()), span_of(t->dim_order()),
                  span_of(t->data())};
  }
  return out;
}

}  // namespace

uint32_t Case::input_count() const { return case_ == nullptr ? 0 : count_of(case_->inputs()); }
uint32_t Case::expected_count() const { return case_ == nullptr ? 0 : count_of(case_->expected_outputs()); }
Value Case::input(uint32_t i) const { return value_of(case_ == nullptr ? nullptr : element(case_->inputs(), i)); }
Value Case::expected(uint32_t i) const {
  return value_of(case_ == nullptr ? nullptr : element(case_->expected_outputs(), i));
}

std::string_view Suite::method() const {
  return suite_ == nullptr ? std::string_view() : et::format::view(suite_->method_name());
}
uint32_t Suite::case_count() const { return suite_ == nullptr ? 0 : count_of(suite_->test_cases()); }
Case Suite::test_case(uint32_t i) const { return suite_ == nullptr ? Case() : Case(element(suite_->test_cases(), i)); }

bool Bundle::is_bundle(Span<const uint8_t> file) {
  return file.size() >= 8 && std::memcmp(file.data() + 4, "BP08", 4) == 0;
}

FileError Bundle::open(Span<const uint8_t> file, Bundle* out) {
  *out = Bundle();
  if (!is_bundle(file)) {
    return et::format::failure(Error::InvalidProgram, 4, "file identifier", "BP08 (not a bundled program)");
  }
  if (!et::format::aligned(file.data(), 16)) {
    return et::format::failure(Error::InvalidArgument, 0, "buffer", "a start address that is a multiple of 16");
  }
  if (!et::format::fits_flatbuffer(file.size())) {
    return et::format::failure(Error::InvalidProgram, 0, "BundledProgram", "a flatbuffer below 2 GiB");
  }
  flatbuffers::Verifier verifier(file.data(), file.size(), et::format::verifier_options(file.size()));
  if (!bp_fb::VerifyBundledProgramBuffer(verifier)) {
    return et::format::failure(Error::InvalidProgram, 0, "BundledProgram",
                               "a valid flatbuffer (a table, vector or string is out of bounds or nested too deep)");
  }
  const bp_fb::BundledProgram* root = bp_fb::GetBundledProgram(file.data());
  if (FileError e = Checker(file, *root).run(); !e.ok()) return e;
  out->file_ = file;
  out->root_ = root;
  return FileError::none();
}

bool Bundle::of_trusted(const void* begin, Bundle* out) {
  *out = Bundle();
  if (begin == nullptr || !is_bundle({static_cast<const uint8_t*>(begin), 8})) return false;
  out->root_ = bp_fb::GetBundledProgram(begin);
  return true;
}

uint32_t Bundle::version() const { return root_ == nullptr ? 0 : root_->version(); }
Span<const uint8_t> Bundle::program() const {
  return root_ == nullptr ? Span<const uint8_t>() : span_of(root_->program());
}
uint32_t Bundle::suite_count() const { return root_ == nullptr ? 0 : count_of(root_->method_test_suites()); }
Suite Bundle::suite(uint32_t i) const {
  return root_ == nullptr ? Suite() : Suite(element(root_->method_test_suites(), i));
}

}  // namespace et::bundled
