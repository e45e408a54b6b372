#include "cli/run/twins.h"

#include "runtime/backends/backend.h"
#include "runtime/module/log_capture.h"

namespace et::cli {

Status use_twins(const std::string& path) {
  if (path.empty()) return {};
  if (path.size() + 1 > kMaxOptionValueLength) {
    return {Error::InvalidArgument, "--tosa: expected a path of at most " + std::to_string(kMaxOptionValueLength - 1) +
                                        " bytes, got " + std::to_string(path.size())};
  }
  capture_errors();
  static_cast<void>(take_errors());
  const BackendOption option("tosa", path.c_str());
  const Error error = set_option("EthosUBackend", {&option, 1});
  if (error == Error::Ok) return {};
  const std::string cause = take_errors();
  return {error, cause.empty() ? path + ": EthosUBackend is not in this build" : cause};
}

}  // namespace et::cli
