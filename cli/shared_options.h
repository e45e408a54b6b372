// The options that several commands or programs have: each row once, so that a name, its letter and its help are the
// same in et-inspect, et-run and et-check. tests/cli/shared_options_test.cpp compares the three tables.
#pragma once

#include "cli/language.h"
#include "cli/option_table.h"

namespace et::cli {

/// A row with a value, as most of them are.
constexpr OptionSpec value_option(const char* name, char letter, const char* argument, const char* help,
                                  Complete complete = Complete::None, Value type = Value::Text) {
  return {.name = name, .short_name = letter, .argument = argument, .type = type, .complete = complete, .help = help};
}
constexpr OptionSpec file_option(const char* name, char letter, const char* help) {
  return value_option(name, letter, "FILE", help, Complete::File);
}
/// A file that is replaced: never one that the same command reads.
constexpr OptionSpec written(OptionSpec row) {
  row.use = FileUse::Writes;
  return row;
}
constexpr OptionSpec updated(OptionSpec row) {
  row.use = FileUse::Updates;
  return row;
}
constexpr OptionSpec choice_option(const char* name, char letter, const char* argument, const char* choices,
                                   const char* fallback, const char* help) {
  OptionSpec row = value_option(name, letter, argument, help, Complete::Choices, Value::Choice);
  row.choices = choices;
  row.fallback = fallback;
  return row;
}
constexpr OptionSpec number_option(const char* name, char letter, const char* fallback, const char* help) {
  OptionSpec row = value_option(name, letter, "N", help, Complete::None, Value::Integer);
  row.fallback = fallback;
  return row;
}
constexpr OptionSpec repeated(OptionSpec row) {
  row.many = true;
  return row;
}
constexpr OptionSpec with_default(OptionSpec row, const char* value) {
  row.fallback = value;
  return row;
}
/// The same option where it means something narrower.
constexpr OptionSpec with_help(OptionSpec row, const char* help) {
  row.help = help;
  return row;
}

// Input files.
inline constexpr OptionSpec kEtrecordOption =
    file_option("etrecord", 'e', "ETRecord of the export: graph nodes, Python lines, modules");
inline constexpr OptionSpec kPteOption =
    file_option("pte", 'p', "the program (.pte): operators, memory plan, nodes inside delegates");
inline constexpr OptionSpec kDebugBufferOption =
    file_option("debug-buffer", 'b', "debug buffer of the ETDump: the logged tensors");
inline constexpr OptionSpec kStoreOption = updated(file_option(
    "store", 's', "keep traces and check results in this store (created when missing; default: in memory)"));
inline constexpr OptionSpec kNoNeighboursOption = {
    .name = "no-neighbours",
    .help = "read only the files that are named; do not look for those that belong to them beside them"};
inline constexpr OptionSpec kDataOption = repeated(file_option("data", 'd', "external weights (.ptd)"));

inline constexpr OptionSpec kTosaOption = value_option(
    "tosa", 0, "PATH",
    "run Ethos-U payloads as the TOSA graph that they were compiled from: a .tosa file, or a folder of them",
    Complete::File);

// What of it.
/// Filter::parse(); its keys are in the description of `report`.
inline constexpr OptionSpec kFilterOption =
    value_option("filter", 0, "EXPR",
                 "only ops that match all terms, e.g. 'type:convolution share>1'; keys: et-inspect report --help");
inline constexpr OptionSpec kMethodOption = value_option("method", 'm', "NAME", "only this method (default: all)");
inline constexpr OptionSpec kCaseOption =
    number_option("case", 0, nullptr, "only the test case with this index, from 0");
inline constexpr OptionSpec kIterationsOption = number_option("iterations", 'n', "1", "timed iterations");

// Inputs of a run.
inline constexpr OptionSpec kInputTensorOption =
    repeated(file_option("input", 'i', "input tensor as .npy; one for each tensor input, in order"));
inline constexpr OptionSpec kRandomOption =
    value_option("random", 0, "SEED", "random inputs from a generator with this seed", Complete::None, Value::Integer);
inline constexpr OptionSpec kOnesOption = {.name = "ones", .help = "inputs of ones, as et-run has them by default"};
inline constexpr OptionSpec kZerosOption = {.name = "zeros", .help = "inputs of zeros"};
inline constexpr OptionSpec kCasesOption = file_option("cases", 0, "bundled program whose test case was run");

// Output.
inline constexpr OptionSpec kOutputOption = written(file_option(
    "output", 'o', "write to FILE instead of standard output; the file is replaced only when everything is written"));
inline constexpr OptionSpec kFormatOption =
    choice_option("format", 'f', "FORMAT", "table|json|csv|tsv|markdown", "table", "output format");
inline constexpr OptionSpec kUnitsOption =
    choice_option("units", 'u', "UNIT", "auto|ns|us|ms|s|cycles", "auto", "unit of times");
inline constexpr OptionSpec kBasisOption = value_option(
    "basis", 0, "BASIS",
    "what times are of: warm (the median warm execution; default for people), mean, total (the sum of all executions; "
    "default for csv, tsv and json), cold, p99 (the slowest executions), or #N (one execution, from 0)");
inline constexpr OptionSpec kSourceMapOption = repeated(value_option(
    "source-map", 0, "FROM=TO", "replace the prefix FROM of source paths with TO", Complete::None, Value::Pair));
inline constexpr OptionSpec kLinesOption = choice_option(
    "lines", 0, "FRAME", "auto|user|innermost|outermost", "auto",
    "which frame of its stack trace a node's line is: the innermost one in your code, or the innermost or outermost "
    "one "
    "outside of torch; auto: in your code, but where one line has more than a third of the time, the code it calls");
inline constexpr OptionSpec kJsonOption = {.name = "json", .help = "JSON, as --format json"};
inline constexpr OptionSpec kTextOrJsonOption =
    choice_option("format", 'f', "FORMAT", "text|json", "text", "output format");
inline constexpr OptionSpec kSidecarOption = {.name = "sidecar",
                                              .help = "write the cases to a side-car file: PROGRAM.cases.npz"};
inline constexpr OptionSpec kColorOption =
    choice_option("color", 0, "WHEN", "auto|always|never", "auto",
                  "when to use colours; auto: on a terminal, unless NO_COLOR is set");
inline constexpr OptionSpec kQuietOption = {
    .name = "quiet", .short_name = 'q', .help = "no progress and no warnings on standard error"};
// Taken by choose_language() before the command line is parsed, so that its errors are in it, too.
inline constexpr OptionSpec kLangOption = {
    .name = "lang",
    .argument = "LANG",
    .type = Value::Choice,
    .choices_from = &languages,
    .complete = Complete::Choices,
    .help = "language of help and messages; default: that of LC_ALL, LC_MESSAGES or LANG"};
inline constexpr OptionSpec kHelpOption = {.name = "help", .short_name = 'h', .help = "show this help"};

// Answered by run_program(), whatever the command.
inline constexpr OptionSpec kVersionOption = {.name = "version", .short_name = 'V', .help = "print the version"};
inline constexpr OptionSpec kManOption = {.name = "man", .alone = true, .help = "print the man page, in roff"};
inline constexpr OptionSpec kCompletionOption = {.name = "completion",
                                                 .argument = "SHELL",
                                                 .type = Value::Choice,
                                                 .choices = "bash|zsh|fish",
                                                 .complete = Complete::Choices,
                                                 .alone = true,
                                                 .help = "print a completion script"};

/// The positional argument of every command that reads one trace: files of one run, or a trace in a store.
inline constexpr OptionSpec kTraceArgument = {
    .name = "trace",
    .argument = "TRACE",
    .type = Value::Text,
    .complete = Complete::File,
    .many = true,
    .required = true,
    .unless = "etrecord|pte",
    .help =
        "an ETDump, with its ETRecord, program and debug buffer in any order, or a folder with them; what is not "
        "named is looked for beside the ETDump. Or a trace in a store: store.db (its only trace), store.db#3, "
        "store.db#name, store.db@latest. Optional with --etrecord or --pte, which show what is known without a run"};
/// Where another argument follows: one file, a folder or a trace in a store.
constexpr OptionSpec one_trace_argument() {
  OptionSpec trace = kTraceArgument;
  trace.many = false;
  return trace;
}

}  // namespace et::cli
