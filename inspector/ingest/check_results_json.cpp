#include "inspector/ingest/check_results_json.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>

#include "base/json.h"
#include "inspector/text/format.h"
#include "inspector/text/json_list.h"

namespace et::inspector {
namespace {

constexpr uint32_t kMaxDepth = 64;
constexpr std::string_view kSchema = "et-check/1";
constexpr std::array<std::string_view, 5> kVerdicts = {"no_difference", "slower", "faster", "too_noisy", "refused"};

std::string kind_of(JsonValue e) {
  switch (e.type()) {
    case JsonType::Array:
      return "a list";
    case JsonType::Object:
      return "an object";
    case JsonType::String:
      return "the text \"" + printable(shorten_middle(e.string()->substr(0, 200), 40)) + "\"";
    case JsonType::Bool:
      return *e.boolean() ? "true" : "false";
    case JsonType::Null:
      return "null";
    default:
      return "the number " + json_minified(e);
  }
}

std::optional<double> real_of(JsonValue e) {
  if (e.is_number()) return e.real();
  const std::string_view text = e.string().value_or("");
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (text == "Infinity") return std::numeric_limits<double>::infinity();
  if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
  return std::nullopt;
}

std::optional<int64_t> count_of(JsonValue e) {
  const auto n = e.integer();
  return n && *n >= 0 ? n : std::nullopt;
}

/// Times may come as means of two: the nearest nanosecond.
std::optional<int64_t> duration_of(JsonValue e) {
  if (const auto n = count_of(e)) return n;
  const auto d = e.real();
  if (!d || !(*d >= 0) || *d > 9e18) return std::nullopt;
  return std::llround(*d);
}

/// "2026-01-31T12:00:00Z", with or without parts of a second.
bool is_time(std::string_view text) {
  constexpr std::string_view kForm = "0000-00-00T00:00:00";
  if (text.size() < kForm.size() + 1 || text.back() != 'Z') return false;
  for (size_t i = 0; i < text.size() - 1; ++i) {
    const bool digit = std::isdigit(static_cast<unsigned char>(text[i])) != 0;
    const char form = i < kForm.size() ? kForm[i] : i == kForm.size() ? '.' : '0';
    if (form == '0' ? !digit : text[i] != form) return false;
  }
  return text.size() != kForm.size() + 2;  // a point without digits
}

/// The first thing that is wrong; what is read after it does not matter.
struct Problem {
  std::string place, cause;
  bool any() const { return !cause.empty(); }
  void set(std::string where, std::string what) {
    if (any()) return;
    place = std::move(where);
    cause = std::move(what);
  }
};

/// An object of the document, by its place: "cases[3]".
class Fields {
 public:
  Fields(JsonObject object, std::string place, const CheckLimits& limits, Problem& problem)
      : object_(object), place_(std::move(place)), limits_(limits), problem_(problem) {}

  std::string place_of(std::string_view key) const {
    return place_.empty() ? std::string(key) : place_ + "." + std::string(key);
  }
  void wrong(std::string_view key, std::string cause) const { problem_.set(place_of(key), std::move(cause)); }

  /// nullopt when the member is missing or null, which is a problem where it is `required`.
  std::optional<JsonValue> find(std::string_view key, const char* required = nullptr) const {
    const auto e = object_.find(key);
    if (e && !e->is_null()) return e;
    if (required != nullptr) wrong(key, std::string("expected ") + required + ", got " + (e ? "null" : "nothing"));
    return std::nullopt;
  }

  void text(std::string_view key, CheckText* out) const {
    if (const auto e = find(key)) take_text(key, *e, out);
  }
  void text(std::string_view key, std::string* out) const {
    const auto e = find(key, "a text");
    CheckText value;
    if (e) take_text(key, *e, &value);
    if (e && !value) wrong(key, "expected a text, got an empty one");
    if (value) *out = std::move(*value);
  }
  void real(std::string_view key, CheckReal* out) const { take(key, find(key), "a number", real_of, out); }
  void count(std::string_view key, CheckInteger* out) const { take(key, find(key), "an integer >= 0", count_of, out); }
  void count(std::string_view key, int64_t* out) const {
    CheckInteger value;
    take(key, find(key, "an integer >= 0"), "an integer >= 0", count_of, &value);
    *out = value.value_or(0);
  }
  void duration(std::string_view key, CheckInteger* out) const {
    take(key, find(key), "nanoseconds >= 0", duration_of, out);
  }
  void flag(std::string_view key, std::optional<bool>* out) const {
    take(key, find(key), "true or false", bool_of, out);
  }
  void flag(std::string_view key, bool* out) const {
    std::optional<bool> value;
    take(key, find(key, "true or false"), "true or false", bool_of, &value);
    *out = value.value_or(false);
  }
  /// A list of numbers as JSON text.
  void place_list(std::string_view key, CheckText* out) const {
    std::vector<int64_t> values;
    const bool there = list(key, limits_.dimensions, [&](JsonValue e, const std::string& place) {
      const auto n = count_of(e);
      if (!n) problem_.set(place, "expected an integer >= 0, got " + kind_of(e));
      values.push_back(n.value_or(0));
    });
    if (there) *out = json_list(values);
  }
  void durations(std::string_view key, size_t max, std::vector<int64_t>* out) const {
    list(key, max, [&](JsonValue e, const std::string& place) {
      const auto n = duration_of(e);
      if (!n) problem_.set(place, "expected nanoseconds >= 0, got " + kind_of(e));
      out->push_back(n.value_or(0));
    });
  }
  void texts(std::string_view key, size_t max, std::vector<std::string>* out) const {
    list(key, max, [&](JsonValue e, const std::string& place) {
      if (!e.is_string()) return problem_.set(place, "expected a text, got " + kind_of(e));
      out->emplace_back(*e.string());
    });
  }
  /// Each element of a list of objects.
  template <class Read>
  void objects(std::string_view key, size_t max, const Read& read) const {
    list(key, max, [&](JsonValue e, const std::string& place) {
      const auto members = e.object();
      if (!members) return problem_.set(place, "expected an object, got " + kind_of(e));
      read(Fields(*members, place, limits_, problem_));
    });
  }
  /// An object; missing or null, nothing is read.
  template <class Read>
  void object(std::string_view key, const Read& read) const {
    const auto e = find(key);
    if (!e) return;
    const auto members = e->object();
    if (!members) return wrong(key, "expected an object, got " + kind_of(*e));
    read(Fields(*members, place_of(key), limits_, problem_));
  }

 private:
  static std::optional<bool> bool_of(JsonValue e) { return e.boolean(); }
  template <class T, class Of>
  void take(std::string_view key, const std::optional<JsonValue>& e, const char* expected, const Of& of,
            std::optional<T>* out) const {
    if (!e) return;
    *out = of(*e);
    if (!*out) wrong(key, std::string("expected ") + expected + ", got " + kind_of(*e));
  }
  void take_text(std::string_view key, JsonValue e, CheckText* out) const {
    if (!e.is_string()) return wrong(key, "expected a text, got " + kind_of(e));
    const std::string_view value = *e.string();
    if (value.size() > limits_.text)
      return wrong(key, "has " + std::to_string(value.size()) + " bytes, at most " + std::to_string(limits_.text));
    if (!value.empty()) *out = std::string(value);
  }
  /// False when there is none.
  template <class Read>
  bool list(std::string_view key, size_t max, const Read& read) const {
    const auto e = find(key);
    if (!e) return false;
    const auto array = e->array();
    if (!array) {
      wrong(key, "expected a list, got " + kind_of(*e));
      return false;
    }
    size_t i = 0;
    for (const JsonValue item : *array) {
      if (problem_.any()) return true;
      if (i == max) {
        wrong(key, "has more than " + std::to_string(max) + " elements");
        return true;
      }
      read(item, place_of(key) + "[" + std::to_string(i++) + "]");
    }
    return true;
  }

  JsonObject object_;
  std::string place_;
  const CheckLimits& limits_;
  Problem& problem_;
};

void read_name(const Fields& f, CheckName* out) {
  f.text("file", &out->file);
  f.text("program", &out->program);
  f.text("method", &out->method);
  f.count("case", &out->case_index);
}

void read_output(const Fields& f, CheckOutput* out) {
  f.count("index", &out->index);
  f.text("name", &out->name);
  f.flag("passed", &out->passed);
  f.text("kind", &out->kind);
  f.text("reason", &out->reason);
  f.text("dtype", &out->dtype);
  f.place_list("shape", &out->shape);
  f.count("elements", &out->elements);
  f.count("outside", &out->outside);
  f.real("rtol", &out->rtol);
  f.real("atol", &out->atol);
  f.text("tolerance_from", &out->tolerance_from);
  f.real("max_abs_error", &out->max_abs_error);
  f.place_list("max_abs_at", &out->max_abs_at);
  f.real("max_rel_error", &out->max_rel_error);
  f.place_list("max_rel_at", &out->max_rel_at);
  f.real("mean_abs_error", &out->mean_abs_error);
  f.real("snr_db", &out->snr_db);
  f.real("cosine_similarity", &out->cosine_similarity);
  f.count("nan_mismatch", &out->nan_mismatch);
  f.count("inf_mismatch", &out->inf_mismatch);
  f.real("got", &out->got);
  f.real("want", &out->want);
}

void read_case(const Fields& f, const CheckLimits& limits, CheckCase* out) {
  read_name(f, &out->check);
  f.flag("passed", &out->passed);
  f.text("kind", &out->kind);
  f.text("reason", &out->reason);
  f.real("max_abs_error", &out->max_abs_error);
  f.texts("operators", limits.operators, &out->operators);
  f.duration("duration_ns", &out->duration_ns);
  f.count("memory_bytes", &out->memory_bytes);
  f.count("iterations", &out->iterations);
  f.durations("samples_ns", limits.samples, &out->samples_ns);
  f.text("etdump", &out->etdump);
  f.objects("outputs", limits.outputs, [&](const Fields& o) { read_output(o, &out->outputs.emplace_back()); });
}

void read_performance(const Fields& f, CheckPerformance* out) {
  read_name(f, &out->check);
  f.text("against", &out->against);
  f.text("verdict", &out->verdict);
  if (std::find(kVerdicts.begin(), kVerdicts.end(), out->verdict) == kVerdicts.end()) {
    std::string list;
    for (const std::string_view v : kVerdicts) list += (list.empty() ? "" : ", ") + std::string(v);
    f.wrong("verdict", "expected one of " + list + ", got \"" + printable(shorten_middle(out->verdict, 40)) + "\"");
  }
  f.flag("passed", &out->passed);
  f.text("text", &out->text);
  f.real("median_ns", &out->median_ns);
  f.real("baseline_median_ns", &out->baseline_median_ns);
  f.real("ratio", &out->ratio);
  f.real("ratio_low", &out->ratio_low);
  f.real("ratio_high", &out->ratio_high);
  f.real("noise", &out->noise);
  f.count("rounds", &out->rounds);
  f.count("samples", &out->samples);
  f.real("max_slowdown", &out->max_slowdown);
  f.text("clock", &out->clock);
}

void read_explanation(const Fields& f, CheckExplanation* out) {
  read_name(f, &out->check);
  f.text("reference", &out->reference);
  f.text("operator", &out->op);
  f.count("instruction", &out->instruction);
  f.text("node", &out->node);
  f.text("source", &out->source);
  f.text("delegate", &out->delegate);
  f.real("max_abs_error", &out->max_abs_error);
  f.text("text", &out->text);
}

void read_results(const Fields& f, const CheckLimits& limits, CheckResults* out) {
  std::string schema;
  f.text("schema", &schema);
  if (schema != kSchema) {
    return f.wrong("schema", "is \"" + printable(shorten_middle(schema, 40)) + "\", this et-inspect reads \"" +
                                 std::string(kSchema) + "\"");
  }
  f.text("started", &out->started);
  if (!is_time(out->started))
    f.wrong("started", "expected a time in UTC like 2026-01-31T12:00:00Z, got \"" +
                           printable(shorten_middle(out->started, 40)) + "\"");
  f.text("label", &out->label);
  f.duration("duration_ns", &out->duration_ns);
  f.object("tool", [&](const Fields& t) {
    t.text("name", &out->tool);
    t.text("version", &out->tool_version);
  });
  f.object("host", [&](const Fields& h) {
    h.text("name", &out->host);
    h.text("cpu", &out->cpu);
    h.count("cores", &out->cores);
    h.text("os", &out->os);
  });
  f.count("passed", &out->passed);
  f.count("failed", &out->failed);
  f.count("skipped", &out->skipped);
  f.objects("cases", limits.cases, [&](const Fields& c) { read_case(c, limits, &out->cases.emplace_back()); });
  f.objects("performance", limits.cases,
            [&](const Fields& p) { read_performance(p, &out->performance.emplace_back()); });
  f.objects("explanations", limits.cases,
            [&](const Fields& e) { read_explanation(e, &out->explanations.emplace_back()); });
}

}  // namespace

Status parse_check_results(std::string_view json, std::string_view name, CheckResults* out, const CheckLimits& limits) {
  const std::string where(name);
  const auto refuse = [&](const std::string& cause) {
    return Status(Error::InvalidExternalData, where + ": " + cause);
  };
  if (json.size() > limits.bytes) {
    return refuse("has " + std::to_string(json.size()) + " bytes, results of et-check have at most " +
                  std::to_string(limits.bytes));
  }
  JsonDocument document;
  Status status = document.parse(json, where, kMaxDepth);
  if (!status.ok()) return status;
  const JsonValue root = document.root();
  const auto object = root.object();
  if (!object) return refuse("expected results of et-check (a JSON object), got " + kind_of(root));
  if (!object->find("schema")) return refuse("is JSON, but not results of et-check: it has no \"schema\"");
  Problem problem;
  CheckResults results;
  read_results(Fields(*object, "", limits, problem), limits, &results);
  if (problem.any()) return refuse(problem.place + ": " + problem.cause);
  *out = std::move(results);
  return {};
}

}  // namespace et::inspector
