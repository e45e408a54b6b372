// The views of the store as a document: schema.sql is both what SQLite runs and where every column is described.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "inspector/store/store.h"

namespace et::inspector {

struct ColumnDoc {
  std::string name;
  std::string type;  // INTEGER, REAL, TEXT or BLOB
  std::string description;
};

struct ViewDoc {
  std::string name, description;
  std::vector<ColumnDoc> columns;
};

/// The views in the order of `sql`, from its lines "--@view name: text" and "expression AS name, -- description".
/// Types are left empty.
std::vector<ViewDoc> parse_schema_doc(std::string_view sql);

/// The compiled-in schema with the types that SQLite gives each column; for a computed column, that of its expression.
Status schema_doc(std::vector<ViewDoc>* out);

}  // namespace et::inspector
