// The Python object over a table; it shares the columns with what was made of it.
#pragma once

#include <memory>

#include "python/src/bindings.h"
#include "python/src/table_data.h"

namespace et::python {

struct Table {
  std::shared_ptr<const TableData> data;
};

/// A capsule "arrow_array_stream" with one batch (the Arrow PyCapsule interface).
nb::capsule arrow_stream(std::shared_ptr<const TableData> data);

}  // namespace et::python
