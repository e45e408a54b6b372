// The events of an ETDump grouped as ExecuTorch's Inspector groups them: runs with the same events are one block, and
// what stands at one place of a block is one row with a time for each run. et_inspect/compat builds on it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "etdump/event.h"

namespace et::python {

/// Name and identifiers of a profile or debug event; -1 and "" where there is none.
struct EventIdentity {
  std::string_view name = {};
  int32_t delegate_int = -1;
  std::string_view delegate_text = {};
  bool operator==(const EventIdentity&) const = default;
};

struct RowKey {
  int32_t instruction = -1;
  bool has_profile = false, has_debug = false;
  EventIdentity profile = {}, debug = {};
  bool operator==(const RowKey&) const = default;
};

/// What one run has for a row.
struct RowSample {
  uint64_t start = 0, end = 0;
  std::string_view metadata = {};
  std::vector<etdump::Value> values = {};
};

struct EventGroup {
  std::string_view name = {};
  int32_t bundled_input_index = -1;
  std::vector<RowKey> rows = {};
  std::vector<std::vector<RowSample>> runs = {};         // each as long as rows
  std::vector<std::vector<etdump::Value>> outputs = {};  // of each run
};

struct EventGroups {
  std::vector<EventGroup> groups;
  uint64_t lost = 0;  // tables that could not be read
  std::string first_loss;
};

/// Views point into `file`. Errors: InvalidExternalData.
Status group_events(std::span<const uint8_t> file, const std::string& path, EventGroups* out);

}  // namespace et::python
