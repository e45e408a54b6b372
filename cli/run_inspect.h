// et-inspect as a function: its command line, from the arguments to the exit code.
#pragma once

namespace et::cli {

/// No exception leaves it.
int run_inspect(int argc, char** argv);

}  // namespace et::cli
