// Compare: the open trace beside another one. Here: which one, the answer in a sentence, and what changed beside times.
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "gui/core/recent_files.h"
#include "gui/panels/compare_panel.h"
#include "gui/widgets/cells.h"
#include "gui/widgets/sentence.h"
#include "inspector/store/trace_ref.h"

namespace et::gui {
namespace {

/// The same files, from wherever they were named.
bool are_same_files(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  const auto absolute = [](const std::string& file) {
    std::error_code error;
    const std::filesystem::path path = std::filesystem::absolute(file, error);
    return error ? file : path.lexically_normal().string();
  };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](const std::string& x, const std::string& y) { return absolute(x) == absolute(y); });
}

void wrapped(ImU32 color, std::string_view text) {
  ImGui::PushTextWrapPos(0);
  text_colored(color, text);
  ImGui::PopTextWrapPos();
}

ImU32 verdict_color(inspector::DiffVerdict verdict) {
  if (verdict == inspector::DiffVerdict::Slower) return theme().slower;
  if (verdict == inspector::DiffVerdict::Faster) return theme().faster;
  return theme().text;
}

}  // namespace

ImU32 group_color(const inspector::DiffGroup& group) {
  if (!group.type.empty()) return type_color(group.type);
  const bool delegate = !group.before.backend.empty() || !group.after.backend.empty();
  return delegate ? theme().unattributed : theme().framework;
}

ImU32 change_color(const inspector::DiffGroup& group) {
  using inspector::DiffVerdict;
  switch (group.verdict) {
    case DiffVerdict::Slower:
    case DiffVerdict::Added:
      return theme().slower;
    case DiffVerdict::Faster:
    case DiffVerdict::Removed:
      return theme().faster;
    default:
      return theme().muted;
  }
}

void ComparePanel::update(Document& document) {
  const Comparison& comparison = document.comparison();
  if (version_ == comparison.version()) return;
  version_ = comparison.version();
  const bool first = model_.compared() == nullptr;
  const std::string was = shown_method() == nullptr ? "" : shown_method()->name;
  model_.set(comparison.result());
  chosen_ = -1;
  marked_.clear();
  seen_selection_ = 0;
  size_t method = model_.first_method();
  for (size_t m = 0; !first && m < model_.methods().size(); ++m) {
    if (model_.methods()[m].name == was) method = m;
  }
  show_method(method);
}

void ComparePanel::commands(CommandList* list) {
  const bool there = document_ != nullptr && document_->comparison().other() != nullptr;
  list->push_back({"Compare: swap before and after", 0, [this] { document_->comparison().swap(); }, there});
  list->push_back({"Compare: end the comparison", 0, [this] { document_->comparison().close(); }, there});
  list->push_back(
      {"Compare: copy rows as CSV", 0, [this] { copy_wanted_ = true; }, there && model_.compared() != nullptr});
  list->push_back({"Compare: show both executions whole", 0, [this] { view_.show_all(); }, there});
}

void ComparePanel::draw(PanelContext& context) {
  Document& document = context.document;
  if (document.data() == nullptr)
    return draw_empty("No trace is open", "Open one; then this panel compares it with another one.");
  if (!document.data()->has_etdump()) return draw_needs_etdump();
  if (model_.compared() == nullptr) return draw_start(context);
  draw_sides(context);
  draw_state(context);
  if (!model_.compared()->same.empty()) return draw_same(context);
  draw_answer(context);
  if (seen_selection_ != document.selection_version()) {
    seen_selection_ = document.selection_version();
    const int32_t group = model_.group_of(document.selection());
    // An op of the other trace alone cannot be selected: it stays until something else is.
    if (group >= 0 || !document.selection().empty()) chosen_ = group;
    scroll_ = group >= 0;
    marked_ = model_.groups_of(document.selection());
  }
  const float room = ImGui::GetContentRegionAvail().y, line = ImGui::GetTextLineHeight();
  constexpr float kLanesPart = 0.4F;
  // The table keeps some rows whatever the height is.
  const float lanes = std::min(room * kLanesPart, scaled(230));
  if (lanes > 6 * line) draw_lanes(context, lanes);
  if (!ImGui::BeginTabBar("##tables")) return;
  if (ImGui::BeginTabItem("Operators")) {
    draw_tools(context);
    draw_table(context);
    ImGui::EndTabItem();
  }
  if (ImGui::BeginTabItem("Delegation, memory, size")) {
    draw_changes();
    ImGui::EndTabItem();
  }
  ImGui::EndTabBar();
}

/// A file beside itself: rows without a difference would only hide that nothing was compared.
void ComparePanel::draw_same(PanelContext& context) {
  ImGui::PushFont(fonts().bold, 0);
  wrapped(theme().warning, "Before and after are " + inspector::printable(model_.compared()->same));
  ImGui::PopFont();
  wrapped(theme().muted, "Nothing can differ. Compare the open trace with another one:");
  ImGui::Spacing();
  draw_choice(context);
}

/// What the open trace can be compared with.
void ComparePanel::draw_choice(PanelContext& context) {
  Document& document = context.document;
  Comparison& comparison = document.comparison();
  if (ImGui::Button("Choose files…")) {
    context.command = kCompareFilesCommand;
    ImGui::CloseCurrentPopup();
  }
  ImGui::SameLine();
  ImGui::SetNextItemWidth(std::min(scaled(420), ImGui::GetContentRegionAvail().x));
  if (ImGui::InputTextWithHint("##path", "ETDump, folder, store.db#3 (Enter)", &path_,
                               ImGuiInputTextFlags_EnterReturnsTrue) &&
      !path_.empty()) {
    comparison.open_files({path_});
    ImGui::CloseCurrentPopup();
  }
  const int64_t open = document.data()->trace_id();
  if (document.traces().size() > 1) {
    ImGui::Spacing();
    text_colored(theme().muted, "Traces of this store");
    for (const inspector::TraceSummary& trace : document.traces()) {
      if (trace.id == open || !trace.dump_path.has_value()) continue;
      const std::string number = std::to_string(trace.id);
      const std::string title = "#" + number + "  " + inspector::printable(inspector::trace_title(trace));
      if (ImGui::Selectable((title + "##trace" + number).c_str())) comparison.open_trace(document, trace.id);
    }
  }
  const std::vector<std::string> here = document.request().files();
  bool any = false;
  for (size_t i = 0; i < comparison.recent.size(); ++i) {
    const std::vector<std::string> files = recent_files(comparison.recent[i]);
    if (are_same_files(files, here)) continue;
    if (!std::exchange(any, true)) {
      ImGui::Spacing();
      text_colored(theme().muted, "Opened before");
    }
    const std::string title = fitting(recent_title(files), scaled(560));
    if (ImGui::Selectable((title + "##recent" + std::to_string(i)).c_str())) {
      comparison.open_files(files);
      break;
    }
  }
}

void ComparePanel::draw_start(PanelContext& context) {
  heading("Compare the open trace with…");
  wrapped(theme().muted,
          "Another trace of the same model: another build, device, delegate or quantisation. Ops that do the same work "
          "are one row, whatever runs them. Files dropped while this panel is in front are compared, too.");
  ImGui::Spacing();
  draw_state(context);
  draw_choice(context);
  ImGui::Spacing();
  ImGui::Spacing();
  heading("To have one");
  wrapped(theme().muted,
          "Run the model once more, as it was before a change or as it is after it; twenty executions or more tell a "
          "change from noise.");
  ImGui::Spacing();
  const auto& facts = context.document.data()->facts;
  // Beside the open one, where its ETRecord and program are found.
  const std::string open = facts.dump_path.value_or("etdump.etdp");
  const std::string other = shell_word(open.substr(0, open.rfind('/') + 1) + "other.etdp");
  draw_commands({"et-run " + shell_word(facts.program_path.value_or("model.pte")) +
                     context.document.data()->method_option() + " -n 50 -w 5 --etdump " + other,
                 "et-inspect-gui " + shell_word(open) + " --compare " + other + " --panel compare"});
  ImGui::Spacing();
  wrapped(theme().muted,
          "Then this panel has both typical executions on one axis, what became slower or faster by op with intervals, "
          "what explains the difference, and what changed in delegation, memory plan and size. The flame graph is "
          "coloured by change.");
}

/// Which is which; both can be changed.
void ComparePanel::draw_sides(PanelContext& context) {
  Comparison& comparison = context.document.comparison();
  const ComparedTraces& compared = *model_.compared();
  if (ImGui::Button("Compare with…")) ImGui::OpenPopup("##choice");
  ImGui::SetNextWindowSizeConstraints({scaled(600), 0}, {scaled(900), ImGui::GetMainViewport()->Size.y * 0.8F});
  if (ImGui::BeginPopup("##choice")) {
    draw_choice(context);
    ImGui::EndPopup();
  }
  flow_button("Swap");
  if (ImGui::Button("Swap")) comparison.swap();
  item_tooltip("What is before is after then. The open trace stays the open one.");
  flow_button("Flame graph");
  if (ImGui::Button("Flame graph")) {
    context.command = kFlameChangeCommand;
    context.document.select(context.document.selection(), "flame");
  }
  item_tooltip("The open trace as a flame graph, coloured by what changed");
  if (model_.has_usual_times()) {
    constexpr const char* kReal = "Single executions";
    flow(ImGui::GetFrameHeight() + ImGui::GetStyle().ItemInnerSpacing.x + text_width(kReal));
    bool real = !model_.usual_times;
    if (ImGui::Checkbox(kReal, &real)) {
      model_.usual_times = !real;
      show_method(method_);
    }
    item_tooltip(
        "The strips show the execution of each side that is the nearest to the basis, with its interruptions. Else "
        "each "
        "op is as wide as it usually takes, as in the table.");
  }
  flow_button("End");
  if (ImGui::Button("End")) comparison.close();
  item_tooltip("End the comparison");
  const auto side = [&](const char* what, const std::string& title, bool open) {
    const std::string text = std::string(what) + " " + inspector::printable(title) + (open ? " (open)" : "");
    flow(std::min(text_width(text), ImGui::GetContentRegionAvail().x) + scaled(8));
    ImGui::AlignTextToFramePadding();
    text_fitting(text);
    if (open) return;
    std::string from = recent_title(compared.source->files);
    for (const std::string& note : compared.source->notes) from += "\n" + inspector::printable(note);
    item_tooltip(from);
  };
  side("Before:", compared.before_title, !compared.open_is_after);
  side("After:", compared.after_title, compared.open_is_after);
}

/// What is being read, and what could not be.
void ComparePanel::draw_state(PanelContext& context) {
  Comparison& comparison = context.document.comparison();
  const Comparison::State state = comparison.state();
  if (state == Comparison::State::Importing || state == Comparison::State::Comparing) {
    const ImportProgress progress = comparison.progress();
    const bool importing = state == Comparison::State::Importing;
    const std::string stage = !importing ? "comparing" : progress.stage.empty() ? "reading files" : progress.stage;
    const float done =
        progress.total == 0
            ? -static_cast<float>(ImGui::GetTime())
            : static_cast<float>(static_cast<double>(progress.done) / static_cast<double>(progress.total));
    ImGui::ProgressBar(done, {scaled(220), 0}, stage.c_str());
    ImGui::SameLine();
    if (ImGui::Button("Cancel")) comparison.cancel();
    context.wants_frames = true;
  }
  if (comparison.error().ok()) return;
  const std::string message = comparison.error().message();
  wrapped(theme().bad, "Cannot compare: " + inspector::printable(message));
  if (ImGui::SmallButton("Dismiss")) comparison.dismiss_error();
  ImGui::SameLine();
  if (ImGui::SmallButton("Copy the message")) ImGui::SetClipboardText(message.c_str());
}

void ComparePanel::draw_answer(PanelContext& context) {
  for (const std::string& error : model_.errors()) wrapped(theme().bad, inspector::printable(error));
  for (const std::string& warning : model_.warnings()) wrapped(theme().warning, "! " + warning);
  const auto& sentences = model_.sentences();
  for (size_t i = 0; i < sentences.size(); ++i) {
    if (i == 0) ImGui::PushFont(fonts().bold, 0);
    wrapped(sentences[i].warning             ? theme().warning
            : sentences[i].detail            ? theme().muted
            : i == 0 || sentences.size() < 4 ? verdict_color(sentences[i].verdict)
                                             : theme().text,
            sentences[i].text);
    if (i == 0) ImGui::PopFont();
  }
  if (model_.method_shares().empty()) {
    draw_shares(context, sentence(model_.compared()->after_table().basis_text()),
                model_.diff().after - model_.diff().before, model_.shares());
  }
  for (const inspector::MethodShares& m : model_.method_shares()) {
    if (!model_.query.method || *model_.query.method == m.method)
      draw_shares(context, inspector::printable(m.method), m.change, m.shares);
  }
  if (model_.summary().empty()) return;
  text_fitting(model_.summary(), theme().muted);
  std::string all;
  for (const std::string& text : inspector::change_sentences(model_.compared()->changes))
    all += (all.empty() ? "" : "\n") + text;
  item_tooltip(all);
}

/// What makes the difference `all`; the parts add up to it. `of`: the basis, which stands with the first number, or a
/// method.
void ComparePanel::draw_shares(PanelContext& context, const std::string& of, double all,
                               const std::vector<inspector::DiffShare>& shares) {
  if (shares.empty()) return;
  const inspector::TimeUnit& unit = model_.unit();
  ImGui::PushID(of.c_str());
  text_colored(theme().muted, of + ": " + inspector::signed_duration(all, unit) + " is");
  for (size_t i = 0; i < shares.size(); ++i) {
    const bool rest = shares[i].group < 0;
    const std::string text =
        (rest ? "and " : "") + inspector::signed_duration(shares[i].change, unit) + " " +
        (rest ? shares[i].title : fitting(shares[i].title, scaled(shares[i].module.empty() ? 320 : 560)));
    flow(text_width(text) + text_width(", "));
    if (rest) {
      text_colored(theme().muted, text);
      continue;
    }
    ImGui::PushStyleColor(ImGuiCol_TextLink, change_color(model_.group(shares[i].group)));
    if (ImGui::TextLink((text + "##share" + std::to_string(i)).c_str())) choose_share(context, shares[i]);
    ImGui::PopStyleColor();
    if (ImGui::IsItemHovered()) group_tooltip(shares[i].group);
  }
  ImGui::PopID();
}

void ComparePanel::draw_changes() {
  const std::string& missing = model_.compared()->changes.no_size;
  if (!missing.empty()) wrapped(theme().muted, "Size of the program: " + inspector::printable(missing));
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg | ImGuiTableFlags_BordersInnerV;
  if (!ImGui::BeginTable("##changes", 5, kFlags)) return;
  static constexpr const char* kTitles[] = {"", "What", "Before", "After", "Change"};
  ImGui::TableSetupScrollFreeze(0, 1);
  for (int i = 0; i < 5; ++i)
    ImGui::TableSetupColumn(kTitles[i], i < 2 ? ImGuiTableColumnFlags_WidthStretch : ImGuiTableColumnFlags_WidthFixed,
                            i < 2 ? 1 : scaled(100));
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  for (int i = 0; i < 5; ++i) {
    if (ImGui::TableSetColumnIndex(i)) header_cell(kTitles[i], i > 1);
  }
  std::string section;
  for (const CompareFact& fact : model_.changes()) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    if (fact.section != section) text_fitting(fact.section);
    section = fact.section;
    ImGui::TableNextColumn();
    text_fitting(fact.what);
    for (const std::string* cell : {&fact.before, &fact.after, &fact.change}) {
      ImGui::TableNextColumn();
      text_right(*cell);
    }
  }
  ImGui::EndTable();
}

void ComparePanel::choose(PanelContext& context, int32_t group, const char* panel) {
  chosen_ = group;
  scroll_ = true;
  Selection s = model_.selection_of(group);
  marked_ = {group};
  // What only the other trace has is chosen in this panel alone.
  context.document.select(std::move(s), model_.selection_of(group).empty() ? "" : panel);
  seen_selection_ = context.document.selection_version();
}

/// A module where the change is in one that the open trace has, all rows of a type, else the op.
void ComparePanel::choose_share(PanelContext& context, const inspector::DiffShare& share) {
  if (!share.type.empty() && share.of == inspector::DiffShare::Of::Type) {
    model_.query.type = model_.query.type == share.type ? std::nullopt : std::optional(share.type);
    return;
  }
  choose(context, share.group, "");
  if (share.module.empty()) return;
  Selection module = select_module(*context.document.data(), share.module);
  if (module.empty()) return;
  marked_ = model_.groups_of(module);
  context.document.select(std::move(module));
  seen_selection_ = context.document.selection_version();
}

bool ComparePanel::is_marked(int32_t group) const {
  return group == chosen_ || std::binary_search(marked_.begin(), marked_.end(), group);
}

extern const PanelSpec k_compare_panel;
const PanelSpec k_compare_panel = {
    .id = "compare",
    .title = "Compare",
    .summary = "What became slower or faster against another trace, and why",
    .key = ImGuiKey_None,
    .make = [] { return std::unique_ptr<Panel>(new ComparePanel); },
};

}  // namespace et::gui
