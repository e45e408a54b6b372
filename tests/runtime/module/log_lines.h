// Collects what the runtime logs, so that tests can ask whether a message names the file and the cause.
#pragma once

#include <string>

#include "runtime/platform/platform.h"

namespace et::test {

class LogLines {
 public:
  LogLines() {
    text().clear();
    before_ = platform();
    Platform p = before_;
    p.emit_log = [](const LogMessage& m) { text().append(m.message, m.length).append("\n"); };
    set_platform(p);
  }
  ~LogLines() { set_platform(before_); }
  bool has(const std::string& part) const { return text().find(part) != std::string::npos; }
  const std::string& all() const { return text(); }

 private:
  static std::string& text() {
    static std::string t;
    return t;
  }
  Platform before_;
};

}  // namespace et::test
