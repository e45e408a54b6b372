#include "bundled_program/record/record.h"

#include <cstring>
#include <memory>
#include <optional>
#include <string>

#include "bundled_program/cases/tensor_value.h"
#include "bundled_program/verify/method_runner.h"

namespace et::bundled {
namespace {

// False: a kind of value that no case can hold.
bool keep(const EValue& v, LoadedCase* out) {
  if (v.isInt()) {
    out->expected.push_back(int_value(v.toInt()));
  } else if (v.isBool()) {
    out->expected.push_back(bool_value(v.toBool()));
  } else if (v.isDouble()) {
    out->expected.push_back(double_value(v.toDouble()));
  } else if (v.isTensor()) {
    const Tensor t = v.toTensor();
    if (t.const_data_ptr() == nullptr && t.nbytes() > 0) return false;
    const TensorValue given = {
        t.scalar_type(), t.sizes(), t.dim_order(), {t.const_data_ptr<uint8_t>(), static_cast<size_t>(t.nbytes())}};
    auto own = std::make_shared<OwnedTensor>(t.scalar_type(), std::vector<int32_t>(t.sizes().begin(), t.sizes().end()));
    const std::vector<uint8_t> rows = reordered(given, own->value.dim_order);
    if (!rows.empty()) std::memcpy(own->data(), rows.data(), rows.size());
    out->expected.push_back(tensor_value(own->value));
    out->owners.push_back(std::move(own));
  } else {
    return false;
  }
  return true;
}

Status keep_outputs(const Method& method, const std::string& place, LoadedCase* out) {
  for (size_t i = 0; i < method.outputs_size(); ++i) {
    const EValue& v = method.get_output(i);
    if (v.isNone() || keep(v, out)) continue;  // cases leave None out
    return {Error::InvalidProgram, place + ": output " + std::to_string(i) + ": the method gives " + tag_name(v.tag) +
                                       (v.isTensor() ? " without data" : "") + ", which test cases do not support"};
  }
  return {};
}

}  // namespace

Status record_expectations(const ProgramFile& file, const CaseSource& cases,
                           const std::function<bool(size_t, size_t)>& wanted, Expectations* out) {
  for (size_t s = 0; s < cases.suite_count(); ++s) {
    size_t end = 0;
    for (size_t c = 0; c < cases.case_count(s); ++c) end = wanted(s, c) ? c + 1 : end;
    if (end == 0) continue;
    MethodRunner runner(file.program(), std::string(cases.method(s)));
    const auto failed = [&](size_t c, const MethodRunner::Problem& p) {
      return Status(Error::InvalidProgram, cases.place(s, c) + ": " + p.reason);
    };
    if (const auto p = runner.load(file.weights(), nullptr); !p.ok()) return failed(0, p);
    for (size_t c = 0; c < end; ++c) {
      LoadedCase test;
      if (Status status = cases.load(s, c, &test); !status.ok()) return status;
      if (const auto p = runner.set_inputs(test); !p.ok()) return failed(c, p);
      if (const auto p = runner.execute(); !p.ok()) return failed(c, p);
      if (!wanted(s, c)) continue;
      if (Status status = keep_outputs(runner.method(), cases.place(s, c), &(*out)[{s, c}]); !status.ok()) {
        return status;
      }
    }
  }
  return {};
}

}  // namespace et::bundled
