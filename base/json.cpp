// The only translation unit that includes simdjson: it takes seconds to compile.
#include "base/json.h"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "base/json_text.h"
#include "base/read_double.h"

namespace et {

struct JsonDocument::Impl {
  simdjson::dom::parser parser;
  std::string buffer;
  JsonTape tape;
  bool parsed = false;
  bool rewritten = false;

  simdjson::error_code parse(std::string_view text, uint32_t max_depth) {
    parsed = false;
    if (parser.max_depth() != max_depth || parser.capacity() < text.size()) {
      const size_t capacity = std::max<size_t>(text.size(), 4096);
      if (const auto error = parser.allocate(capacity, max_depth)) return error;
    }
    buffer.reserve(text.size() + simdjson::SIMDJSON_PADDING);
    buffer.assign(text);
    buffer.append(simdjson::SIMDJSON_PADDING, ' ');
    const auto error = parser.parse(buffer.data(), text.size(), false).error();
    parsed = error == simdjson::SUCCESS;
    tape = {parser.doc.tape.get(), parser.doc.string_buf.get()};
    return error;
  }
};

JsonDocument::JsonDocument() = default;
JsonDocument::~JsonDocument() = default;
JsonDocument::JsonDocument(JsonDocument&&) noexcept = default;
JsonDocument& JsonDocument::operator=(JsonDocument&&) noexcept = default;

JsonValue JsonDocument::root() const {
  // The tape begins with a word for the document.
  return impl_ != nullptr && impl_->parsed ? JsonValue(&impl_->tape, 1) : JsonValue();
}

bool JsonDocument::rewritten() const { return impl_ != nullptr && impl_->rewritten; }

Status JsonDocument::parse(std::string_view text, const std::string& where, uint32_t max_depth) {
  if (impl_ == nullptr) impl_ = std::make_unique<Impl>();
  impl_->rewritten = false;
  auto error = impl_->parse(text, max_depth);
  if (error == simdjson::SUCCESS) return {};
  if (error != simdjson::UTF8_ERROR && error != simdjson::DEPTH_ERROR && error != simdjson::MEMALLOC &&
      error != simdjson::CAPACITY) {
    const std::string rewritten = rewrite_python_json(text);
    if (rewritten != text) {
      error = impl_->parse(rewritten, max_depth);
      impl_->rewritten = true;
      if (error == simdjson::SUCCESS) return {};
    }
  }
  if (error == simdjson::MEMALLOC || error == simdjson::CAPACITY) {
    return {Error::OutOfResources, where + ": " + std::to_string(text.size()) + " bytes of JSON are too much to parse"};
  }
  const auto fault = find_json_fault(text, max_depth);
  if (!fault) return {Error::InvalidExternalData, where + ": JSON not understood: " + simdjson::error_message(error)};
  return {Error::InvalidExternalData,
          where + ": JSON at byte " + std::to_string(fault->offset) + ": expected " + fault->expected};
}

std::optional<uint64_t> JsonValue::unsigned_integer() const {
  if (const auto i = integer()) return *i < 0 ? std::nullopt : std::optional(static_cast<uint64_t>(*i));
  if (tape_->type(at_) != 'u') return std::nullopt;
  return tape_->words[at_ + 1];
}

std::optional<double> JsonValue::real() const {
  switch (tape_->type(at_)) {
    case 'd':
      return std::bit_cast<double>(tape_->words[at_ + 1]);
    case 'l':
      return static_cast<double>(static_cast<int64_t>(tape_->words[at_ + 1]));
    case 'u':
      return static_cast<double>(tape_->words[at_ + 1]);
    default:
      return std::nullopt;
  }
}

std::optional<int64_t> json_int(JsonValue value) {
  if (const auto truth = value.boolean()) return *truth ? 1 : 0;
  return value.integer();
}

std::optional<double> json_double(JsonValue value) {
  if (const auto d = value.real()) return d;
  if (const auto truth = value.boolean()) return *truth ? 1.0 : 0.0;
  const auto text = value.string();
  if (!text) return std::nullopt;
  const std::string_view s = *text;
  constexpr double inf = std::numeric_limits<double>::infinity();
  if (s == "Infinity") return inf;
  if (s == "-Infinity") return -inf;
  if (s == "NaN") return std::numeric_limits<double>::quiet_NaN();
  double d = 0;
  const auto r = read_double(s.data(), s.data() + s.size(), &d);
  if (s.empty() || r.ptr != s.data() + s.size()) return std::nullopt;
  // from_chars does not tell too large from too small.
  if (r.ec == std::errc::result_out_of_range) return std::strtod(std::string(s).c_str(), nullptr);
  return d;
}

namespace {

void append_quoted(std::string_view text, std::string* out) {
  constexpr std::string_view kShort = "\bb\ff\nn\rr\tt\"\"\\\\";
  *out += '"';
  for (const char c : text) {
    size_t at = 0;
    while (at < kShort.size() && kShort[at] != c) at += 2;
    if (at < kShort.size()) {
      *out += {'\\', kShort[at + 1]};
    } else if (static_cast<unsigned char>(c) < 0x20) {
      *out += "\\u00";
      *out += {"01"[c >> 4], "0123456789abcdef"[c & 15]};
    } else {
      *out += c;
    }
  }
  *out += '"';
}

void append_number(JsonValue value, std::string* out) {
  if (value.type() != JsonType::Double) {
    const auto i = value.integer();
    *out += i ? std::to_string(*i) : std::to_string(value.unsigned_integer().value_or(0));
    return;
  }
  const double d = value.real().value_or(0);
  const bool fixed = d == 0 || (std::abs(d) >= 1e-4 && std::abs(d) < 1e15);
  std::array<char, 40> text;
  const auto r = std::to_chars(text.data(), text.data() + text.size(), d,
                               fixed ? std::chars_format::fixed : std::chars_format::scientific);
  const std::string_view digits(text.data(), static_cast<size_t>(r.ptr - text.data()));
  *out += digits;
  if (digits.find_first_of(".e") == std::string_view::npos) *out += ".0";
}

// The document bounds the depth.
void append_value(JsonValue value, std::string* out) {
  bool first = true;
  switch (value.type()) {
    case JsonType::Null:
      *out += "null";
      return;
    case JsonType::Bool:
      *out += *value.boolean() ? "true" : "false";
      return;
    case JsonType::String:
      return append_quoted(*value.string(), out);
    case JsonType::Array: {
      const JsonArray items = *value.array();
      *out += '[';
      for (const JsonValue item : items) {
        if (!std::exchange(first, false)) *out += ',';
        append_value(item, out);
      }
      *out += ']';
      return;
    }
    case JsonType::Object: {
      const JsonObject members = *value.object();
      *out += '{';
      for (const auto [key, item] : members) {
        if (!std::exchange(first, false)) *out += ',';
        append_quoted(key, out);
        *out += ':';
        append_value(item, out);
      }
      *out += '}';
      return;
    }
    default:
      return append_number(value, out);
  }
}

}  // namespace

std::string json_minified(JsonValue value) {
  std::string out;
  append_value(value, &out);
  return out;
}

bool scan_json_rows(std::string_view text, size_t readable, std::string_view text_key,
                    std::initializer_list<std::string_view> number_keys,
                    const std::function<void(std::string_view, std::span<const double>)>& row) {
  namespace ondemand = simdjson::ondemand;
  const bool in_place = readable >= text.size() + simdjson::SIMDJSON_PADDING;
  const simdjson::padded_string copy = in_place ? simdjson::padded_string() : simdjson::padded_string(text);
  const simdjson::padded_string_view padded = in_place
                                                  ? simdjson::padded_string_view(text.data(), text.size(), readable)
                                                  : static_cast<simdjson::padded_string_view>(copy);
  ondemand::parser parser;
  ondemand::document document;
  ondemand::object root;
  if (parser.iterate(padded).get(document) != simdjson::SUCCESS ||
      document.get_object().get(root) != simdjson::SUCCESS) {
    return false;
  }
  std::vector<double> numbers(number_keys.size());
  for (auto section : root) {
    ondemand::array rows;
    if (section.error() != simdjson::SUCCESS) return false;
    if (section.value().get_array().get(rows) != simdjson::SUCCESS) continue;
    for (auto element : rows) {
      ondemand::object members;
      if (element.error() != simdjson::SUCCESS) return false;
      if (element.get_object().get(members) != simdjson::SUCCESS) continue;
      std::string_view name;
      bool whole = members[text_key].get_string().get(name) == simdjson::SUCCESS;
      for (size_t i = 0; whole && i < numbers.size(); ++i) {
        whole = members[number_keys.begin()[i]].get_double().get(numbers[i]) == simdjson::SUCCESS;
      }
      if (whole) row(name, numbers);
    }
  }
  return document.current_location().error() == simdjson::OUT_OF_BOUNDS;  // nothing behind it
}

}  // namespace et
