// A policy under which what was just measured passes: a start for a model whose outputs differ a little from the
// expected ones.
#pragma once

#include <string>

#include "cli/check/report.h"

namespace et::cli {

/// TOML, with the measured figures as comments. One table for each output of a method, over all cases and files.
/// `covers`: false when a check failed for something that no tolerance allows (named in a comment).
std::string suggested_policy(const CheckReport& report, bool* covers);

}  // namespace et::cli
