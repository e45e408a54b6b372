#include "bundled_program/cases/sidecar.h"

#include <algorithm>
#include <map>
#include <vector>

#include "base/json.h"
#include "base/printable.h"
#include "bundled_program/cases/member_store.h"
#include "bundled_program/cases/npy.h"
#include "bundled_program/cases/sidecar_format.h"

namespace et::bundled {
namespace {

constexpr uint32_t kMetaDepth = 8;
constexpr uint64_t kMaxMetaBytes = uint64_t{16} << 20;

struct CaseMembers {
  std::vector<std::string> inputs, expected;  // names of the members
};

std::string value_name(std::string_view member) { return std::string(member.substr(0, member.rfind(".npy"))); }

bool is_digest(std::string_view text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace

struct SidecarCases::Impl {
  std::string path;
  std::string digest;
  std::unique_ptr<MemberStore> store;
  bool folder = false;  // other files may stand there, too
  struct Suite {
    std::string method;
    std::vector<CaseMembers> cases;
  };
  std::vector<Suite> suites;
  std::map<std::string, size_t> suite_index;
  size_t total = 0;                                        // cases of all suites
  std::map<std::string, std::vector<uint8_t>> dim_orders;  // by value_name()

  Status fail(const std::string& what, Error code = Error::InvalidExternalData) const {
    return {code, path + ": " + what};
  }

  Suite* suite_of(const std::string& method) {
    const auto [at, fresh] = suite_index.try_emplace(method, suites.size());
    if (fresh) suites.push_back({method, {}});
    return &suites[at->second];
  }
  /// At least `count` cases. False: more than a side-car may have.
  bool grow(Suite* suite, size_t count) {
    if (count <= suite->cases.size()) return true;
    total += count - suite->cases.size();
    if (total > kMaxIndex + size_t{1}) return false;
    suite->cases.resize(count);
    return true;
  }
  Status too_many() const {
    return fail("more than " + std::to_string(kMaxIndex + 1) + " test cases", Error::OutOfResources);
  }

  Status read(const std::string& name) {
    path = name;
    if (Status s = read_members(); !s.ok()) return s;
    return read_meta();
  }
  Status read_members();
  Status read_meta();
  Status read_counts(const JsonObject& counts);
  Status read_dim_orders(const JsonObject& orders);
  Status load_value(const std::string& member, LoadedCase* out, Value* value) const;
};

// Members in the order of cases, so that a gap shows; the zip may have them in any order.
Status SidecarCases::Impl::read_members() {
  std::map<std::string, std::map<uint32_t, std::map<std::pair<bool, uint32_t>, std::string>>> found;
  std::vector<std::string> methods;  // in the file's order
  for (const std::string& member : store->names()) {
    if (member == kSidecarMeta) continue;
    const std::optional<MemberName> name = parse_member_name(member);
    if (!name && folder && !member.ends_with(".npy")) continue;
    if (!name) {
      return fail("member " + printable(member) +
                  " is not a test case value, expected METHOD/CASE/input_I.npy or expected_I.npy");
    }
    if (found.find(name->method) == found.end()) methods.push_back(name->method);
    if (!found[name->method][name->test_case].try_emplace({name->expected, name->index}, member).second) {
      return fail("member " + printable(member) + " occurs twice, with two kinds");
    }
  }
  for (const std::string& method : methods) {
    Suite* suite = suite_of(method);
    for (const auto& [index, values] : found[method]) {
      // A case without values is told by the counts of meta.json, which come later.
      if (!grow(suite, index + size_t{1})) return too_many();
      CaseMembers& test = suite->cases[index];
      for (const auto& [key, member] : values) {
        std::vector<std::string>& list = key.first ? test.expected : test.inputs;
        if (key.second != list.size()) {
          return fail("member " + printable(member) + " comes after a gap; expected value " +
                      std::to_string(list.size()) + " before it");
        }
        list.push_back(member);
      }
    }
  }
  return {};
}

Status SidecarCases::Impl::read_counts(const JsonObject& counts) {
  for (const auto [key, value] : counts) {
    const std::string text(key);
    const std::optional<int64_t> n = json_int(value);
    const std::optional<MemberName> name = parse_member_name(text + "/0/input_0.npy");
    if (!name || !n || *n < 0 || *n > kMaxIndex) {
      return fail("meta.json: cases: " + printable(text) + ": expected a method's name and its count");
    }
    Suite* suite = suite_of(name->method);
    if (suite->cases.size() > static_cast<size_t>(*n)) {
      return fail("meta.json: cases: " + printable(text) + " has " + std::to_string(*n) +
                  " cases, but there are members of case " + std::to_string(suite->cases.size() - 1));
    }
    if (!grow(suite, static_cast<size_t>(*n))) return too_many();
  }
  return {};
}

Status SidecarCases::Impl::read_dim_orders(const JsonObject& orders) {
  for (const auto [key, value] : orders) {
    const std::string name(key);
    std::vector<uint8_t> order;
    const auto list = value.array();
    bool good = list && store->has(name + ".npy");
    for (const JsonValue item : list.value_or(JsonArray())) {
      if (!good) break;
      const std::optional<int64_t> dim = json_int(item);
      good = dim && *dim >= 0 && *dim < static_cast<int64_t>(kMaxDimensions) && order.size() < kMaxDimensions;
      if (good) order.push_back(static_cast<uint8_t>(*dim));
    }
    if (!good) return fail("meta.json: dim_order: " + printable(name) + ": expected a list for a member");
    dim_orders[name] = order;
  }
  return {};
}

Status SidecarCases::Impl::read_meta() {
  const std::string meta(kSidecarMeta);
  if (!store->has(meta)) return fail("no member meta.json: not a side-car of test cases");
  MemberBytes bytes;
  if (Status s = store->read(meta, &bytes); !s.ok()) return s;
  if (bytes.bytes.size() > kMaxMetaBytes) return fail("meta.json: more than 16 MiB", Error::OutOfResources);
  JsonDocument document;
  const std::string_view text(reinterpret_cast<const char*>(bytes.bytes.data()), bytes.bytes.size());
  if (Status s = document.parse(text, path + ": meta.json", kMetaDepth); !s.ok()) return s;

  const JsonValue root = document.root();
  const auto text_of = [&root](std::string_view key) {
    const auto member = root.find(key);
    return member ? member->string().value_or("") : std::string_view();
  };
  const std::string_view format = text_of("format"), sha = text_of("program_sha256");
  if (format != kSidecarFormat) {
    return fail("meta.json: format '" + printable(format) + "'; expected " + std::string(kSidecarFormat));
  }
  if (!is_digest(sha)) {
    return fail("meta.json: program_sha256: expected 64 hexadecimal digits");
  }
  digest = sha;
  if (const auto counts = root.find("cases")) {
    if (!counts->object()) return fail("meta.json: cases: expected an object of counts by method");
    if (Status s = read_counts(*counts->object()); !s.ok()) return s;
  } else {
    for (const Suite& s : suites) {
      for (size_t c = 0; c < s.cases.size(); ++c) {
        if (!s.cases[c].inputs.empty() || !s.cases[c].expected.empty()) continue;
        return fail("case " + std::to_string(c) + " of method " + printable(s.method) +
                    " has no members, and meta.json does not count it");
      }
    }
  }
  const auto orders = root.find("dim_order");
  if (!orders) return {};
  if (!orders->object()) return fail("meta.json: dim_order: expected an object of lists by member");
  return read_dim_orders(*orders->object());
}

Status SidecarCases::Impl::load_value(const std::string& member, LoadedCase* out, Value* value) const {
  const std::string place = path + ": " + printable(member);
  MemberBytes bytes;
  if (Status s = store->read(member, &bytes); !s.ok()) return s;
  const std::optional<MemberName> name = parse_member_name(member);
  NpyArray array;
  if (Status s = parse_npy(bytes.bytes, place, name->type, &array); !s.ok()) return s;
  const auto number = [&](ScalarType type, const char* what) {
    if (array.type == type && array.sizes.empty()) return Status();
    return Status(Error::InvalidExternalData,
                  place + ": " + tensor_text(array.type, array.sizes) + ", expected " + what + " without dimensions");
  };
  switch (name->kind) {
    case ValueKind::Int: {
      if (Status s = number(ScalarType::Long, "int64"); !s.ok()) return s;
      int64_t v = 0;
      __builtin_memcpy(&v, array.data.data(), sizeof(v));
      *value = int_value(v);
      return {};
    }
    case ValueKind::Bool:
      if (Status s = number(ScalarType::Bool, "bool"); !s.ok()) return s;
      *value = bool_value(array.data[0] != 0);
      return {};
    case ValueKind::Double: {
      if (Status s = number(ScalarType::Double, "float64"); !s.ok()) return s;
      double v = 0;
      __builtin_memcpy(&v, array.data.data(), sizeof(v));
      *value = double_value(v);
      return {};
    }
    default:
      break;
  }
  std::shared_ptr<OwnedTensor> tensor = npy_tensor(array);
  const auto order = dim_orders.find(value_name(member));
  if (order != dim_orders.end() && !is_row_major(order->second)) {
    auto other = std::make_shared<OwnedTensor>(array.type, array.sizes);
    other->dim_order = order->second;
    other->value.dim_order = other->dim_order;
    if (const std::string why = tensor_problem(other->value); !why.empty()) {
      return {Error::InvalidExternalData, place + ": meta.json: dim_order: " + why};
    }
    const std::vector<uint8_t> data = reordered(tensor->value, other->dim_order);
    std::copy(data.begin(), data.end(), other->data());
    tensor = std::move(other);
  } else if (bytes.owner != nullptr) {
    out->owners.push_back(bytes.owner);
  }
  *value = tensor_value(tensor->value);
  out->owners.push_back(std::move(tensor));
  return {};
}

SidecarCases::SidecarCases() : impl_(std::make_unique<Impl>()) {}
SidecarCases::~SidecarCases() = default;

Status SidecarCases::open(std::span<const uint8_t> file, const std::string& path, std::unique_ptr<SidecarCases>* out) {
  auto cases = std::make_unique<SidecarCases>();
  if (Status s = open_zip_store(file, path, &cases->impl_->store); !s.ok()) return s;
  if (Status s = cases->impl_->read(path); !s.ok()) return s;
  *out = std::move(cases);
  return {};
}

Status SidecarCases::open_folder(const std::string& path, std::unique_ptr<SidecarCases>* out) {
  auto cases = std::make_unique<SidecarCases>();
  cases->impl_->folder = true;
  if (Status s = open_folder_store(path, &cases->impl_->store); !s.ok()) return s;
  if (Status s = cases->impl_->read(path); !s.ok()) return s;
  *out = std::move(cases);
  return {};
}

const std::string& SidecarCases::program_digest() const { return impl_->digest; }
size_t SidecarCases::suite_count() const { return impl_->suites.size(); }
std::string_view SidecarCases::method(size_t suite) const {
  return suite < suite_count() ? std::string_view(impl_->suites[suite].method) : std::string_view();
}
size_t SidecarCases::case_count(size_t suite) const {
  return suite < suite_count() ? impl_->suites[suite].cases.size() : 0;
}
std::string SidecarCases::place(size_t suite, size_t index) const {
  return impl_->path + ": " + encode_method(method(suite)) + "/" + std::to_string(index);
}

Status SidecarCases::load(size_t suite, size_t index, LoadedCase* out) const {
  *out = {};
  if (index >= case_count(suite)) return {Error::InvalidArgument, place(suite, index) + ": no such test case"};
  const CaseMembers& members = impl_->suites[suite].cases[index];
  uint64_t inflated = 0;
  for (const auto* list : {&members.inputs, &members.expected}) {
    for (const std::string& member : *list) {
      if (__builtin_add_overflow(inflated, impl_->store->inflated_size(member), &inflated)) inflated = UINT64_MAX;
    }
  }
  if (inflated > kMaxInflatedBytes) {
    return {Error::OutOfResources, place(suite, index) + ": would inflate to " + std::to_string(inflated) +
                                       " bytes; expected at most " + std::to_string(kMaxInflatedBytes)};
  }
  for (const auto* list : {&members.inputs, &members.expected}) {
    std::vector<Value>& values = list == &members.inputs ? out->inputs : out->expected;
    for (const std::string& member : *list) {
      Value value;
      if (Status s = impl_->load_value(member, out, &value); !s.ok()) {
        *out = {};
        return s;
      }
      values.push_back(value);
    }
  }
  return {};
}

}  // namespace et::bundled
