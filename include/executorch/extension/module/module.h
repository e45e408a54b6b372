// Module: a program with its memory, loaded and run in a line or two.
#pragma once

#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "executorch/runtime/backend/backend_options_map.h"
#include "executorch/runtime/executor/program.h"
#include "runtime/module/module.h"

namespace executorch::extension {
namespace module {
using ::et::Module;
}
using ::executorch::runtime::Kernel;
using ::executorch::runtime::LoadBackendOptionsMap;
using ::executorch::runtime::Method;
using ::executorch::runtime::MethodMeta;
using ::executorch::runtime::NamedDataMap;
using ::executorch::runtime::Program;
using module::Module;
}  // namespace executorch::extension
namespace torch::executor {
using ::executorch::extension::Module;
}
