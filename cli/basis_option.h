// --basis, of the commands that show times.
#pragma once

#include <optional>

#include "cli/arguments.h"
#include "inspector/analysis/ops/basis.h"

namespace et::cli {

/// Nothing when it was not given: each format has its default. Errors: InvalidArgument.
inline Status read_basis(const Arguments& args, std::optional<inspector::Basis>* out) {
  if (!args.given("basis")) return {};
  inspector::Basis basis;
  const Status status = inspector::parse_basis(args.text("basis"), &basis);
  if (status.ok()) *out = basis;
  return status;
}

}  // namespace et::cli
