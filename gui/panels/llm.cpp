// Language model: first token, rate, what a position costs, and where the time goes by kind of work and by layer. Its
// model: LlmModel.
#include "gui/panels/llm_panel.h"

#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gui/core/shared_advice.h"
#include "gui/core/text.h"
#include "gui/panels/store_query.h"
#include "gui/widgets/cells.h"
#include "gui/widgets/sentence.h"
#include "inspector/analysis/memory/memory_plan.h"
#include "inspector/text/format.h"

namespace et::gui {
namespace {

constexpr float kRoomForPlotAndLists = 340;  // points below the first look

constexpr ImGuiTableFlags kLlmTable = ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg | ImGuiTableFlags_BordersInnerV;

struct LlmColumn {
  std::string title;
  float width = 0;  // 0: what is left
  bool right = false;
  const char* help = nullptr;
};

/// Headers of a table whose rows follow; false: it is out of sight.
bool begin_llm_table(const char* id, const std::vector<LlmColumn>& columns, float height) {
  if (!ImGui::BeginTable(id, static_cast<int>(columns.size()), kLlmTable, {0, height})) return false;
  ImGui::TableSetupScrollFreeze(0, 1);
  for (const LlmColumn& c : columns)
    ImGui::TableSetupColumn(c.title.c_str(),
                            c.width > 0 ? ImGuiTableColumnFlags_WidthFixed : ImGuiTableColumnFlags_WidthStretch,
                            c.width > 0 ? scaled(c.width) : 1);
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  for (size_t i = 0; i < columns.size(); ++i) {
    if (ImGui::TableSetColumnIndex(static_cast<int>(i)))
      header_cell(columns[i].title.c_str(), columns[i].right, columns[i].help);
  }
  return true;
}

struct LoadedLlm {
  inspector::LlmView view;
  LlmAround around;
};

/// Bytes that the method needs which the token steps are of; 0 where no program says it.
int64_t memory_of(const inspector::Store& store, const TraceData& data, const inspector::LlmView& view) {
  inspector::MemoryPlan plan;
  if (!inspector::load_memory_plan(store, data.trace_id(), &plan).ok() || plan.empty() || view.steps.steps.empty())
    return 0;
  const inspector::OpBlock& block = data.usual().blocks[view.steps.steps.back().block];
  return inspector::memory_total(plan, block.method.value_or("")).sum();
}

class LlmPanel : public Panel {
 public:
  void draw(PanelContext& context) override {
    refresh(context);
    if (context.document.data() != nullptr && !context.document.data()->has_etdump()) return draw_needs_etdump();
    if (query_.draw_instead(context.document, "Cannot look at it as a language model")) return;
    if (!model_.is_language_model() && !model_.has_attention()) {
      const auto [what, hint] = LlmModel::empty_text(model_.view());
      return draw_empty(what.c_str(), hint.c_str());
    }
    draw_llm_figures(model_);
    if (const auto clicked = draw_llm_bars(model_)) {
      phase_ = clicked->second;
      page_ = Page::Kinds;
      wanted_page_ = true;
      choose(model_.kinds()[clicked->first]);
      if (const Selection all = model_.selection_of(chosen_, phase_); !all.empty()) context.document.select(all);
    }
    draw_lines();
    draw_llm_steps(context, model_);
    draw_conflict();
    draw_prompt();
    if (const std::string hint = model_.basis_hint(); !hint.empty()) {
      ImGui::PushTextWrapPos(0);
      text_colored(theme().warning, hint);
      ImGui::PopTextWrapPos();
    }
    ImGui::Spacing();
    const float room = ImGui::GetContentRegionAvail().y;
    // What the lists leave, so that nothing is empty below them; they keep a good half.
    const float lists = static_cast<float>(list_rows_ + 3) * ImGui::GetTextLineHeightWithSpacing();
    const float least = std::max(std::min(room * 0.36F, scaled(280)), scaled(110));
    const float plot = std::clamp(room - lists, least, std::max(least, room * 0.6F));
    // A flat panel has no room for both: then the plot is a page beside the lists.
    plot_is_page_ = room < scaled(kRoomForPlotAndLists);
    if (!plot_is_page_) draw_plot(context, plot);
    draw_pages(context);
  }
  std::string csv() const override { return model_.csv(); }
  std::string markdown() const override { return model_.markdown(); }
  void* model() override { return &model_; }

 private:
  enum class Page : uint8_t { Kinds, Layers, Sequences, Cache, Times };

  void draw_plot(PanelContext& context, float height) {
    const TokenPoint* const clicked = draw_token_plot(model_, std::exchange(fresh_, false), height);
    if (clicked == nullptr) return;
    context.document.show_run(clicked->run);
    context.document.select(context.document.selection(), "timeline");
  }

  void refresh(PanelContext& context) {
    if (!query_.due(context.document)) return;
    model_ = {};
    chosen_ = {};
    chosen_of_page_ = {};
    groups_.clear();
    fresh_ = true;
    const auto data = context.document.shared_data();
    if (data == nullptr || !data->has_etdump()) return;
    if (query_.other_document()) hints_ = {};
    query_.start<LoadedLlm>(
        context,
        [data, hints = hints_](const inspector::Store& store, LoadedLlm* out) {
          const Status status = inspector::language_model(store, data->usual(), &out->view, hints);
          std::vector<inspector::ExecutionNote> notes;  // without them nothing is said
          if (inspector::load_execution_notes(store, data->trace_id(), &notes).ok())
            out->around.note = LlmModel::note_of(notes, data->usual().basis);
          if (const auto found = shared_advice(store, data); found->status.ok()) out->around.advice = found->advice;
          if (status.ok()) out->around.memory = memory_of(store, *data, out->view);
          // A trace without executions is no error: it is told like any other without tokens.
          return status.code() == Error::NotFound ? Status() : status;
        },
        [this, data](LoadedLlm loaded) {
          model_.set(std::move(loaded.view), data, std::move(loaded.around));
          if (!model_.ran(phase_)) phase_ = model_.main_phase();
          list_rows_ = longest_list();
          const Page page = page_ == Page::Layers && !model_.layers().empty() ? Page::Layers : Page::Kinds;
          page_ = Page::Sequences;  // so that show() chooses
          show(page);
        });
  }

  void choose(const LlmPart& part) {
    chosen_ = part;
    if (page_ == Page::Kinds || page_ == Page::Layers) chosen_of_page_[static_cast<size_t>(page_)] = part;
    groups_ = model_.groups_of(part, phase_);
    chosen_ops_ = model_.selection_of(part, phase_);
    open_.clear();
  }

  /// What stands at the right is of what is chosen at the left: of a page that was not looked at before its dearest.
  void show(Page page) {
    if (page_ == page) return;
    page_ = page;
    if (page != Page::Kinds && page != Page::Layers) return;
    const std::vector<LlmPart>& parts = page == Page::Kinds ? model_.kinds() : model_.layers();
    if (const auto& before = chosen_of_page_[static_cast<size_t>(page)]; before) return choose(*before);
    const auto dearest = std::max_element(parts.begin(), parts.end(), [this](const LlmPart& a, const LlmPart& b) {
      return a.time[phase_] < b.time[phase_];
    });
    if (dearest != parts.end()) choose(*dearest);
  }

  /// Of the longest list of any page, so that the tabs stay where they are when another one is chosen.
  size_t longest_list() const {
    size_t rows = std::max(model_.sequences().size(), model_.view().caches.size());
    for (const std::vector<LlmPart>* parts : {&model_.kinds(), &model_.layers()}) {
      rows = std::max(rows, parts->size() + 1);
      for (const LlmPart& part : *parts)
        rows = std::max({rows, model_.groups_of(part, 0).size() + 1, model_.groups_of(part, 1).size() + 1});
    }
    return rows;
  }

  void draw_lines() const {
    ImGui::PushTextWrapPos(0);
    for (const std::string& line : model_.lines()) text_colored(theme().muted, inspector::printable(line));
    ImGui::PopTextWrapPos();
  }

  /// Of dynamic shapes the trace has the most that they can be, not what they were.
  void draw_prompt() {
    if (!model_.view().prompt_missing() && !model_.view().steps.prompt_given) return;
    ImGui::AlignTextToFramePadding();
    text_colored(theme().warning, "Tokens of each prompt:");
    ImGui::SameLine();
    ImGui::SetNextItemWidth(scaled(90));
    int tokens = static_cast<int>(hints_.prompt_tokens);
    if (ImGui::InputInt("##prompt", &tokens, 0)) hints_.prompt_tokens = std::max(tokens, 0);
    if (ImGui::IsItemDeactivatedAfterEdit()) query_.again();
    item_tooltip("Its shape is dynamic: how many tokens each prefill took in makes its tokens per second known.");
  }

  /// Phases that contradict the methods' names were set too late, mostly: then all below is of other executions.
  void draw_conflict() {
    const inspector::TokenSteps& steps = model_.view().steps;
    if (steps.conflicts.empty()) return;
    const bool names = steps.told_by == inspector::ToldBy::Method;
    ImGui::PushTextWrapPos(0);
    text_colored(
        theme().warning,
        names ? "The phases that the application gave contradict the names of the methods, which count here: it has "
                "to set a phase before the execution starts."
              : "The phases that the application gave contradict the names of the methods: prefill and decode are "
                "mixed up below, if the names are right.");
    ImGui::PopTextWrapPos();
    if (!ImGui::TextLink(names ? "Go by the phases" : "Go by the methods' names")) return;
    hints_.by_method = !names;
    query_.again();
  }

  void draw_pages(PanelContext& context) {
    const bool beside = ImGui::GetContentRegionAvail().x > scaled(700);
    const ImVec2 all = ImGui::GetContentRegionAvail();
    const float height = std::max(all.y, scaled(160));
    const bool parts = page_ == Page::Kinds || page_ == Page::Layers;
    if (ImGui::BeginChild("##parts", {beside && parts ? all.x * 0.5F : 0, beside || !parts ? height : height * 0.5F})) {
      if (ImGui::BeginTabBar("##pages")) {
        page("By kind", Page::Kinds, [&] { draw_parts(context, model_.kinds(), "##kinds"); });
        if (!model_.layers().empty())
          page("By layer", Page::Layers, [&] { draw_parts(context, model_.layers(), "##layers"); });
        if (model_.view().steps.told_by != inspector::ToldBy::Nothing)
          page("Sequences", Page::Sequences, [&] { draw_sequences(); });
        if (!model_.view().caches.empty()) page("KV cache", Page::Cache, [&] { draw_caches(); });
        if (plot_is_page_ && !model_.points().empty())
          page("Time of each", Page::Times, [&] { draw_plot(context, ImGui::GetContentRegionAvail().y); });
        ImGui::EndTabBar();
      }
    }
    ImGui::EndChild();
    if (!parts) return;
    if (beside) ImGui::SameLine();
    if (ImGui::BeginChild("##ops", {0, beside ? height : height * 0.5F})) draw_ops(context);
    ImGui::EndChild();
  }

  template <class Draw>
  void page(const char* title, Page which, Draw&& content) {
    const bool forced = which == Page::Kinds && std::exchange(wanted_page_, false);
    if (!ImGui::BeginTabItem(title, nullptr, forced ? ImGuiTabItemFlags_SetSelected : 0)) return;
    show(which);
    content();
    ImGui::EndTabItem();
  }

  /// What the parts above add up to.
  void draw_total() const {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::PushFont(fonts().bold, 0);
    ImGui::TextUnformatted("Total");
    for (size_t p = 0; p < 2; ++p) {
      if (!model_.ran(p)) continue;
      if (ImGui::TableNextColumn()) text_right(model_.time_text(model_.view().phases[p].whole));
      if (ImGui::TableNextColumn()) share_cell(1, theme().faint);
    }
    ImGui::PopFont();
  }

  bool is_chosen(const LlmPart& part) const {
    return part.kind == chosen_.kind && part.layer == chosen_.layer && part.stack == chosen_.stack;
  }

  void draw_parts(PanelContext& context, const std::vector<LlmPart>& parts, const char* id) {
    // The rest is that of the bars, which say more the longer they are.
    std::vector<LlmColumn> columns = {{"Part", 130}};
    const std::string basis = sentence(model_.view().basis.text()) + ".";
    const bool both = model_.ran(0) && model_.ran(1);
    for (size_t p = 0; p < 2; ++p) {
      if (!model_.ran(p)) continue;
      columns.push_back({sentence(model_.phase_title(p)), 78, true, basis.c_str()});
      columns.push_back({"Share", 0, true});
    }
    const bool layers = id == std::string_view("##layers");
    if (layers && !both) columns.push_back({"Most of it", 130});
    if (!begin_llm_table(id, columns, 0)) return;
    std::array<double, 2> longest = {};
    for (const LlmPart& part : parts) {
      for (size_t p = 0; p < 2; ++p) longest[p] = std::max(longest[p], part.time[p]);
    }
    for (size_t i = 0; i < parts.size(); ++i) {
      const LlmPart& part = parts[i];
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      ImGui::PushID(static_cast<int>(i));
      const ImVec2 at = ImGui::GetCursorPos();
      // Chosen for the list beside it; highlighted as soon as it is what is selected.
      const bool chosen = is_chosen(part);
      if (chosen) ImGui::TableSetBgColor(ImGuiTableBgTarget_CellBg, with_alpha(theme().selection, 0.25F));
      if (ImGui::Selectable("##row", chosen && is_now(context, chosen_ops_), ImGuiSelectableFlags_SpanAllColumns)) {
        // The cell says of which phase: each has a time and a share.
        if (const int column = ImGui::TableGetHoveredColumn(); both && column >= 1 && column <= 4)
          phase_ = static_cast<size_t>(column - 1) / 2;
        choose(part);
        if (const Selection all = model_.selection_of(part, phase_); !all.empty()) context.document.select(all);
      }
      if (part.layer) kinds_tooltip(part);
      ImGui::SetCursorPos(at);
      ImGui::PopID();
      text_fitting(part.name);
      for (size_t p = 0; p < 2; ++p) {
        if (!model_.ran(p)) continue;
        if (ImGui::TableNextColumn()) text_right(model_.time_text(part.time[p]));
        if (!ImGui::TableNextColumn() || part.time[p] == 0) continue;
        if (part.layer) {
          llm_layer_cell(model_, part, p, longest[p]);
        } else {
          const double whole = model_.view().phases[p].whole;
          share_cell(model_.share(part.time[p], p), llm_part_color(part), whole > 0 ? longest[p] / whole : 1);
        }
      }
      if (layers && !both && ImGui::TableNextColumn()) text_fitting(part.most);
    }
    draw_total();
    ImGui::EndTable();
  }

  /// What the colours of a layer's bar stand for, in numbers.
  void kinds_tooltip(const LlmPart& layer) const {
    if (!ImGui::IsItemHovered()) return;
    std::string text = sentence(layer.name);
    for (const LlmPart& kind : model_.kinds()) {  // in the order of the bar
      for (size_t p = 0; p < 2 && kind.kind; ++p) {
        const double time = layer.by_kind[static_cast<size_t>(*kind.kind)][p];
        if (time == 0 || !(layer.time[p] > 0)) continue;
        text += "\n" + kind.name + "  " + model_.time_text(time) + ", " +
                inspector::format_share(time / layer.time[p]) +
                (model_.ran(0) && model_.ran(1) ? std::string(" of ") + model_.phase_title(p) : std::string());
      }
    }
    item_tooltip(text);
  }

  void link(PanelContext& context, const char* label, const char* panel, bool enabled) const {
    flow_button(label);
    ImGui::BeginDisabled(!enabled);
    if (ImGui::SmallButton(label)) {
      const Selection& now = context.document.selection();
      const Selection all = model_.selection_of(chosen_, phase_);
      const bool inside =
          now.kind == Selection::Kind::Op && std::any_of(groups_.begin(), groups_.end(), [&](const LlmGroup& group) {
            return std::any_of(group.ops.begin(), group.ops.end(),
                               [&](const LlmOp& op) { return model_.selection_of(op).op == now.op; });
          });
      context.document.select(inside ? now : all, panel);
    }
    ImGui::EndDisabled();
  }

  /// Which phase the list is of, where both ran.
  void draw_phases() {
    if (!model_.ran(0) || !model_.ran(1)) return;
    for (const size_t p : {size_t{1}, size_t{0}}) {
      const std::string label = std::string("in ") + model_.phase_title(p);
      flow_button(label.c_str());
      if (ImGui::RadioButton(label.c_str(), phase_ == p) && phase_ != p) {
        phase_ = p;
        choose(chosen_);
      }
    }
  }

  void draw_ops(PanelContext& context) {
    const bool any = !groups_.empty();
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted(sentence(inspector::printable(chosen_.name)).c_str());
    draw_phases();
    link(context, "Operators", "operators", any);
    link(context, "Source", "source", any && model_.view().has_graph);
    link(context, "Graph", "graph", any && model_.view().has_graph);
    link(context, "Findings", "findings", any);
    if (!any) {
      const bool is_work = model_.ran(0) && model_.ran(1) && (chosen_.kind || chosen_.layer);
      text_colored(theme().muted, is_work ? "No op of this phase." : "Time that no op explains.");
      return;
    }
    const float room = ImGui::GetContentRegionAvail().x;
    const bool shares = room > scaled(330), lines = room > scaled(520), modules = room > scaled(400);
    std::vector<LlmColumn> columns = {{"Op"}, {"Time", 78, true, "Of an execution, on the basis."}};
    if (shares) columns.push_back({"Share", 62, true, "Of the execution."});
    if (modules) columns.push_back({"Module", 0, false, "Of several ops what their modules have in common."});
    if (lines) columns.push_back({"Line", 130});
    const std::string id = "##ops" + std::to_string(columns.size());  // widths belong to the columns there are
    if (!begin_llm_table(id.c_str(), columns, 0)) return;
    const LlmShown shown = {shares, modules, lines};
    int row = 0;
    double sum = 0;
    for (const LlmGroup& group : groups_) {
      sum += group.time;
      draw_group(context, group, row++, shown);
      if (group.ops.size() < 2 || !open_.contains(group.title)) continue;
      for (const LlmOp& op : group.ops) draw_op(context, op, row++, shown, true);
    }
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::PushFont(fonts().bold, 0);
    ImGui::TextUnformatted("Total");
    if (ImGui::TableNextColumn()) text_right(model_.time_text(sum));
    if (shares && ImGui::TableNextColumn()) text_right(inspector::format_share(model_.share(sum, phase_)));
    ImGui::PopFont();
    ImGui::EndTable();
  }

  struct LlmShown {
    bool shares = false, modules = false, lines = false;
  };

  void draw_rest(double time, const std::string& module, const std::string& line, const LlmShown& shown) const {
    if (ImGui::TableNextColumn()) text_right(model_.time_text(time));
    if (shown.shares && ImGui::TableNextColumn()) text_right(inspector::format_share(model_.share(time, phase_)));
    if (shown.modules && ImGui::TableNextColumn()) {
      // Where the whole has no room, "all below it" says least.
      const bool cut = module.ends_with(".*") && text_width(module) > ImGui::GetContentRegionAvail().x;
      text_fitting_end(cut ? module.substr(0, module.size() - 2) : module);
    }
    if (shown.lines && ImGui::TableNextColumn()) text_fitting(line);
  }

  static bool is_now(const PanelContext& context, const Selection& selection) {
    const Selection& now = context.document.selection();
    return now.same(selection) && now.ops == selection.ops;
  }

  /// Ops of one name are one row, which opens.
  void draw_group(PanelContext& context, const LlmGroup& group, int row, const LlmShown& shown) {
    if (group.ops.size() == 1) return draw_op(context, group.ops.front(), row, shown, false);
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::PushID(row);
    const ImVec2 at = ImGui::GetCursorPos();
    const Selection all = model_.selection_of(group);
    if (ImGui::Selectable("##group", is_now(context, all),
                          ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowOverlap)) {
      if (!open_.insert(group.title).second) open_.erase(group.title);
      context.document.select(all);
    }
    ImGui::SetCursorPos(at);
    const float size = ImGui::GetTextLineHeight();
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    ImGui::RenderArrow(ImGui::GetWindowDrawList(), {corner.x, corner.y + size * 0.1F}, theme().muted,
                       open_.contains(group.title) ? ImGuiDir_Down : ImGuiDir_Right, 0.8F);
    ImGui::SetCursorPosX(at.x + size);
    ImGui::PopID();
    text_fitting(group.title + " ×" + inspector::format_count(std::ssize(group.ops)));
    draw_rest(group.time, group.module, group.line, shown);
  }

  void draw_op(PanelContext& context, const LlmOp& op, int row, const LlmShown& shown, bool inside) const {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::PushID(row);
    const ImVec2 at = ImGui::GetCursorPos();
    const bool selected = is_now(context, model_.selection_of(op));
    if (ImGui::Selectable("##op", selected,
                          ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowDoubleClick)) {
      const bool twice = ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left);
      context.document.select(model_.selection_of(op), twice ? "source" : "");
    }
    if (!op.module.empty()) item_tooltip(op.module + (op.line.empty() ? "" : "\n" + op.line));
    ImGui::SetCursorPos({at.x + ImGui::GetTextLineHeight() * (inside ? 1.6F : 1), at.y});
    ImGui::PopID();
    text_fitting(op.title);
    draw_rest(op.time, op.module, op.line, shown);
  }

  void draw_sequences() const {
    const std::vector<LlmColumn> columns = {
        {"Sequence"},
        {"Prompt", 78, true, "Tokens that its prefill read, where that is known."},
        {"Prefill", 86, true},
        {"First token", 96, true, "From its start to the end of its prefill."},
        {"Tokens", 70, true},
        {"Warm median", 96, true, "Of its warm decode steps: what Each token above says of all sequences."},
        {"Mean of all", 96, true, "Of all its decode steps, the cold one included."},
        {"Tokens/s", 80, true, "At the warm median."}};
    if (!begin_llm_table("##sequences", columns, 0)) return;
    const bool ns = model_.view().unit == "ns";
    for (const LlmSequence& s : model_.sequences()) {
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      text_fitting(inspector::format_count(s.number + 1) + (s.cold ? " (cold)" : ""));
      for (const std::string& text :
           {s.prompt_tokens > 0 ? inspector::format_count(s.prompt_tokens) : "", model_.time_text(s.prompt),
            model_.time_text(s.first_token), inspector::format_count(s.tokens), model_.time_text(s.median),
            model_.time_text(s.token), ns && s.median > 0 ? inspector::format_real(1e9 / s.median, 1) : ""}) {
        if (ImGui::TableNextColumn()) text_right(text);
      }
    }
    ImGui::EndTable();
  }

  void draw_caches() const {
    const std::vector<LlmColumn> columns = {
        {"Buffer"}, {"Type", 80}, {"Shape", 150}, {"Positions", 86, true}, {"Bytes", 90, true}};
    if (!begin_llm_table("##caches", columns, 0)) return;
    for (const inspector::KvCache& cache : model_.view().caches) {
      ImGui::TableNextRow();
      for (const std::string* text : {&cache.name, &cache.dtype, &cache.shape}) {
        if (ImGui::TableNextColumn()) text_fitting(*text);
      }
      if (ImGui::TableNextColumn())
        text_right(cache.positions > 0 ? inspector::format_count(cache.positions) : std::string());
      if (ImGui::TableNextColumn()) text_right(cache.bytes > 0 ? inspector::format_bytes(cache.bytes) : std::string());
    }
    ImGui::EndTable();
  }

  LlmModel model_;
  StoreQuery query_;
  bool fresh_ = true, wanted_page_ = false;  // wanted: a kind was chosen above the pages
  Page page_ = Page::Kinds;
  size_t phase_ = 1;  // of groups_
  LlmPart chosen_;
  std::array<std::optional<LlmPart>, 2> chosen_of_page_;  // Kinds, Layers
  std::vector<LlmGroup> groups_;                          // of chosen_
  Selection chosen_ops_;                                  // all of them
  bool plot_is_page_ = false;
  std::set<std::string> open_;  // of them
  size_t list_rows_ = 0;
  inspector::TokenHints hints_;
};

}  // namespace

extern const PanelSpec k_llm_panel;
const PanelSpec k_llm_panel = {
    .id = "llm",
    .title = "Language model",
    .summary = "First token, tokens per second, cost of a position, of kinds of work and of layers",
    .key = ImGuiKey_None,
    .make = [] { return std::unique_ptr<Panel>(new LlmPanel); },
};

}  // namespace et::gui
