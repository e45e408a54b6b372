#include "cli/program_main.h"
#include "cli/run_command.h"

int main(int argc, char** argv) { return et::cli::run_program(et::cli::et_run(), argc, argv); }
