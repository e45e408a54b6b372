// XnnpackBackend: runs the payloads that ExecuTorch's XNNPACK partitioner makes, with operators of this project.
#pragma once

#include "base/error.h"

namespace et {

/// Registers "XnnpackBackend". RegistrationAlreadyRegistered: another backend has that name.
Error register_xnnpack_backend();

}  // namespace et
