// et-check: runs the test cases of bundled programs and says which of them fail, and why; makes bundled programs.
#include "cli/check/commands.h"
#include "cli/program_main.h"

int main(int argc, char** argv) { return et::cli::run_program(et::cli::et_check(), argc, argv); }
