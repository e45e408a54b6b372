#ifdef ET_WITH_CALIBRATION
#include "cli/calibrate/calibrate.h"
#endif
#include "cli/program_main.h"
#include "cli/run_command.h"

int main(int argc, char** argv) {
#ifdef ET_WITH_CALIBRATION
  return et::cli::run_program(et::cli::et_run(&et::cli::calibrate), argc, argv);
#else
  return et::cli::run_program(et::cli::et_run(), argc, argv);
#endif
}
