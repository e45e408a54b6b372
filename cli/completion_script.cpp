#include "cli/completion_script.h"

#include <algorithm>
#include <string_view>

#include "inspector/text/words.h"

namespace et::cli {
namespace {

/// A name that a shell function may have: et_inspect.
std::string identifier(std::string_view name) {
  std::string out(name);
  std::replace(out.begin(), out.end(), '-', '_');
  return out;
}

/// In single quotes, for any of the three shells. fish alone reads backslashes there; the table has none.
std::string in_single_quotes(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

std::vector<std::string> command_names(const ProgramSpec& program) {
  std::vector<std::string> out;
  for (const CommandSpec* c : program.commands) {
    if (c->name[0] != 0) out.emplace_back(c->name);
  }
  return out;
}

/// Everything with dashes that a command takes.
std::vector<std::string> option_words(const CommandSpec& command) {
  std::vector<std::string> out;
  for (const OptionSpec* o : options_of(command)) {
    out.push_back(std::string("--") + o->name);
    if (o->short_name != 0) out.push_back(std::string("-") + o->short_name);
  }
  return out;
}

std::string own_words(const ProgramSpec& program, const char* shell) {
  return std::string(program.name) + " --completion " + shell;
}

/// A trace may be one of a store: store.db#3.
bool takes_trace(const OptionSpec& o) { return std::string_view(o.name) == "trace"; }

bool any_takes_trace(const ProgramSpec& program) {
  for (const CommandSpec* c : program.commands) {
    for (const OptionSpec& p : c->positionals) {
      if (takes_trace(p)) return true;
    }
  }
  return false;
}

/// Prints what may stand behind the # of a store, below a title. `store` is the shell's word for its path.
std::string list_traces(const ProgramSpec& program, const char* store) {
  return std::string(program.name) + " sql " + store +
         " 'SELECT trace_id FROM traces UNION ALL SELECT name FROM traces WHERE name IS NOT NULL' --format tsv "
         "2>/dev/null";
}

const OptionSpec* first_positional(const CommandSpec& command) {
  return command.positionals.empty() ? nullptr : &command.positionals[0];
}

// bash ------------------------------------------------------------------------------------------------------------

/// Shell words that fill COMPREPLY for a value.
std::string bash_offer(const OptionSpec& o) {
  if (takes_trace(o)) return "_et_offer_traces";
  switch (o.complete) {
    case Complete::File:
      return "compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- \"$cur\"))";
    case Complete::Directory:
      return "compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -d -- \"$cur\"))";
    case Complete::Choices:
      return "COMPREPLY=($(compgen -W " + in_single_quotes(inspector::joined(choices_of(o), " ")) + " -- \"$cur\"))";
    case Complete::None:
      break;
  }
  return "COMPREPLY=()";
}

/// Names are compared, never expanded: compgen -W would run what they say.
std::string bash_traces(const ProgramSpec& program) {
  if (!any_takes_trace(program)) return "";
  return "_et_offer_traces() {\n"
         "  if [[ $cur == *'#'* ]]; then\n"
         "    local store=${cur%%#*} line title=''\n"
         "    while IFS= read -r line; do\n"
         "      if [[ -z $title ]]; then title=$line; continue; fi\n"
         "      line=$store#$line\n"
         "      if [[ ${line:0:${#cur}} == \"$cur\" ]]; then COMPREPLY+=(\"$line\"); fi\n"
         "    done < <(" +
         list_traces(program, "\"$store\"") +
         ")\n"
         "  else\n"
         "    compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- \"$cur\"))\n"
         "  fi\n"
         "}\n";
}

// zsh -------------------------------------------------------------------------------------------------------------

/// Inside an _arguments specification brackets and colons mean something.
std::string zsh_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string zsh_action(const OptionSpec& o) {
  if (takes_trace(o)) return "_et_offer_traces";
  switch (o.complete) {
    case Complete::File:
      return "_files";
    case Complete::Directory:
      return "_files -/";
    case Complete::Choices:
      return "(" + inspector::joined(choices_of(o), " ") + ")";
    case Complete::None:
      break;
  }
  return " ";
}

std::string zsh_traces(const ProgramSpec& program) {
  if (!any_takes_trace(program)) return "";
  return "_et_offer_traces() {\n"
         "  if [[ $PREFIX == *'#'* ]]; then\n"
         "    local store=${PREFIX%%[#]*}\n"
         "    local -a lines\n"
         "    lines=(${(f)\"$(" +
         list_traces(program, "\"${(Q)store}\"") +
         ")\"})\n"
         "    compadd -- \"$store#\"${^lines[2,-1]}\n"
         "  else\n"
         "    _files\n"
         "  fi\n"
         "}\n\n";
}

void zsh_option(std::string& out, const OptionSpec& o) {
  const std::string value = o.argument == nullptr ? "" : ":" + zsh_escaped(o.argument) + ":" + zsh_action(o);
  auto add = [&](const std::string& word, const std::string& sign, const std::string& excluded) {
    const std::string repeat = o.many ? "*" : excluded;
    out += " \\\n      " + in_single_quotes(repeat + word + sign + "[" + zsh_escaped(o.help) + "]" + value);
  };
  const std::string name = std::string("--") + o.name;
  std::string both = "(" + name + ")";
  if (o.short_name != 0) both = "(" + name + " -" + o.short_name + ")";
  add(name, o.argument == nullptr ? "" : "=", both);
  if (o.short_name != 0) add(std::string("-") + o.short_name, o.argument == nullptr ? "" : "+", both);
}

}  // namespace

std::string bash_completion(const ProgramSpec& program) {
  const std::string id = identifier(program.name);
  const bool several = program.commands.size() > 1;
  std::string out = "# bash completion of " + std::string(program.name) + "; load with: source <(" +
                    own_words(program, "bash") + ")\n" + bash_traces(program);
  out += "_" + id +
         "() {\n"
         "  local cur prev command='' i\n"
         "  COMPREPLY=()\n"
         "  cur=${COMP_WORDS[COMP_CWORD]}\n"
         "  prev=${COMP_WORDS[COMP_CWORD-1]}\n"
         "  # bash splits --option=value at the sign.\n"
         "  if [[ $cur == '=' ]]; then cur=''\n"
         "  elif [[ $prev == '=' && $COMP_CWORD -ge 2 ]]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi\n";
  if (several) {
    out +=
        "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
        "    case ${COMP_WORDS[i]} in\n"
        "      " +
        inspector::joined(command_names(program), "|") +
        ") command=${COMP_WORDS[i]}; break ;;\n"
        "      -*) ;;\n"
        "    esac\n"
        "  done\n";
  }
  out += "  case $command in\n";
  // The main command's pattern is the catch-all, so it comes last.
  std::vector<const CommandSpec*> order(program.commands.begin() + 1, program.commands.end());
  order.push_back(program.commands[0]);
  for (const CommandSpec* c : order) {
    const bool main = c->name[0] == 0;
    out += "    " + std::string(main ? "*" : c->name) + ")\n      case $prev in\n";
    for (const OptionSpec* o : options_of(*c)) {
      if (o->argument == nullptr) continue;
      out += "        --" + std::string(o->name) + (o->short_name == 0 ? "" : std::string("|-") + o->short_name) +
             ") " + bash_offer(*o) + "; return ;;\n";
    }
    out += "      esac\n      if [[ $cur == -* ]]; then\n        COMPREPLY=($(compgen -W " +
           in_single_quotes(inspector::joined(option_words(*c), " ")) + " -- \"$cur\"))\n      else\n        ";
    const OptionSpec* p = first_positional(*c);
    out += p == nullptr ? ":" : bash_offer(*p);
    if (main && several)
      out += "\n        COMPREPLY+=($(compgen -W " + in_single_quotes(inspector::joined(command_names(program), " ")) +
             " -- \"$cur\"))";
    out += "\n      fi ;;\n";
  }
  out += "  esac\n}\ncomplete -F _" + id + " " + program.name + "\n";
  return out;
}

std::string zsh_completion(const ProgramSpec& program) {
  const std::string id = identifier(program.name);
  const bool several = program.commands.size() > 1;
  std::string out = "#compdef " + std::string(program.name) + "\n# zsh completion; put it as _" + program.name +
                    " into a folder of $fpath\n\n";
  out += zsh_traces(program);
  if (several) {
    out += "_" + id + "_first() {\n  local -a commands\n  commands=(\n";
    for (const CommandSpec* c : program.commands) {
      if (c->name[0] != 0)
        out += "    " + in_single_quotes(std::string(c->name) + ":" + zsh_escaped(c->summary)) + "\n";
    }
    out += "  )\n  _describe -t commands command commands\n  " +
           std::string(any_takes_trace(program) ? "_et_offer_traces" : "_files") + "\n}\n\n";
  }
  out += "_" + id + "() {\n  local command='' i\n";
  if (several) {
    out +=
        "  for ((i = 2; i < CURRENT; i++)); do\n"
        "    case ${words[i]} in\n"
        "      " +
        inspector::joined(command_names(program), "|") +
        ") command=${words[i]}; break ;;\n"
        "    esac\n"
        "  done\n"
        "  if [[ -n $command ]]; then\n"
        "    words=(\"${words[1]}\" \"${(@)words[i+1,-1]}\")\n"
        "    ((CURRENT -= i - 1))\n"
        "  fi\n";
  }
  out += "  case $command in\n";
  std::vector<const CommandSpec*> order(program.commands.begin() + 1, program.commands.end());
  order.push_back(program.commands[0]);
  for (const CommandSpec* c : order) {
    const bool main = c->name[0] == 0;
    out += "    " + std::string(main ? "*" : c->name) + ")\n      _arguments -s";
    for (const OptionSpec* o : options_of(*c)) zsh_option(out, *o);
    int number = 0;
    for (const OptionSpec& p : c->positionals) {
      ++number;
      const std::string action = main && several && number == 1 ? "_" + id + "_first" : zsh_action(p);
      out += " \\\n      " +
             in_single_quotes((p.many ? "*" : std::to_string(number)) + ":" + zsh_escaped(p.argument) + ":" + action);
    }
    out += " ;;\n";
  }
  // Loaded from $fpath the file is the function's body; sourced, it registers itself.
  out += "  esac\n}\n\nif [[ ${funcstack[1]-} == _" + std::string(program.name) + " ]]; then\n  _" + id +
         " \"$@\"\nelif (( $+functions[compdef] )); then\n  compdef _" + id + " " + program.name + "\nfi\n";
  return out;
}

std::string completion_script(const ProgramSpec& program, const std::string& shell) {
  return shell == "bash"  ? bash_completion(program)
         : shell == "zsh" ? zsh_completion(program)
                          : fish_completion(program);
}

std::string fish_completion(const ProgramSpec& program) {
  const std::string id = identifier(program.name);
  const bool several = program.commands.size() > 1;
  const std::string names = inspector::joined(command_names(program), " ");
  std::string out = "# fish completion of " + std::string(program.name) + "\n";
  if (several) {
    out += "function __fish_" + id +
           "_command\n"
           "    for word in (commandline -opc)[2..-1]\n"
           "        if contains -- $word " +
           names +
           "\n"
           "            echo $word\n"
           "            return 0\n"
           "        end\n"
           "    end\n"
           "    return 1\n"
           "end\n"
           "function __fish_" +
           id +
           "_using\n"
           "    test (__fish_" +
           id +
           "_command; or echo main) = $argv[1]\n"
           "end\n";
  }
  if (any_takes_trace(program)) {
    out += "function __fish_" + id +
           "_traces\n"
           "    set -l parts (string split -m 1 '#' -- (commandline -ct))\n"
           "    if test (count $parts) -eq 2\n"
           "        for line in (" +
           list_traces(program, "$parts[1]") +
           ")[2..-1]\n"
           "            echo $parts[1]'#'$line\n"
           "        end\n"
           "    end\n"
           "end\n";
  }
  for (const CommandSpec* c : program.commands) {
    const bool main = c->name[0] == 0;
    const std::string begin = "complete -c " + std::string(program.name);
    const std::string when =
        several ? begin + " -n '__fish_" + id + "_using " + (main ? "main" : c->name) + "'" : begin;
    if (!main) {
      out += begin + " -n '__fish_" + id + "_using main' -a " + c->name + " -d " + in_single_quotes(c->summary) + "\n";
    }
    const OptionSpec* p = first_positional(*c);
    if (p != nullptr && takes_trace(*p)) {
      out += when + " -a '(__fish_" + id + "_traces)'\n";
    }
    if (p != nullptr && p->complete == Complete::Choices) {
      out += when + " -f -a " + in_single_quotes(inspector::joined(choices_of(*p), " ")) + " -d " +
             in_single_quotes(p->help) + "\n";
    } else if (p == nullptr) {
      out += when + " -f\n";
    }
    for (const OptionSpec* o : options_of(*c)) {
      out += when + " -l " + o->name;
      if (o->short_name != 0) out += std::string(" -s ") + o->short_name;
      if (o->argument != nullptr) {
        switch (o->complete) {
          case Complete::File:
          case Complete::Directory:
            out += " -r -F";
            break;
          case Complete::Choices:
            out += " -x -a " + in_single_quotes(inspector::joined(choices_of(*o), " "));
            break;
          case Complete::None:
            out += " -x";
            break;
        }
      }
      out += " -d " + in_single_quotes(o->help) + "\n";
    }
  }
  return out;
}

}  // namespace et::cli
