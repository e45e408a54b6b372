// Writes JSON text: commas, indentation and escaping are its business, the order of calls is the caller's.
// Objects of the second level and deeper stand on one line, so that a report of many ops stays readable by line tools.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "inspector/text/compact.h"
#include "inspector/text/format.h"

namespace et::inspector {

/// `schema_version` of what commands print as JSON: raised when a member is renamed or removed.
constexpr int kJsonSchemaVersion = 1;

class JsonWriter {
 public:
  explicit JsonWriter(std::string* out) : out_(out) {}

  JsonWriter& begin_object() { return open('{'); }
  JsonWriter& end_object() { return close('}'); }
  JsonWriter& begin_array() { return open('['); }
  JsonWriter& end_array() { return close(']'); }

  JsonWriter& key(std::string_view name) {
    separate();
    append_json_string(out_, name);
    *out_ += ": ";
    after_key_ = true;
    return *this;
  }

  JsonWriter& value(std::string_view text) {
    separate();
    append_json_string(out_, text);
    return *this;
  }
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(const std::string& text) { return value(std::string_view(text)); }
  JsonWriter& value(bool b) { return raw(b ? "true" : "false"); }
  JsonWriter& value(int64_t v) { return raw(std::to_string(v)); }
  JsonWriter& value(int v) { return value(static_cast<int64_t>(v)); }
  JsonWriter& value(std::nullptr_t) { return raw("null"); }
  /// Infinite and NaN have no JSON: null.
  JsonWriter& value(double v) {
    const std::string text = format_double(v);
    return raw(text.empty() ? "null" : text);
  }
  template <class T>
  JsonWriter& value(const std::optional<T>& v) {
    return v ? value(*v) : value(nullptr);
  }
  template <class T>
  JsonWriter& value(const Maybe<T>& v) {
    return v ? value(*v) : value(nullptr);
  }
  JsonWriter& value(const MaybeText& v) { return v ? value(*v) : value(nullptr); }
  template <class T>
  JsonWriter& member(std::string_view name, const T& v) {
    key(name);
    return value(v);
  }
  /// Text that is JSON already.
  JsonWriter& raw(std::string_view json) {
    separate();
    *out_ += json;
    return *this;
  }

 private:
  // Levels up to this one have a line for each of their members.
  static constexpr size_t kLineDepth = 2;

  JsonWriter& open(char c) {
    separate();
    *out_ += c;
    empty_.push_back(true);
    return *this;
  }
  JsonWriter& close(char c) {
    const bool empty = empty_.back();
    if (!empty && empty_.size() <= kLineDepth) line(empty_.size() - 1);
    empty_.pop_back();
    *out_ += c;
    if (empty_.empty()) *out_ += '\n';
    return *this;
  }
  void separate() {
    if (after_key_) {
      after_key_ = false;
      return;
    }
    if (empty_.empty()) return;
    if (!empty_.back()) *out_ += ',';
    if (empty_.size() <= kLineDepth) {
      line(empty_.size());
    } else if (!empty_.back()) {
      *out_ += ' ';
    }
    empty_.back() = false;
  }
  void line(size_t depth) {
    *out_ += '\n';
    out_->append(depth * 2, ' ');
  }

  std::string* out_;
  std::vector<bool> empty_;
  bool after_key_ = false;
};

}  // namespace et::inspector
