#include "cli/given_files.h"

#include <deque>

#include "base/stream_input.h"
#include "cli/file_values.h"

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
  std::vector<FileValue> files;
  std::deque<std::string> values;
  for (const OptionSpec* o : options_of(args.command())) {
    if (o->use != FileUse::Writes || !args.given(o->name)) continue;
    values.push_back(args.text(o->name));
    files.push_back({std::string("--") + o->name, &values.back(), true});
  }
  for (const std::string& path : paths) {
    values.push_back(path);
    files.push_back({"found beside the files given", &values.back(), false});
  }
  return check_outputs(files);
}

}  // namespace et::cli
