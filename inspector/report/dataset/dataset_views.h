// From a view of the store to the statement that a data set's files are written from.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "inspector/store/schema_doc.h"
#include "inspector/store/table_data.h"

namespace et::inspector {

struct DatasetView {
  enum class Of : uint8_t { Trace, Ops, Op, Partition, CheckRun, CheckCase };
  const char* name;  ///< folder in the data set
  Of of;
  const char* order;
  const char* more;  ///< columns beside the view's
};

std::span<const DatasetView> dataset_views();

struct DatasetColumn {
  std::string name;
  ColumnKind kind = ColumnKind::Text;
  std::string list_type;  ///< Arrow type of what is JSON in the store, else ""
};

/// The statement of a view: column 0 is the partition, whose rows come together; the others are `columns`.
struct DatasetQuery {
  std::string sql;
  std::vector<DatasetColumn> columns;
};

/// `docs` are those of the schema; `redact`: private columns go through the SQL function fleet_redact.
DatasetQuery dataset_query(const DatasetView& view, const std::vector<ViewDoc>& docs, bool redact);

/// Tables whose numbers become numbers of the fleet, each once.
std::vector<std::string> numbered_tables();

}  // namespace et::inspector
