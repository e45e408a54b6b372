// For sources written against ExecuTorch's namespaces: the names of this runtime under those. Include it in place of
// the executorch/... headers; new programs need only namespace et.
#pragma once

#include "etdump/etdump_gen.h"
#include "runtime/core/library.h"
#include "runtime/loader/buffer_data_loader.h"
#include "runtime/loader/file_data_loader.h"
#include "runtime/loader/mmap_data_loader.h"
#include "runtime/module/module.h"
#include "runtime/module/tensor.h"
#include "runtime/platform/log.h"

namespace executorch {
namespace runtime {
using namespace ::et;
}
namespace aten {
using namespace ::et;
}
namespace extension {
using namespace ::et;
}
namespace etdump {
using ::et::etdump::ETDumpGen;
using ::et::etdump::ETDumpResult;
}  // namespace etdump
}  // namespace executorch

namespace torch::executor {
using namespace ::et;
using ::et::etdump::ETDumpGen;
using etdump_result = ::et::etdump::ETDumpResult;
}  // namespace torch::executor
