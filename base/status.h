// Status of the desktop side: a code and a message for a person. Header only, so that format readers stay free of it.
#pragma once

#include <string>
#include <utility>

#include "base/error.h"
#include "base/file_error.h"

namespace et {

class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Error code, std::string message) : code_(code), message_(std::move(message)) {}

  /// "<path>: <field>[index] at byte <offset>: expected <what>".
  static Status of_file(const std::string& path, const FileError& e) {
    if (e.ok()) return {};
    std::string text = path + ": " + e.field;
    if (e.index >= 0) text += "[" + std::to_string(e.index) + "]";
    text += " at byte " + std::to_string(e.offset) + ": expected " + e.expected;
    return {e.code, std::move(text)};
  }

  bool ok() const { return code_ == Error::Ok; }
  Error code() const { return code_; }
  const std::string& message() const { return message_; }

 private:
  Error code_ = Error::Ok;
  std::string message_;
};

}  // namespace et
