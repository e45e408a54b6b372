// et-inspect, et-run and et-check in one file, told apart by the name that it is called by: kernels and inspector are
// in a package once. suite_entry.cpp is what stands in for the other two names.
#include <string_view>

#include "cli/calibrate/calibrate.h"
#include "cli/check/commands.h"
#include "cli/program_main.h"
#include "cli/run_command.h"
#include "cli/run_inspect.h"

int main(int argc, char** argv) {
  using namespace et::cli;
  std::string_view name = argc > 0 ? argv[0] : "";
  name = name.substr(name.find_last_of('/') + 1);
  if (name == "et-inspect") return run_inspect(argc, argv);
  if (name == "et-run") return run_program(et_run(&calibrate), argc, argv);
  return run_program(et_check(), argc, argv);
}
