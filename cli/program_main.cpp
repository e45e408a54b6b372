#include "cli/program_main.h"

#include <csignal>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "cli/completion_script.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/given_files.h"
#include "cli/help.h"
#include "cli/language.h"
#include "cli/man_page.h"
#include "cli/output.h"

namespace et::cli {
namespace {

int answer(const ProgramSpec& program, int argc, char** argv) {
  const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
  choose_language(words);
  Arguments args;
  const Status status = parse(program, words, &args);
  const CommandSpec& command = args.command();
  if (!status.ok()) {
    print_error(status.message());
    print_hint("'" + full_name(program, command) + " --help' shows arguments, options and examples");
    return kExitUsage;
  }
  if (args.flag("help")) {
    return print_text(args, help_text(program, command, output_width(args), use_color(args)));
  }
  if (args.flag("version")) return print_text(args, std::string(program.name) + " " + program.version + "\n");
  if (args.flag("man")) return print_text(args, man_page(program, command));
  if (args.given("completion")) {
    return print_text(args, completion_script(program, args.text("completion")));
  }
  if (const Status s = read_given_streams(args); !s.ok()) return fail(s);
  return command.run(args);
}

}  // namespace

int print_text(const Arguments& args, std::string_view text) {
  if (args.command().common == nullptr) return write_output(args, text);  // --output of the common options
  Output out;
  if (!locale_has_utf8() && !args.flag("json")) out.write_ascii();
  Status status = out.open("-");
  if (status.ok()) {
    out.stream() << text;
    status = out.finish();
  }
  return status.ok() ? kExitOk : fail(status);
}

int run_program(const ProgramSpec& program, int argc, char** argv) {
  set_program_name(program.name);
  // A reader that goes away (`| head`) is seen as an error of write(), which Output takes quietly.
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return answer(program, argc, argv);
  } catch (const std::bad_alloc&) {
    return fail(kExitInput, "out of memory");
  } catch (const std::exception& e) {
    return fail(kExitInput, std::string("internal error: ") + e.what());
  }
}

}  // namespace et::cli
