// Arrow's C++ library, loaded when a Parquet file is wanted: et_parquet.so, beside the command or where
// ET_INSPECT_PARQUET says. Arrow is 60 MB, more than all commands together, and no other command needs it.
#pragma once

#include "inspector/report/dataset/dataset.h"

namespace et::inspector {

/// `program_folder`: where the running command lies. Errors: NotFound with what to install.
Status load_parquet_writer(const std::string& program_folder, DatasetWriter* out);

}  // namespace et::inspector
