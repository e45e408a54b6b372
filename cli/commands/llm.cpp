// `et-inspect llm TRACE`: a trace as that of a language model.
#include "cli/basis_option.h"
#include "cli/commands/commands.h"
#include "cli/console.h"
#include "cli/output.h"
#include "cli/trace_source.h"
#include "inspector/report/llm_report.h"

namespace et::cli {
namespace {

constexpr OptionSpec kLlmPositionals[] = {kTraceArgument};
constexpr OptionSpec kLlm[] = {
    kBasisOption,
    kUnitsOption,
    number_option("prompt-tokens", 0, nullptr,
                  "tokens that each prefill execution took in, where its shape is dynamic and nothing was logged"),
    choice_option("told-by", 0, "WHAT", "phase|method", nullptr,
                  "what tells prefill from decode where phases contradict the methods' names"),
};
constexpr OptionGroup kLlmOptions = {"Language model", kLlm};
constexpr const OptionGroup* kLlmGroups[] = {&kInputOptions, &kLlmOptions, &kFormatOptions};
constexpr Example kLlmExamples[] = {
    {"llm run/", "first token, tokens per second, cost of a position, KV cache, time by kind and layer"},
    {"llm run/ --prompt-tokens 48", "tokens per second of the prompt, where the trace does not know how long it was"},
    {"llm run/ --format csv", "a row an execution: phase, position, time; for a plot"},
};

int run_llm(const Arguments& args) {
  TraceSource source;
  inspector::OpTable table;
  inspector::LlmView view;
  std::string text;
  std::optional<inspector::Basis> basis;
  std::optional<bool> by_method;
  if (args.given("told-by")) by_method = args.text("told-by") == "method";
  Status status = read_basis(args, &basis);
  if (status.ok()) status = open_trace_source(args, &source);
  if (!status.ok()) return fail(status);
  warn_of_diagnostics(args, source);
  status =
      inspector::load_shown_ops(source.store, source.trace_id, {.basis = basis.value_or(inspector::Basis{})}, &table);
  if (status.ok())
    status = inspector::language_model(source.store, table, &view,
                                       {.prompt_tokens = args.integer("prompt-tokens", 0), .by_method = by_method});
  if (status.ok() && !view.is_language_model())
    print_note(args, "nothing says that this is a language model: no cache, no phase, no method named for it");
  const inspector::LlmReportOptions options = {.format = args.text("format"),
                                               .units = args.text("units"),
                                               .color = use_color(args),
                                               .width = output_width(args)};
  if (status.ok()) status = inspector::write_llm(view, options, &text);
  return status.ok() ? write_trace_output(args, source, text) : fail(status);
}

}  // namespace

constexpr CommandSpec kLlmCommand = {
    .name = "llm",
    .summary = "first token, tokens per second, KV cache, and the cost of each layer of a language model",
    .description =
        "Tells prefill (executions that read a prompt) from decode (executions that make a token): by the phase that\n"
        "the application gave (et-run --phase, ETDumpGen::set_phase), else by the methods' names, else by their\n"
        "shapes. The time of a token over its position says what the cache's length costs. Kinds of work (attention,\n"
        "MLP, norm and others) and layers are told by the modules of the graph.",
    .positionals = kLlmPositionals,
    .groups = kLlmGroups,
    .examples = kLlmExamples,
    .run = run_llm,
};

}  // namespace et::cli
