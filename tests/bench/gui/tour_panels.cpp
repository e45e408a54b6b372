// What the tour does in each panel.
#include <algorithm>

#include "gui/models/delegation_model.h"
#include "gui/models/flame_model.h"
#include "gui/models/graph_model.h"
#include "gui/models/memory_model.h"
#include "gui/models/notes_model.h"
#include "gui/models/operators_model.h"
#include "gui/models/source_model.h"
#include "gui/models/sql_model.h"
#include "gui/models/timeline_model.h"
#include "tests/bench/gui/tour.h"

namespace et::gui {
namespace {

const TraceData& data_of(Tour& tour) { return *tour.app().document().data(); }

/// The op at a place of all, 0 to 1.
const inspector::OpEntry& op_at(Tour& tour, double place) {
  const auto& ops = data_of(tour).table.ops;
  return ops[std::min(static_cast<size_t>(place * static_cast<double>(ops.size())), ops.size() - 1)];
}

void select_ops(Tour& tour, const std::string& name, int frames) {
  tour.step(name, frames, [&](int i) {
    if (i % 3 == 0) {
      tour.app().document().select(select_op(data_of(tour), op_at(tour, static_cast<double>(i) / frames).id));
    }
  });
}

/// Over its middle, slowly down, then by leaps to the end and back.
void scroll(Tour& tour, const std::string& name, float x, float y) {
  tour.step(name, 150, [&](int i) {
    tour.mouse(x, y);
    tour.wheel(i < 80 ? -1.0F : (i < 110 ? -5000.0F : 3000.0F));
  });
}

void hover(Tour& tour, const std::string& name) {
  tour.step(name, 300, [&](int i) { tour.wander(i, 300); });
}

void visit_operators(Tour& tour) {
  tour.app().set_solo("operators");
  tour.step("operators: read", 3);
  auto* model = tour.model<OperatorsModel>("operators");
  const OperatorsQuery first = model->query;
  tour.step("operators: sort", static_cast<int>(kOpColumns) * 12, [&](int i) {
    model->query.sort = static_cast<OpColumn>(i / 12);
    model->query.descending = i % 12 < 6;
  });
  model->query = first;
  for (const char* filter : {"softmax", "self>1us !kind:framework", "module:h.1"}) {
    tour.step(std::string("operators: filter ") + filter, 120,
              [&](int i) { model->query.filter = Tour::typed(filter, i, 120); });
  }
  model->query = first;
  using inspector::GroupBy;
  tour.step("operators: groups", 6 * 12, [&](int i) { model->query.group = static_cast<GroupBy>(i / 12); });
  model->query = first;
  scroll(tour, "operators: scroll", 0.4F, 0.3F);
  hover(tour, "operators: hover");
  select_ops(tour, "operators: select", 60);
}

void visit_flame(Tour& tour) {
  tour.app().set_solo("flame");
  tour.step("flame: read", 3);
  auto* model = tour.model<FlameModel>("flame");
  for (const char* shape : {"Modules", "Calls", "Calls, same names merged"}) {
    if (tour.command(std::string("Flame graph: ") + shape)) tour.step(std::string("flame: ") + shape, 5);
    for (const char* color : {"0", "1", "2"}) {
      tour.app().panel("flame")->restore("color", color);
      tour.step("flame: colors", 10);
    }
    if (model->tree() == nullptr || model->tree()->nodes.empty()) continue;
    const auto nodes = static_cast<int32_t>(model->tree()->nodes.size());
    tour.step("flame: zoom", 120, [&](int i) {
      if (i % 3 == 0) model->zoom(i % 6 == 0 ? static_cast<int32_t>(int64_t{nodes} * i / 120) : 0);
    });
    model->zoom(0);
    tour.step("flame: search", 60, [&](int i) { model->search(Tour::typed("softmax", i, 60)); });
    tour.step("flame: order", 20, [&](int i) { model->order_by_cost(i / 5 % 2 == 0); });
    hover(tour, "flame: hover");
  }
  scroll(tour, "flame: scroll", 0.5F, 0.5F);
  select_ops(tour, "flame: select", 60);
}

void visit_graph(Tour& tour) {
  tour.app().set_solo("graph");
  tour.step("graph: read", 5);
  auto* model = tour.model<GraphViewModel>("graph");
  hover(tour, "graph: hover");
  if (model->graph() == nullptr) return;
  const auto zoom = [&](const std::string& name) {
    tour.step(name, 200, [&](int i) {
      tour.mouse(0.3F, 0.5F);
      tour.wheel(i < 100 ? 1.0F : -1.0F);
    });
  };
  const auto pan = [&](const std::string& name) {
    tour.step(name, 100, [&](int i) {
      tour.button(i > 0 && i < 99);
      tour.mouse(0.3F + 0.002F * static_cast<float>(i), 0.4F + 0.004F * static_cast<float>(i % 50));
    });
    tour.button(false);
  };
  zoom("graph: zoom");
  pan("graph: pan");
  tour.command("Graph: expand all");
  tour.step("graph: all open", 10);
  tour.command("Graph: fit to window");
  zoom("graph: zoom, all open");
  pan("graph: pan, all open");
  hover(tour, "graph: hover, all open");
  tour.step("graph: search", 60, [&](int i) { model->search(Tour::typed("linear", i, 60)); });
  select_ops(tour, "graph: select", 60);
  for (const GraphGrouping grouping :
       {GraphGrouping::Both, GraphGrouping::Modules, GraphGrouping::Delegates, GraphGrouping::None}) {
    model->set_grouping(grouping);
    tour.step("graph: grouping", 10);
  }
  tour.command("Graph: collapse all");
  tour.step("graph: all closed", 10);
}

void visit_delegation(Tour& tour) {
  tour.app().set_solo("delegation");
  tour.step("delegation: read", 5);
  auto* model = tour.model<DelegationModel>("delegation");
  hover(tour, "delegation: hover");
  if (model->maps().empty()) return;
  scroll(tour, "delegation: scroll", 0.5F, 0.8F);
  tour.step("delegation: sort", 8 * 6,
            [&](int i) { model->sort(static_cast<DelegationModel::Column>(i / 6), i % 6 < 3); });
  tour.step("delegation: filter", 60, [&](int i) { model->filter(Tour::typed("softmax", i, 60)); });
  tour.step("delegation: widths, types", 40, [&](int i) {
    model->set_equal(i / 10 % 2 == 0);
    model->by_type(i / 5 % 2 == 0);
    model->show_free(i / 20 % 2 == 0);
  });
  select_ops(tour, "delegation: select", 60);
}

void visit_source(Tour& tour) {
  tour.app().set_solo("source");
  tour.step("source: read", 5);
  auto* model = tour.model<SourceModel>("source");
  const auto files = static_cast<int>(data_of(tour).sources.files.size());
  tour.step("source: files", std::min(files, 10) * 6, [&](int i) { model->choose(i / 6); });
  if (files > 0) model->choose(0);
  scroll(tour, "source: scroll", 0.6F, 0.5F);
  tour.step("source: time without a line", 10, [&](int) { model->choose(SourceModel::kNoLine); });
  scroll(tour, "source: scroll ops without a line", 0.6F, 0.5F);
  hover(tour, "source: hover");
  select_ops(tour, "source: select", 60);
}

void visit_memory(Tour& tour) {
  tour.app().set_solo("memory");
  tour.step("memory: read", 5);
  auto* model = tour.model<MemoryModel>("memory");
  hover(tour, "memory: hover");
  if (!model->has_plan()) return;
  tour.step("memory: zoom", 100, [&](int i) {
    const double factor = i < 50 ? 0.93 : 1.08;
    model->zoom(0.4, 0.3, factor, factor);
  });
  tour.step("memory: pan", 60, [&](int i) { model->pan(i < 30 ? 0.03 : -0.03, i % 20 < 10 ? 0.02 : -0.02); });
  model->fit();
  scroll(tour, "memory: scroll", 0.5F, 0.85F);
  select_ops(tour, "memory: select", 60);
}

void visit_sql(Tour& tour) {
  tour.app().set_solo("sql");
  tour.step("sql: read", 5);
  auto* model = tour.model<SqlModel>("sql");
  tour.step("sql: 100,000 rows", 5, [&](int i) {
    if (i == 0) model->run(tour.app().document(), "SELECT * FROM samples LIMIT 100000", ImGui::GetTime());
  });
  if (model->result().rows() == 0) std::fprintf(stderr, "sql: %s\n", model->result().error.c_str());
  scroll(tour, "sql: scroll", 0.7F, 0.5F);
  tour.step("sql: sort", 30, [&](int i) {
    if (i % 15 == 0) model->sort(tour.app().jobs(), i == 0 ? 5 : 0, true);
  });
  hover(tour, "sql: hover");
  // Typed into the editor, which suggests at once.
  tour.mouse(0.15F, 0.3F);
  const std::string text = "SELECT op_id, name FROM ops o JOIN samples s ON s.op_id";
  tour.step("sql: type", static_cast<int>(text.size()) * 3 + 4, [&](int i) {
    if (i < 4) return tour.button(i == 1);
    if (i % 3 == 1) ImGui::GetIO().AddInputCharacter(static_cast<unsigned char>(text[static_cast<size_t>(i - 4) / 3]));
  });
  tour.step("sql: end of typing", 4, [&](int i) { tour.press(ImGuiKey_Escape, i == 1); });
}

void visit_notes(Tour& tour) {
  tour.app().set_solo("notes");
  tour.step("notes: read", 5);
  auto* model = tour.model<NotesModel>("notes");
  Document& document = tour.app().document();
  document.select(select_op(data_of(tour), op_at(tour, 1).id));
  const size_t before = model->rows().size();
  for (int i = 0; i < 5; ++i) {
    tour.step("notes: write", 3, [&](int k) {
      if (k == 0) {
        model->add(document, inspector::NoteKind::Note, anchor_of(data_of(tour), document.selection()),
                   "of the tour, number " + std::to_string(i), "");
      }
    });
  }
  if (!model->error().empty()) std::fprintf(stderr, "notes: %s\n", model->error().c_str());
  hover(tour, "notes: hover");
  select_ops(tour, "notes: select", 60);
  while (model->rows().size() > before && model->error().empty()) {
    model->remove(document, model->rows().back().note.id);
    tour.step("notes: remove", 3);
  }
}

}  // namespace

void visit_timeline(Tour& tour) {
  tour.app().set_solo("timeline");
  tour.step("timeline: read", 3);
  auto* model = tour.model<TimelineModel>("timeline");
  if (model == nullptr || !model->ready()) return;
  TimelineView& view = model->view;
  tour.step("timeline: zoom in", 300, [&](int) { view.zoom(0.94, 0.63); });
  tour.step("timeline: move", 200, [&](int i) { view.pan(i % 50 < 25 ? 0.05 : -0.03); });
  tour.step("timeline: zoom out", 300, [&](int) { view.zoom(1.07, 0.31); });
  tour.step("timeline: zoom and move", 300, [&](int i) {
    view.zoom(i % 100 < 60 ? 0.9 : 1.16, 0.4);
    view.pan(i % 3 == 0 ? 0.04 : -0.01);
  });
  hover(tour, "timeline: hover");
  select_ops(tour, "timeline: select", 60);
  tour.step("timeline: search", 120, [&](int i) { model->search(Tour::typed("softmax", i, 120)); });
  tour.step("timeline: range", 10, [&](int i) { model->select_range(0, view.extent() * (i + 1) / 10); });
  model->clear_range();
  tour.step("timeline: all executions", 20, [&](int) { view.show_all(); });
  hover(tour, "timeline: hover, all executions");
}

void visit_panels(Tour& tour) {
  tour.app().set_solo("overview");
  tour.step("overview: read", 5);
  hover(tour, "overview: hover");
  scroll(tour, "overview: scroll", 0.5F, 0.6F);
  visit_operators(tour);
  visit_flame(tour);
  visit_graph(tour);
  visit_delegation(tour);
  visit_source(tour);
  visit_memory(tour);
  visit_sql(tour);
  visit_notes(tour);
  tour.app().set_solo("");
  for (const PanelSpec* spec : all_panels()) {
    tour.app().show_panel(spec->id);
    tour.step(std::string("all panels: ") + spec->id, 10);
  }
  select_ops(tour, "all panels: select", 60);
  hover(tour, "all panels: hover");
}

}  // namespace et::gui
