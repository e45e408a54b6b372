// JSON as Python writes it: a parsed document and views of its values. The parser is hidden in json.cpp; the views walk
// the flat tape that it leaves, so that reading a large graph costs no calls.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/status.h"

namespace et {

enum class JsonType : uint8_t { Null, Bool, Int, UInt, Double, String, Array, Object };  // UInt: above INT64_MAX only

class JsonArray;
class JsonObject;

/// simdjson's tape: words of a type character and 56 bits of payload, numbers in the next word, strings
/// as offsets of (length, text).
struct JsonTape {
  const uint64_t* words = nullptr;
  const uint8_t* strings = nullptr;

  char type(size_t at) const { return static_cast<char>(words[at] >> 56); }
  uint64_t payload(size_t at) const { return words[at] & ((uint64_t{1} << 56) - 1); }
  std::string_view string(size_t at) const {
    const uint8_t* from = strings + payload(at);
    uint32_t length = 0;
    std::memcpy(&length, from, sizeof(length));
    return {reinterpret_cast<const char*>(from + sizeof(length)), length};
  }
  /// Where the value behind the one at `at` begins.
  size_t after(size_t at) const {
    switch (type(at)) {
      case '[':
      case '{':
        return static_cast<uint32_t>(words[at]);
      case 'l':
      case 'u':
      case 'd':
        return at + 2;
      default:
        return at + 1;
    }
  }
};

/// A value of a document: two words, to be copied. Lives until the document's next parse(). A default one is null.
class JsonValue {
 public:
  JsonValue() = default;
  JsonValue(const JsonTape* tape, size_t at) : tape_(tape), at_(at) {}

  JsonType type() const {
    switch (tape_->type(at_)) {
      case '{':
        return JsonType::Object;
      case '[':
        return JsonType::Array;
      case '"':
        return JsonType::String;
      case 'l':
        return JsonType::Int;
      case 'u':
        return JsonType::UInt;
      case 'd':
        return JsonType::Double;
      case 't':
      case 'f':
        return JsonType::Bool;
      default:
        return JsonType::Null;
    }
  }
  bool is_null() const { return tape_->type(at_) == 'n'; }
  bool is_string() const { return tape_->type(at_) == '"'; }
  bool is_number() const {
    const char c = tape_->type(at_);
    return c == 'l' || c == 'u' || c == 'd';
  }

  // nullopt for a value of another type. Nothing is converted but integers to double; json_int() and json_double()
  // take more.
  std::optional<JsonObject> object() const;
  std::optional<JsonArray> array() const;
  std::optional<std::string_view> string() const {
    if (!is_string()) return std::nullopt;
    return tape_->string(at_);
  }
  std::optional<bool> boolean() const {
    const char c = tape_->type(at_);
    if (c != 't' && c != 'f') return std::nullopt;
    return c == 't';
  }
  std::optional<int64_t> integer() const {
    if (tape_->type(at_) != 'l') return std::nullopt;
    return static_cast<int64_t>(tape_->words[at_ + 1]);
  }
  std::optional<uint64_t> unsigned_integer() const;
  std::optional<double> real() const;

  /// The first member of this name; nullopt where there is none or this is no object.
  std::optional<JsonValue> find(std::string_view key) const;

 private:
  static constexpr uint64_t kNullWord = uint64_t{'n'} << 56;
  static constexpr JsonTape kNullTape = {&kNullWord, nullptr};

  const JsonTape* tape_ = &kNullTape;
  size_t at_ = 0;
};

struct JsonMember {
  std::string_view key;
  JsonValue value;
};

/// Elements in document order.
class JsonArray {
 public:
  class Iterator {
   public:
    Iterator(const JsonTape* tape, size_t at) : tape_(tape), at_(at) {}
    JsonValue operator*() const { return {tape_, at_}; }
    Iterator& operator++() {
      at_ = tape_->after(at_);
      return *this;
    }
    bool operator!=(const Iterator& other) const { return at_ != other.at_; }

   private:
    const JsonTape* tape_;
    size_t at_;
  };

  JsonArray() = default;
  JsonArray(const JsonTape* tape, size_t at) : tape_(tape), at_(at) {}
  Iterator begin() const { return {tape_, at_ + 1}; }
  Iterator end() const { return {tape_, tape_ == nullptr ? 1 : tape_->after(at_) - 1}; }
  bool empty() const { return !(begin() != end()); }
  /// Counted up to 2^24 - 1.
  size_t size() const { return tape_ == nullptr ? 0 : static_cast<size_t>(tape_->payload(at_) >> 32); }

 private:
  const JsonTape* tape_ = nullptr;
  size_t at_ = 0;
};

/// Members in document order, with all of equal names.
class JsonObject {
 public:
  class Iterator {
   public:
    Iterator(const JsonTape* tape, size_t at) : tape_(tape), at_(at) {}
    JsonMember operator*() const { return {tape_->string(at_), {tape_, at_ + 1}}; }
    Iterator& operator++() {
      at_ = tape_->after(at_ + 1);
      return *this;
    }
    bool operator!=(const Iterator& other) const { return at_ != other.at_; }

   private:
    const JsonTape* tape_;
    size_t at_;
  };

  JsonObject() = default;
  JsonObject(const JsonTape* tape, size_t at) : tape_(tape), at_(at) {}
  Iterator begin() const { return {tape_, at_ + 1}; }
  Iterator end() const { return {tape_, tape_ == nullptr ? 1 : tape_->after(at_) - 1}; }
  bool empty() const { return !(begin() != end()); }
  /// Counted up to 2^24 - 1.
  size_t size() const { return tape_ == nullptr ? 0 : static_cast<size_t>(tape_->payload(at_) >> 32); }
  std::optional<JsonValue> find(std::string_view key) const {
    for (const JsonMember member : *this) {
      if (member.key == key) return member.value;
    }
    return std::nullopt;
  }

 private:
  const JsonTape* tape_ = nullptr;
  size_t at_ = 0;
};

inline std::optional<JsonObject> JsonValue::object() const {
  if (tape_->type(at_) != '{') return std::nullopt;
  return JsonObject(tape_, at_);
}

inline std::optional<JsonArray> JsonValue::array() const {
  if (tape_->type(at_) != '[') return std::nullopt;
  return JsonArray(tape_, at_);
}

inline std::optional<JsonValue> JsonValue::find(std::string_view key) const {
  const auto members = object();
  return members ? members->find(key) : std::nullopt;
}

/// A parsed document; its values live until the next parse().
class JsonDocument {
 public:
  JsonDocument();
  ~JsonDocument();
  JsonDocument(JsonDocument&&) noexcept;
  JsonDocument& operator=(JsonDocument&&) noexcept;

  /// Strict JSON goes straight to the parser. What Python adds is rewritten first, and only then: bare Infinity,
  /// -Infinity, NaN and numbers beyond 64 bit become strings (json_double reads them back), lone surrogates U+FFFD.
  /// Errors: InvalidExternalData with `where`, the byte offset in `text` and what was expected there.
  Status parse(std::string_view text, const std::string& where, uint32_t max_depth);

  JsonValue root() const;
  /// The text was not standard JSON and has been rewritten.
  bool rewritten() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Integers, and booleans as 0 and 1. Beyond int64 it fails.
std::optional<int64_t> json_int(JsonValue value);
/// Numbers, booleans as 0 and 1, and the strings that rewriting made.
std::optional<double> json_double(JsonValue value);
inline std::optional<std::string_view> json_string(JsonValue value) { return value.string(); }

/// The value as JSON without spaces.
std::string json_minified(JsonValue value);

/// Reads a table without building a document: {"list": [{row}, …], …}. Calls `row` for each object that has a string
/// `text_key` and all of `number_keys`, with their values. What lies between is skipped, Python's bare NaN too.
/// `readable`: how many bytes from the start of `text` may be read; a parser reads a little beyond the end. False where
/// `text` is no JSON of this form.
bool scan_json_rows(std::string_view text, size_t readable, std::string_view text_key,
                    std::initializer_list<std::string_view> number_keys,
                    const std::function<void(std::string_view, std::span<const double>)>& row);

}  // namespace et
