// Cases of a bundled program as inputs of a method, and its outputs against what they expect.
#include "executorch/devtools/bundled_program/bundled_program.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "bundled_program/bundle.h"
#include "bundled_program/compare.h"
#include "executorch/runtime/core/exec_aten/util/scalar_type_util.h"
#include "executorch/runtime/core/result.h"
#include "executorch/runtime/platform/log.h"
#include "runtime/core/event_tracer.h"

namespace executorch::bundled_program {
namespace {

using ::et::Error;
using ::et::EValue;
using ::et::Result;
using ::et::ScalarType;
using ::et::Tensor;
using ::et::TensorImpl;
using ::et::bundled::Bundle;
using ::et::bundled::Case;
using ::et::bundled::TensorValue;
using ::et::bundled::Value;
using ::et::bundled::ValueKind;

/// NotSupported: no bundle; InvalidArgument: the bundle has no such case of that method.
Result<Case> find_case(const Method& method, SerializedBundledProgram* bytes, size_t index) {
  Bundle bundle;
  ET_CHECK_OR_RETURN_ERROR(Bundle::of_trusted(bytes, &bundle), NotSupported, "the bytes are no bundled program");
  const std::string_view name = method.method_meta().name();
  for (uint32_t i = 0; i < bundle.suite_count(); ++i) {
    const ::et::bundled::Suite suite = bundle.suite(i);
    if (suite.method() != name) continue;
    ET_CHECK_OR_RETURN_ERROR(index < suite.case_count(), InvalidArgument, "method %s has %u cases, and no case %zu",
                             method.method_meta().name(), static_cast<unsigned>(suite.case_count()), index);
    return suite.test_case(static_cast<uint32_t>(index));
  }
  ET_LOG(Error, "the bundled program has no cases for method %s", method.method_meta().name());
  return Error::InvalidArgument;
}

Error set_tensor(Method& method, const TensorValue& from, size_t index) {
  int32_t strides[::et::kTensorDimensionLimit];
  ET_CHECK_OR_RETURN_ERROR(from.sizes.size() <= ::et::kTensorDimensionLimit &&
                               ::et::dim_order_to_strides(from.sizes, from.dim_order, strides),
                           NotSupported, "input %zu: a tensor of these sizes is not supported", index);
  // A method does not write to what it was given; what it keeps of a bundle is the bundle's.
  TensorImpl impl(from.scalar_type, static_cast<ssize_t>(from.sizes.size()), const_cast<int32_t*>(from.sizes.data()),
                  const_cast<uint8_t*>(from.data.data()), const_cast<uint8_t*>(from.dim_order.data()), strides);
  return method.set_input(EValue(Tensor(&impl)), index);
}

Error set_value(Method& method, const Value& from, size_t index) {
  switch (from.kind) {
    case ValueKind::Tensor:
      return set_tensor(method, from.tensor, index);
    case ValueKind::Int:
      return method.set_input(EValue(from.as_int), index);
    case ValueKind::Bool:
      return method.set_input(EValue(from.as_bool), index);
    case ValueKind::Double:
      return method.set_input(EValue(from.as_double), index);
    case ValueKind::None:
      break;
  }
  ET_LOG(Error, "the bundled program has no input %zu", index);
  return Error::NotSupported;
}

double as_double(ScalarType type, const void* data, ssize_t index) {
#define ET_READ(ctype, name) \
  case ScalarType::name:     \
    return static_cast<double>(static_cast<const ctype*>(data)[index]);
  switch (type) {
    ET_FORALL_REALHBBF16_TYPES(ET_READ)
    default:
      return NAN;
  }
#undef ET_READ
}

bool is_number(ScalarType type) {
#define ET_IS(ctype, name) \
  case ScalarType::name:   \
    return true;
  switch (type) {
    ET_FORALL_REALHBBF16_TYPES(ET_IS)
    default:
      return false;
  }
#undef ET_IS
}

/// False: the two do not have the same elements in the same order.
bool same_layout(const Tensor& got, const TensorValue& want) {
  return got.scalar_type() == want.scalar_type && got.sizes().equals(want.sizes) &&
         got.dim_order().equals(want.dim_order);
}

}  // namespace

Error load_bundled_input(Method& method, SerializedBundledProgram* bytes, size_t testset_idx) {
  const Result<Case> found = find_case(method, bytes, testset_idx);
  if (!found.ok()) return found.error();
  for (size_t i = 0; i < method.inputs_size(); ++i) {
    const Error error = set_value(method, found->input(static_cast<uint32_t>(i)), i);
    ET_CHECK_OR_RETURN_ERROR(error == Error::Ok, NotSupported, "input %zu of case %zu cannot be set", i, testset_idx);
  }
  if (method.get_event_tracer() != nullptr) {
    method.get_event_tracer()->set_bundled_input_index(static_cast<int>(testset_idx));
  }
  return Error::Ok;
}

ErrorStats compute_method_output_error_stats(Method& method, SerializedBundledProgram* bytes, size_t testset_idx) {
  const Result<Case> found = find_case(method, bytes, testset_idx);
  if (!found.ok() || found->expected_count() == 0) return {Error::InvalidArgument, 0, 0, 0, 0};
  ErrorStats out{Error::Ok, 0, 0, 0, 0};
  constexpr double kLeast = 1e-8;  // of what an error is relative to
  int64_t count = 0;
  for (size_t i = 0; i < method.outputs_size(); ++i) {
    const Value want = found->expected(static_cast<uint32_t>(i));
    const EValue& output = method.get_output(i);
    if (want.kind != ValueKind::Tensor || !output.isTensor()) return {Error::NotSupported, 0, 0, 0, 0};
    const Tensor got = output.toTensor();
    if (!same_layout(got, want.tensor)) return {Error::InvalidArgument, 0, 0, 0, 0};
    if (!is_number(got.scalar_type())) return {Error::NotSupported, 0, 0, 0, 0};
    for (ssize_t e = 0; e < got.numel(); ++e) {
      const double a = as_double(got.scalar_type(), got.const_data_ptr(), e);
      const double b = as_double(got.scalar_type(), want.tensor.data.data(), e);
      const double error = std::fabs(a - b);
      const double relative = error / std::max({std::fabs(a), std::fabs(b), kLeast});
      out.mean_abs_error += error;
      out.mean_relative_error += relative;
      out.max_abs_error = std::max(out.max_abs_error, error);
      out.max_relative_error = std::max(out.max_relative_error, relative);
    }
    count += got.numel();
  }
  if (count > 0) {
    out.mean_abs_error /= static_cast<double>(count);
    out.mean_relative_error /= static_cast<double>(count);
  }
  return out;
}

Error verify_method_outputs(Method& method, SerializedBundledProgram* bytes, size_t testset_idx, double rtol,
                            double atol) {
  const Result<Case> found = find_case(method, bytes, testset_idx);
  if (!found.ok()) return found.error();
  ET_CHECK_OR_RETURN_ERROR(found->expected_count() > 0, NotSupported, "case %zu expects nothing", testset_idx);
  for (size_t i = 0; i < method.outputs_size(); ++i) {
    const Value want = found->expected(static_cast<uint32_t>(i));
    const EValue& output = method.get_output(i);
    ET_CHECK_OR_RETURN_ERROR(want.kind == ValueKind::Tensor, NotSupported,
                             "case %zu: what it expects of output %zu is no tensor", testset_idx, i);
    ET_CHECK_OR_RETURN_ERROR(output.isTensor(), NotFound, "output %zu is no tensor", i);
    const Tensor got = output.toTensor();
    const bool exact = !::executorch::runtime::isFloatingType(got.scalar_type());
    const ::et::bundled::Comparison result = ::et::bundled::compare(
        got, want.tensor, exact ? ::et::bundled::Tolerance{} : ::et::bundled::Tolerance{rtol, atol});
    ET_CHECK_OR_RETURN_ERROR(result.passed(), NotFound, "case %zu: output %zu differs: %s", testset_idx, i,
                             ::et::bundled::mismatch_name(result.mismatch));
  }
  return Error::Ok;
}

Error get_program_data(void* file_data, size_t file_data_len, const void** out_program_data,
                       size_t* out_program_data_len) {
  ET_CHECK_OR_RETURN_ERROR(is_bundled_program(file_data, file_data_len), NotSupported,
                           "the file is no bundled program");
  Bundle bundle;
  const ::et::FileError error = Bundle::open({static_cast<const uint8_t*>(file_data), file_data_len}, &bundle);
  ET_CHECK_OR_RETURN_ERROR(error.ok(), InvalidProgram, "the bundled program is damaged: %s: expected %s", error.field,
                           error.expected);
  *out_program_data = bundle.program().data();
  *out_program_data_len = bundle.program().size();
  return Error::Ok;
}

bool is_bundled_program(void* file_data, size_t file_data_len) {
  return file_data != nullptr && Bundle::is_bundle({static_cast<const uint8_t*>(file_data), file_data_len});
}

}  // namespace executorch::bundled_program
