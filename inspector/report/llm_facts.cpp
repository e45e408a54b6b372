// The figures of a language model in words.
#include "inspector/report/llm_report.h"
#include "inspector/text/words.h"

namespace et::inspector {
namespace {

constexpr double kNsPerSecond = 1e9;
constexpr double kWorthSaying = 0.01;  // of the time of decoding: what lies between executions

std::string told_by_text(const TokenSteps& steps) {
  switch (steps.told_by) {
    case ToldBy::Phase:
      return "by the phase that the application gave";
    case ToldBy::Method:
      return "by the names of the methods";
    case ToldBy::Shapes:
      return "by the number of tokens that they take";
    case ToldBy::Time:
      return "by their times: a guess, as shapes are dynamic; the application can say it (et-run --phase, "
             "ETDumpGen::set_phase)";
    case ToldBy::Nothing:
      break;
  }
  return "not told apart: nothing says which executions read a prompt; the application can (et-run --phase, "
         "ETDumpGen::set_phase)";
}

std::string conflicts_text(const TokenSteps& steps) {
  std::string text;
  for (const PhaseConflict& c : steps.conflicts) {
    text += (text.empty() ? "" : "; ") + plural(c.executions, "execution") + " of " + c.method + " with the phase " +
            c.phase;
  }
  return text + (steps.told_by == ToldBy::Method
                     ? "; the names of the methods count: a phase is set before an execution starts"
                     : "; the phase counts, which is set before an execution starts");
}

std::string rate_text(double tokens, double ns) {
  const double rate = tokens * kNsPerSecond / ns;
  return format_real(rate, rate < 100 ? 1 : 0) + " tokens/s";
}

std::string rates(const LlmView& view) {
  const TokenTimes& t = view.times;
  if (view.unit != "ns" || !(t.median > 0)) return "";
  std::string text = rate_text(1, t.median) + " at the median";
  const double between = t.decode_wall - t.decode_time;
  if (t.warm_tokens > 1 && t.decode_wall > 0) {
    text += "; " + rate_text(static_cast<double>(t.warm_tokens), t.decode_wall) + " over all warm tokens";
    if (between > kWorthSaying * t.decode_wall)
      text += ", " + format_share(between / t.decode_wall) + " of that time between executions";
  }
  return text;
}

std::string growth_text(const LlmView& view, const TokenGrowth& g, const TimeUnit& unit) {
  const auto time = [&](double ticks) { return format_duration_named(ticks, unit); };
  std::string text = (g.per_token < 0 ? "-" : "+") + time(g.per_token < 0 ? -g.per_token : g.per_token) +
                     " a token: " + time(g.at_first) + " at " + format_count(g.first) + ", " + time(g.at_last) +
                     " at " + format_count(g.last);
  const int64_t room = view.cache_positions();
  if (view.steps.prompt_known && g.per_token > 0 && room > g.last + 1)
    text += "; at this rate " + time(g.at_last + g.per_token * static_cast<double>(room - 1 - g.last)) +
            " at the end of the cache (" + format_count(room - 1) + ")";
  return text;
}

std::string cache_text(const LlmView& view) {
  const int64_t bytes = view.cache_bytes(), room = view.cache_positions();
  std::string text = plural(static_cast<int64_t>(view.caches.size()), "tensor");
  if (bytes > 0) text += ", " + format_bytes(bytes);
  if (room > 0 && bytes > 0)
    text += ", room for " + format_count(room) + " tokens: " + format_bytes(bytes / room) + " a token";
  return text;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> llm_facts(const LlmView& view, const TimeUnit& unit) {
  const TokenTimes& t = view.times;
  const bool told = view.steps.told_by != ToldBy::Nothing;
  const auto time = [&](double ticks) { return format_duration_named(ticks, unit); };
  std::vector<std::pair<std::string, std::string>> facts;
  // How tokens would be recorded, and caches that it has not, say nothing of an encoder.
  const bool encoder = view.has_attention() && !view.makes_tokens();
  if (encoder) {
    facts.emplace_back("model",
                       "an encoder, as far as its graph tells: attention, but neither a cache nor an output head over "
                       "tokens");
  } else {
    facts.emplace_back("prefill and decode", told_by_text(view.steps));
  }
  if (!view.steps.conflicts.empty()) facts.emplace_back("phase and method", conflicts_text(view.steps));
  if (t.first_token > 0 || t.cold_first_token > 0) {
    std::string text = t.first_token > 0 ? time(t.first_token) : "";
    if (t.cold_first_token > 0)
      text += (text.empty() ? "" : "; ") + time(t.cold_first_token) + " in the first sequence, which is cold";
    facts.emplace_back("first token", text);
  }
  const PhaseCosts& prefill = view.phases[static_cast<size_t>(TokenPhase::Prefill)];
  if (prefill.executions > 0) {
    std::string text = t.prompt_tokens > 0 ? plural(t.prompt_tokens, "token") + " in " : "";
    text += plural(prefill.executions, "execution") + ", " + time(t.prompt_time);
    if (t.prompt_rate > 0 && t.prompt_time > 0 && view.unit == "ns") {
      text += ": " + rate_text(static_cast<double>(t.prompt_tokens), t.prompt_time);
      if (prefill.executions > 1)
        text += "; " + rate_text(t.prompt_rate, 1) + (t.prompt_warm ? " at the warm median" : " at the median");
    }
    if (view.prompt_missing()) text += "; of how many tokens is not in the trace";
    if (view.steps.prompt_given) text += "; the number of tokens is given, not the trace's";
    if (view.steps.other_tokens > 0)
      text += "; counted are those of the first input, another one takes " + plural(view.steps.other_tokens, "token") +
              " each time (encoder and decoder in one?)";
    facts.emplace_back("prompt", text);
  }
  if (t.median > 0) {
    facts.emplace_back(
        told ? "each token" : "each execution",
        time(t.median) + (t.p99 > 0 ? ", p99 " + time(t.p99) : "") + ", of " +
            (t.warm_tokens > 0 ? plural(t.warm_tokens, "warm execution") : plural(t.tokens, "execution")));
    if (const std::string text = told ? rates(view) : ""; !text.empty()) facts.emplace_back("rate", text);
  }
  if (t.growth) facts.emplace_back("position", growth_text(view, *t.growth, unit));
  if (encoder) return facts;
  facts.emplace_back("KV cache", !view.caches.empty() ? cache_text(view)
                                 : view.has_graph     ? "none: no buffer of the graph that is written looks like one"
                                                      : "not known: the ETRecord says which buffers are written");
  return facts;
}

}  // namespace et::inspector
