#include "cli/given_files.h"

#include "base/stream_input.h"
#include "cli/written_files.h"

namespace et::cli {

Status read_given_streams(const Arguments& args) {
  std::vector<const OptionSpec*> specs = options_of(args.command());
  for (const OptionSpec& p : args.command().positionals) specs.push_back(&p);
  for (const OptionSpec* spec : specs) {
    if (spec->complete != Complete::File || spec->use != FileUse::Reads) continue;
    for (const std::string& path : args.list(spec->name)) {
      if (Status s = read_stream(path); !s.ok()) return s;
    }
  }
  return {};
}

Status check_found_files(const Arguments& args, const std::vector<std::string>& paths) {
  std::vector<NamedFile> read;
  for (const std::string& path : paths) read.push_back({"found beside the files given", path});
  return check_written(written_files(args), read);
}

}  // namespace et::cli
