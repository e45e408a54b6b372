// What a backend is told beside its options.
#pragma once

namespace executorch::runtime {
class BackendOptionContext {};
}  // namespace executorch::runtime
namespace torch::executor {
using ::executorch::runtime::BackendOptionContext;
}
