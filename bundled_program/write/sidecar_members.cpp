#include "bundled_program/write/sidecar_members.h"

#include <cstring>
#include <numeric>
#include <optional>

#include "bundled_program/cases/npy.h"
#include "bundled_program/cases/sidecar_format.h"

namespace et::bundled {
namespace {

class Lister {
 public:
  explicit Lister(const CaseSource& cases) : cases_(cases) {}

  Status run(const std::string& digest, SidecarList* out) {
    for (size_t s = 0; s < cases_.suite_count(); ++s) {
      const std::string method(cases_.method(s));
      if (method.empty())
        return {Error::InvalidArgument, "a method without a name; a side-car cannot contain its cases"};
      if (*cases_.find(method) != s) {
        return {Error::InvalidArgument, "two suites for method " + method + ", expected one"};
      }
      counts_ +=
          (counts_.empty() ? "\"" : ", \"") + encode_method(method) + "\": " + std::to_string(cases_.case_count(s));
      for (size_t c = 0; c < cases_.case_count(s); ++c) {
        LoadedCase test;
        if (Status status = cases_.load(s, c, &test); !status.ok()) return status;
        for (const bool expected : {false, true}) {
          const size_t count = expected ? test.expected.size() : test.inputs.size();
          for (size_t i = 0; i < count; ++i) {
            if (Status status = add({"", s, c, i, expected, 0}, test); !status.ok()) return status;
          }
        }
      }
    }
    out->members = std::move(members_);
    out->meta = "{\"format\": \"" + std::string(kSidecarFormat) + "\",\n \"program_sha256\": \"" + digest +
                "\",\n \"cases\": {" + counts_ + "}" +
                (dim_orders_.empty() ? "" : ",\n \"dim_order\": {" + dim_orders_ + "}") + "}\n";
    return {};
  }

 private:
  Status add(SidecarMember member, const LoadedCase& test) {
    const Value& v = member.value(test);
    const std::string place = cases_.place(member.suite, member.test_case) +
                              (member.expected ? ": expected output " : ": input ") + std::to_string(member.index);
    if (v.kind == ValueKind::None) return {Error::InvalidArgument, place + " has no value"};
    MemberName name{std::string(cases_.method(member.suite)),
                    static_cast<uint32_t>(member.test_case),
                    member.expected,
                    static_cast<uint32_t>(member.index),
                    v.kind,
                    std::nullopt};
    member.size = npy_header(ScalarType::Long, {}).size() + sizeof(int64_t);
    if (v.kind == ValueKind::Bool) member.size = npy_header(ScalarType::Bool, {}).size() + 1;
    if (v.kind == ValueKind::Tensor) {
      if (const std::string why = tensor_problem(v.tensor); !why.empty()) {
        return {Error::InvalidArgument, place + ": " + why};
      }
      name.type = v.tensor.scalar_type;
      member.size = npy_header(v.tensor.scalar_type, v.tensor.sizes).size() + v.tensor.data.size();
    }
    member.name = member_name(name);
    if (v.kind == ValueKind::Tensor && !is_row_major(v.tensor.dim_order)) {
      dim_orders_ += (dim_orders_.empty() ? "\"" : ", \"") + member.name.substr(0, member.name.rfind('.')) + "\": [";
      for (size_t d = 0; d < v.tensor.dim_order.size(); ++d) {
        dim_orders_ += (d > 0 ? ", " : "") + std::to_string(v.tensor.dim_order[d]);
      }
      dim_orders_ += "]";
    }
    members_.push_back(std::move(member));
    return {};
  }

  const CaseSource& cases_;
  std::vector<SidecarMember> members_;
  std::string counts_, dim_orders_;
};

}  // namespace

Status list_members(std::span<const uint8_t> program, const CaseSource& cases, SidecarList* out) {
  *out = {};
  return Lister(cases).run(program_digest(program), out);
}

ArrayBytes array_bytes(const Value& v) {
  ArrayBytes out;
  const auto number = [&](ScalarType type, const auto& value) {
    auto own = std::make_shared<std::vector<uint8_t>>(sizeof(value));
    std::memcpy(own->data(), &value, sizeof(value));
    out = {npy_header(type, {}), *own, own};
  };
  switch (v.kind) {
    case ValueKind::Int:
      number(ScalarType::Long, v.as_int);
      break;
    case ValueKind::Bool:
      number(ScalarType::Bool, static_cast<uint8_t>(v.as_bool));
      break;
    case ValueKind::Double:
      number(ScalarType::Double, v.as_double);
      break;
    default:
      out = {npy_header(v.tensor.scalar_type, v.tensor.sizes), v.tensor.data, nullptr};
      if (!is_row_major(v.tensor.dim_order)) {
        std::vector<uint8_t> rows(v.tensor.sizes.size());
        std::iota(rows.begin(), rows.end(), uint8_t{0});
        auto own = std::make_shared<std::vector<uint8_t>>(reordered(v.tensor, rows));
        out.data = *own;
        out.owner = own;
      }
  }
  return out;
}

}  // namespace et::bundled
