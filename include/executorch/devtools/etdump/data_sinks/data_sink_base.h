// DataSinkBase: where the bytes of logged values go.
#pragma once

#include "etdump/data_sink.h"
#include "executorch/runtime/core/result.h"

namespace executorch::etdump {
using ::et::etdump::DataSinkBase;
}  // namespace executorch::etdump
