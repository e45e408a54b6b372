#include "cli/check/new_cases.h"

#include <algorithm>
#include <memory>
#include <random>

#include "bundled_program/cases/tensor_value.h"
#include "bundled_program/write/case_check.h"
#include "cli/check/case_words.h"
#include "cli/run/fill_tensor.h"

namespace et::cli {
namespace {

using bundled::LoadedCase;

/// What follows one --method.
struct Group {
  std::string method;
  bool named = false;
  std::vector<std::string> cases, expect;
};

Status case_usage(std::string text) { return {Error::InvalidArgument, std::move(text)}; }

std::optional<ScalarType> type_of(const format::Method& method, std::span<const int32_t> list, size_t i) {
  if (i >= list.size()) return std::nullopt;
  const format::Value v = method.value(static_cast<uint32_t>(list[i]));
  if (v.kind() != format::ValueKind::Tensor) return std::nullopt;
  return v.as_tensor().scalar_type();
}

// Inputs of the method's own sizes (upper bounds where they are dynamic), numbers as the program has them.
Status filled(const format::Method& method, Fill how, std::mt19937_64* random, const std::string& place,
              LoadedCase* out) {
  for (size_t i = 0; i < method.inputs().size(); ++i) {
    const format::Value v = method.value(static_cast<uint32_t>(method.inputs()[i]));
    switch (v.kind()) {
      case format::ValueKind::Int:
        out->inputs.push_back(bundled::int_value(v.as_int()));
        break;
      case format::ValueKind::Bool:
        out->inputs.push_back(bundled::bool_value(v.as_bool()));
        break;
      case format::ValueKind::Double:
        out->inputs.push_back(bundled::double_value(v.as_double()));
        break;
      case format::ValueKind::Tensor: {
        const format::TensorView t = v.as_tensor();
        constexpr uint64_t kMaxBytes = uint64_t{1} << 40;
        if (t.nbytes() > kMaxBytes) {
          return case_usage(place + ": input " + std::to_string(i) + " has no upper bound; pass it with --case");
        }
        auto own = std::make_shared<HostTensor>(t.scalar_type(), t.sizes());
        fill_tensor(own.get(), how, random);
        const Tensor made = own->tensor();
        out->inputs.push_back(
            bundled::tensor_value({made.scalar_type(), made.sizes(), made.dim_order(), {own->data(), own->size()}}));
        out->owners.push_back(std::move(own));
        break;
      }
      default:
        return case_usage(place + ": input " + std::to_string(i) +
                          ": expected a type that test cases support (tensor, int, float or bool), got " +
                          format::value_kind_name(v.kind()));
    }
  }
  return {};
}

class Builder {
 public:
  Builder(const Arguments& args, const std::string& path, const format::Program& program, NewCases* out)
      : args_(args), path_(path), program_(program), out_(out), random_(seed()) {}

  Status run() {
    std::vector<Group> groups;
    for (const auto& [name, value] : args_.in_order()) {
      if (name == "method") groups.push_back({value, true, {}, {}});
      if (name != "case" && name != "expect") continue;
      if (groups.empty()) groups.emplace_back();
      (name == "case" ? groups.back().cases : groups.back().expect).push_back(value);
    }
    if (groups.empty() && args_.given("fill")) groups.emplace_back();
    for (Group& g : groups) {
      if (Status s = group(&g); !s.ok()) return s;
    }
    return {};
  }

 private:
  uint64_t seed() const { return static_cast<uint64_t>(args_.integer("seed")); }

  Status group(Group* g) {
    std::string method;
    if (Status s = bundled::choose_method(program_, path_, g->method, &method); !s.ok()) {
      return g->named ? Status(s.code(), "--method: " + s.message()) : s;
    }
    if (std::find(out_->methods.begin(), out_->methods.end(), method) == out_->methods.end()) {
      out_->methods.push_back(method);
    }
    if (g->expect.size() > g->cases.size()) {
      return case_usage("--expect: expected at most " + std::to_string(g->cases.size()) +
                        ", one for each --case of method " + method + ", got " + std::to_string(g->expect.size()));
    }
    out_->expectations = out_->expectations || !g->expect.empty();
    for (size_t i = 0; i < g->cases.size(); ++i) {
      if (Status s = add_case(method, g->cases[i], i < g->expect.size() ? &g->expect[i] : nullptr); !s.ok()) return s;
    }
    if (!g->cases.empty() || !args_.given("fill")) return {};
    const std::string place = "--fill for method " + method;
    LoadedCase test;
    if (Status s = filled(program_.method(std::string_view(method)), how(), &random_, place, &test); !s.ok()) return s;
    out_->cases.add(method, std::move(test), place);
    return {};
  }

  Fill how() const {
    const std::string text = args_.text("fill");
    return text == "ones" ? Fill::Ones : text == "zeros" ? Fill::Zeros : Fill::Random;
  }

  Status add_case(const std::string& name, const std::string& words, const std::string* expect) {
    const format::Method method = program_.method(std::string_view(name));
    LoadedCase test;
    const auto input_type = [&](size_t i) { return type_of(method, method.inputs(), i); };
    std::vector<int32_t> outputs;
    for (const uint32_t i : bundled::outputs_in_cases(method)) outputs.push_back(method.outputs()[i]);
    const auto output_type = [&](size_t i) { return type_of(method, outputs, i); };
    if (Status s = read_case_words(words, "--case", input_type, &test, &test.inputs); !s.ok()) return s;
    if (expect != nullptr) {
      if (Status s = read_case_words(*expect, "--expect", output_type, &test, &test.expected); !s.ok()) return s;
    }
    const std::string place = "--case " + words + (expect == nullptr ? "" : " --expect " + *expect);
    if (!args_.flag("no-check")) {
      if (Status s = bundled::check_case(method, test, place); !s.ok()) return s;
    }
    out_->cases.add(name, std::move(test), place);
    return {};
  }

  const Arguments& args_;
  const std::string& path_;
  const format::Program& program_;
  NewCases* out_;
  std::mt19937_64 random_;
};

}  // namespace

Status read_new_cases(const Arguments& args, const std::string& path, const format::Program& program, NewCases* out) {
  return Builder(args, path, program, out).run();
}

}  // namespace et::cli
