// `et-inspect export --format parquet`: stores and traces as a data set.
#pragma once

#include "cli/arguments.h"

namespace et::cli {

inline constexpr const char* kParquet = "parquet";

int export_dataset(const Arguments& args);

}  // namespace et::cli
