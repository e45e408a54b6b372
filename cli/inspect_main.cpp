// et-inspect
#include "cli/run_inspect.h"

int main(int argc, char** argv) { return et::cli::run_inspect(argc, argv); }
