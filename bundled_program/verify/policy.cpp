#include "bundled_program/verify/policy.h"

#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "base/mapped_file.h"
#include "base/quantity.h"
#include "base/scalar_type.h"
#include "base/toml_parser.h"

namespace et::bundled {
namespace {

namespace fs = std::filesystem;

bool is_index(std::string_view text) {
  return !text.empty() && text.size() <= 9 && text.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

/// Walks the TOML tree; the first thing that is wrong ends it.
class PolicyReader {
 public:
  PolicyReader(std::string path, Policy* out) : path_(std::move(path)), out_(out) {}

  Status read(const toml::table& root) {
    out_->path_ = path_;
    bool has_version = false;
    for (const auto& [key, node] : root) {
      const std::string_view name = key.str();
      if (name == "version") {
        has_version = node.value<int64_t>() == 1;
        if (!has_version) wrong(node, "version: expected 1");
      } else if (name == "default") {
        rules(node, "default", kOutput | kMethod, nullptr);
      } else if (name == "dtype" || name == "method") {
        each(node, std::string(name), [&](const std::string& child, const toml::node& value) {
          if (name == "method") {
            method(value, child);
          } else if (ScalarType type{}; scalar_type_of(std::string_view(child).substr(6), &type)) {
            rules(value, child, kOutput, nullptr);
          } else {
            wrong(value, child + ": unknown dtype, expected one of float32, float16, bfloat16, int32, …");
          }
        });
      } else {
        wrong(node, std::string(name) + ": unknown key; expected version, default, dtype or method");
      }
    }
    if (status_.ok() && !has_version) status_ = {Error::InvalidArgument, path_ + ": expected version = 1"};
    return status_;
  }

 private:
  enum Keys : unsigned { kOutput = 1, kMethod = 2 };

  void wrong(const toml::node& node, const std::string& what) {
    if (!status_.ok()) return;
    status_ = {Error::InvalidArgument, toml_place(path_, node.source()) + ": " + what};
  }

  /// The tables of a table, with their places.
  template <class F>
  void each(const toml::node& node, const std::string& place, const F& f) {
    const toml::table* table = node.as_table();
    if (table == nullptr) return wrong(node, place + ": expected a table");
    for (const auto& [key, value] : *table) f(place + "." + std::string(key.str()), value);
  }

  void method(const toml::node& node, const std::string& place) {
    const auto outputs = [&](const toml::node& list, const std::string& at) {
      each(list, at, [&](const std::string& child, const toml::node& value) {
        if (!is_index(child.substr(at.size() + 1))) return wrong(value, child + ": expected the number of an output");
        rules(value, child, kOutput, nullptr);
      });
    };
    rules(node, place, kOutput | kMethod, [&](const std::string& name, const toml::node& value) {
      if (name == "output") {
        outputs(value, place + ".output");
        return true;
      }
      if (name != "case") return false;
      each(value, place + ".case", [&](const std::string& child, const toml::node& test) {
        if (!is_index(child.substr(place.size() + 6))) return wrong(test, child + ": expected the number of a case");
        rules(test, child, kOutput, [&](const std::string& inner, const toml::node& list) {
          if (inner != "output") return false;
          outputs(list, child + ".output");
          return true;
        });
      });
      return true;
    });
  }

  /// The keys of one table; what is no key of rules goes to `nested`, if that takes it.
  void rules(const toml::node& node, const std::string& place, unsigned keys,
             const std::function<bool(const std::string&, const toml::node&)>& nested) {
    const toml::table* table = node.as_table();
    if (table == nullptr) return wrong(node, place + ": expected a table");
    Policy::Rules r;
    r.place = place;
    for (const auto& [key, value] : *table) {
      const std::string name(key.str());
      const std::string at = place + "." + name;
      if (nested != nullptr && nested(name, value)) continue;
      if ((keys & kOutput) != 0 && output_rule(name, at, value, &r)) continue;
      if ((keys & kMethod) != 0 && method_rule(name, at, value, &r)) continue;
      wrong(value, at + ": unknown key");
    }
    out_->tables_[place] = std::move(r);
  }

  bool output_rule(const std::string& name, const std::string& at, const toml::node& value, Policy::Rules* r) {
    if (name == "rtol") return number(value, at, 0, HUGE_VAL, &r->rtol);
    if (name == "atol") return number(value, at, 0, HUGE_VAL, &r->atol);
    if (name == "max_abs_error") return number(value, at, 0, HUGE_VAL, &r->max_abs_error);
    if (name == "min_snr_db") return number(value, at, -HUGE_VAL, HUGE_VAL, &r->min_snr_db);
    if (name == "min_cosine") return number(value, at, -1, 1, &r->min_cosine);
    if (name == "max_outside")
      return quantity(value, at, parse_share, "a share, as \"0.1%\" or 0.001", &r->max_outside);
    return false;
  }

  bool method_rule(const std::string& name, const std::string& at, const toml::node& value, Policy::Rules* r) {
    if (name == "max_slowdown") {
      return quantity(value, at, parse_share, "a share, as \"5%\" or 0.05", &r->limits.max_slowdown);
    }
    if (name == "timeout") return quantity(value, at, parse_seconds, "a time, as \"10 s\"", &r->limits.timeout_s);
    if (name == "max_memory") {
      return quantity(value, at, parse_bytes, "a size, as \"2 MiB\"", &r->limits.max_memory);
    }
    return false;
  }

  bool number(const toml::node& node, const std::string& at, double low, double high, std::optional<double>* out) {
    const std::optional<double> v = node.value<double>();
    if (v && !std::isnan(*v) && *v >= low && *v <= high) {
      *out = *v;
    } else {
      wrong(node, at + (low < 0 && high > 1 ? ": expected a number"
                        : low < 0           ? ": expected a number from -1 to 1"
                                            : ": expected a number >= 0"));
    }
    return true;
  }

  /// A number, or a text with a unit.
  template <class T>
  bool quantity(const toml::node& node, const std::string& at, std::optional<T> (*parse)(std::string_view),
                const char* expected, std::optional<T>* out) {
    std::optional<T> v;
    if (const auto text = node.value<std::string>()) {
      v = parse(*text);
    } else if (const auto n = node.value<double>()) {
      v = parse(number_text(*n));
    }
    if (v) {
      *out = v;
    } else {
      wrong(node, at + ": expected " + expected);
    }
    return true;
  }

  std::string path_;
  Policy* out_;
  Status status_;
};

Status Policy::open(const std::string& path, std::shared_ptr<const Policy>* out) {
  MappedFile file;
  if (Status s = MappedFile::open(path, &file); !s.ok()) return s;
  const auto bytes = file.bytes();
  return parse({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path, out);
}

Status Policy::parse(std::string_view text, const std::string& path, std::shared_ptr<const Policy>* out) {
  auto policy = std::make_shared<Policy>();
  try {
    const toml::table root = toml::parse(text, path);
    if (Status s = PolicyReader(path, policy.get()).read(root); !s.ok()) return s;
  } catch (const toml::parse_error& e) {
    return toml_error(path, e);
  }
  *out = std::move(policy);
  return {};
}

std::string Policy::path_beside(const std::string& bundle) {
  const fs::path path(bundle);
  std::error_code ec;
  for (const fs::path& candidate :
       {path.parent_path() / (path.stem().string() + ".policy.toml"), path.parent_path() / "policy.toml"}) {
    if (fs::is_regular_file(candidate, ec)) return candidate.string();
  }
  return "";
}

void Policy::apply(const std::string& method, size_t test_case, uint32_t output, ScalarType dtype,
                   OutputLimit* limit) const {
  const std::string in_method = "method." + method;
  const std::string in_case = in_method + ".case." + std::to_string(test_case);
  const std::string out = ".output." + std::to_string(output);
  const auto set = [](const auto& from, auto* to) {
    if (from) *to = *from;
  };
  // From the general to the particular: what comes later goes before.
  for (const std::string& place : {std::string("default"), "dtype." + std::string(scalar_type_name(dtype)), in_method,
                                   in_method + out, in_case, in_case + out}) {
    const auto it = tables_.find(place);
    if (it == tables_.end()) continue;
    const Rules& r = it->second;
    if (r.rtol || r.atol) limit->from = fs::path(path_).filename().string() + ": " + r.place;
    set(r.rtol, &limit->tolerance.rtol);
    set(r.atol, &limit->tolerance.atol);
    set(r.max_outside, &limit->max_outside);
    set(r.max_abs_error, &limit->max_abs_error);
    set(r.min_snr_db, &limit->min_snr_db);
    set(r.min_cosine, &limit->min_cosine);
  }
}

MethodLimits Policy::method(const std::string& method) const {
  MethodLimits out;
  for (const std::string& place : {std::string("default"), "method." + method}) {
    const auto it = tables_.find(place);
    if (it == tables_.end()) continue;
    const MethodLimits& m = it->second.limits;
    if (m.max_slowdown) out.max_slowdown = m.max_slowdown;
    if (m.timeout_s) out.timeout_s = m.timeout_s;
    if (m.max_memory) out.max_memory = m.max_memory;
  }
  return out;
}

}  // namespace et::bundled
