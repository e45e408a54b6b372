// et-inspect: parses the command line by the option table and hands over to the command.
#include "cli/run_inspect.h"

#include <csignal>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "base/interruption.h"
#include "cli/arguments.h"
#include "cli/commands/version.h"
#include "cli/completion_script.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/help.h"
#include "cli/language.h"
#include "cli/man_page.h"
#include "cli/output.h"
#include "inspector/store/store.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace et::cli {

namespace {

// One heap for both threads of an import, which grows by megabytes: one of its own for the second thread asks the
// kernel for each page of the store.
void use_one_heap() {
#ifdef __GLIBC__
  constexpr int kMegabyte = 1 << 20;
  ::mallopt(M_ARENA_MAX, 1);
  ::mallopt(M_TOP_PAD, 4 * kMegabyte);
  ::mallopt(M_TRIM_THRESHOLD, 64 * kMegabyte);
  ::mallopt(M_MMAP_THRESHOLD, 8 * kMegabyte);
#endif
}

int parse_and_run(int argc, char** argv) {
  const ProgramSpec& program = et_inspect();
  const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
  choose_language(words);
  Arguments args;
  const Status status = parse(program, words, &args);
  if (!status.ok()) {
    print_error(status.message());
    print_hint("'" + full_name(program, args.command()) + " --help' shows arguments, options and examples");
    return kExitUsage;
  }
  if (args.flag("help")) {
    return write_output(args, help_text(program, args.command(), output_width(args), use_color(args)));
  }
  if (args.flag("version")) return write_output(args, version_text(program));
  if (args.flag("man")) return write_output(args, man_page(program, args.command()));
  if (args.given("completion")) return write_output(args, completion_script(program, args.text("completion")));
  return args.command().run(args);
}

}  // namespace

int run_inspect(int argc, char** argv) {
  // `et-inspect … | head`: a reader that goes away is seen as an error of write(), which Output takes quietly.
  std::signal(SIGPIPE, SIG_IGN);
  use_one_heap();
  inspector::use_sqlite_alone();
  catch_interruptions(OnInterruption::Exit, "et-inspect");
  try {
    return parse_and_run(argc, argv);
  } catch (const std::bad_alloc&) {
    return fail(kExitInput, "out of memory");
  } catch (const std::exception& e) {
    return fail(kExitInput, std::string("internal error: ") + e.what());
  }
}

}  // namespace et::cli
