// What a delegate will record, told from its payload: events at load, the first time and at each call, and the values
// that each logs. As the backends of this project do; of other runtimes the numbers of events are about these.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/scalar_type.h"
#include "runtime/format/program.h"

namespace et::inspector {

struct ForecastValue {
  ScalarType type = ScalarType::Float;
  std::vector<int32_t> sizes;
};

struct ForecastEvent {
  std::string name;
  std::vector<uint8_t> metadata;
  std::vector<ForecastValue> values;
};

struct DelegateForecast {
  std::string backend, payload_kind;
  bool known = false;                ///< false: how many events it records cannot be told
  std::vector<ForecastEvent> load;   ///< while the method is loaded
  std::vector<ForecastEvent> first;  ///< before those of the first call
  std::vector<ForecastEvent> run;    ///< at each call
};

/// `values`: intermediate outputs are logged, for which XNNPACK fuses nothing.
DelegateForecast forecast_delegate(const format::Delegate& delegate, bool values);

/// Name with overload, as events have it: "aten::add.out".
std::string operator_text(const format::Method& method, const format::Instruction& in);
/// The values that the runtime logs of a kernel call: value indices.
std::vector<int32_t> logged_arguments(const format::Method& method, const format::Instruction& in);

}  // namespace et::inspector
