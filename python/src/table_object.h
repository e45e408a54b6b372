// The Python object over a table; it shares the columns with what was made of it.
#pragma once

#include <memory>

#include "inspector/store/table_data.h"
#include "python/src/bindings.h"

namespace et::python {

using Column = inspector::DataColumn;
using inspector::ColumnKind;
using inspector::TableData;

struct Table {
  std::shared_ptr<const TableData> data;
};

/// A capsule "arrow_array_stream" with one batch (the Arrow PyCapsule interface).
nb::capsule arrow_stream(std::shared_ptr<const TableData> data);

}  // namespace et::python
