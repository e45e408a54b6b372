// Span: a view of objects in a row.
#pragma once

#include "base/span.h"
#include "executorch/runtime/platform/assert.h"

namespace executorch::runtime {
using ::et::Span;
}  // namespace executorch::runtime
namespace torch::executor {
using ::executorch::runtime::Span;
}  // namespace torch::executor
