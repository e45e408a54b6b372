#include "gui/models/numerics_model.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <string_view>
#include <system_error>

#include "gui/core/text.h"
#include "inspector/analysis/gap/found_inputs.h"
#include "inspector/analysis/ops/op_title.h"
#include "inspector/ingest/folder_files.h"
#include "inspector/report/gap_report.h"
#include "inspector/text/format.h"
#include "inspector/text/words.h"

namespace et::gui {

using inspector::GapExecution;
using inspector::GapRole;
using inspector::GapRow;
using inspector::LoggedValue;

namespace {

constexpr size_t kDistributionBins = 64;

bool is_integer(const std::string& dtype) { return dtype.starts_with("int") || dtype.starts_with("uint"); }

/// What the command calls --input is a choice in the window.
std::string in_words_of_the_window(std::string message) {
  constexpr std::string_view kOption = "with --input";
  if (const size_t at = message.find(kOption); at != std::string::npos)
    message.replace(at, kOption.size(), "under Inputs above");
  return message;
}

/// Whether a new trace can be compared in the way that the old one was.
bool is_of_any_trace(const NumericsRequest& request) {
  return request.against == NumericsRequest::Against::Files && !request.files.empty();
}

}  // namespace

void NumericsModel::forget() {
  job_.reset();
  detail_job_.reset();
  session_.reset();
  stage_.reset();
  titles_.clear();
  points_.clear();
  points_metric_.reset();
  shown_.clear();
  shown_as_.reset();
  chosen_.reset();
  detail_.reset();
  detail_problem_.clear();
  explanation_.clear();
}

void NumericsModel::refresh(Document& document) {
  if (asked_ && version_ == document.trace_version()) return;
  asked_ = true;
  version_ = document.trace_version();
  forget();
  executions_.clear();
  has_graph_ = false;
  data_ = document.shared_data();
  state_ = data_ == nullptr ? State::NoTrace : !data_->has_etdump() ? State::NoDump : State::Reading;
  if (state_ != State::Reading) return;
  has_graph_ = data_->has_etrecord() && !data_->foreign.hides_record();
  job_ = document.jobs().query<Look>(
      document.store_path(),
      [id = data_->trace_id()](const inspector::Store& store, const Cancel&, Look* out) {
        out->executions = inspector::gap_executions(store, id);
        const auto has_values = [](const GapExecution& e) { return e.has_values; };
        if (std::any_of(out->executions.begin(), out->executions.end(), has_values)) return Status();
        inspector::GapSide none;
        out->problem = inspector::open_gap_side(store, id, std::nullopt, std::nullopt, &none);
        return Status();
      },
      [this, &document](const Status& status, Look look) {
        if (!status.ok()) look.problem = status;
        looked(document, std::move(look));
      });
}

namespace {

std::vector<std::string> arrays_in(const std::filesystem::path& folder) {
  constexpr size_t kMost = 16;  // of more nobody knows which
  std::vector<std::string> out;
  std::error_code error;
  for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (it->path().extension() == ".npy") out.push_back(it->path().string());
    if (out.size() > kMost) return {};
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

void NumericsModel::looked(Document& document, Look look) {
  arrays_.clear();
  if (data_ != nullptr && data_->facts.dump_path)
    arrays_ = arrays_in(std::filesystem::path(*data_->facts.dump_path).parent_path());
  executions_ = std::move(look.executions);
  if (!look.problem.ok()) {
    state_ = State::NoValues;
    explanation_ = look.problem.message();
    return;
  }
  if (!is_of_any_trace(request)) {
    request.against = NumericsRequest::Against::Graph;
    request.trace = 0;
  }
  request.execution.reset();
  measure(document);
}

int64_t NumericsModel::execution() const {
  if (request.execution) return *request.execution;
  for (size_t i = executions_.size(); i-- > 0;) {
    if (executions_[i].has_values) return static_cast<int64_t>(i);
  }
  return -1;
}

void NumericsModel::measure(Document& document) {
  if (data_ == nullptr || executions_.empty()) return;
  using Against = NumericsRequest::Against;
  forget();
  if (request.against == Against::Graph && !has_graph_) {
    state_ = State::NoReference;
    explanation_ =
        data_->has_etrecord()
            ? "The ETRecord is another model's (" + data_->foreign.record + "): open the one of this program's export."
            : "The default is the graph of the ETRecord: open it together with the ETDump.";
    explanation_ += " Or name another trace with logged tensors, or recorded ones (.npz, a folder of .npy), above.";
    return;
  }
  if (request.against == Against::Files && request.files.empty()) {
    state_ = State::NoReference;
    explanation_ =
        "Name another trace with logged tensors (its ETDump and its debug buffer, or store.db#3), an .npz archive or a "
        "folder of .npy files above.";
    return;
  }
  state_ = State::Working;
  stage_ = std::make_shared<NumericsStage>();
  struct Result {
    Status status;
    std::shared_ptr<NumericsSession> session;
  };
  NumericsRequest wanted = request;
  wanted.execution = execution();
  wanted.look_beside = document.neighbours();
  job_ = document.jobs().submit<Result>(
      [wanted, stage = stage_, path = document.store_path(), id = data_->trace_id(),
       lines = document.lines()](const Cancel& cancel) {
        Result out;
        out.status = NumericsSession::make(path, id, lines, wanted, stage, cancel, &out.session);
        return out;
      },
      [this, &document](Result result) { measured(document, result.status, std::move(result.session)); });
}

void NumericsModel::compare_with_files(Document& document, std::vector<std::string> files) {
  request.against = NumericsRequest::Against::Files;
  request.files = std::move(files);
  if (execution() >= 0) measure(document);
}

void NumericsModel::measured(Document& document, const Status& status, std::shared_ptr<NumericsSession> session) {
  stage_.reset();
  if (!status.ok()) {
    state_ = State::Failed;
    explanation_ = in_words_of_the_window(status.message());
    return;
  }
  session_ = std::move(session);
  state_ = State::Ready;
  titles_.reserve(gap().rows.size());
  for (size_t i = 0; i < gap().rows.size(); ++i) {
    const int32_t op = data_->find_op(value(i).op_id);
    titles_.push_back(op < 0 ? value(i).name : inspector::op_title(data_->table, data_->table.ops[op]));
  }
  for (size_t c = 0; c < kNumericsColumns; ++c) {
    const auto column = static_cast<NumericsColumn>(c);
    filled_[c] = false;
    for (size_t i = 0; i < gap().rows.size() && !filled_[c]; ++i) filled_[c] = !cell(i, column).empty();
    std::map<std::string, size_t> texts;
    size_t most = 0, all = 0;
    for (size_t i = 0; i < gap().rows.size() && !is_number(column); ++i) {
      const std::string text = cell(i, column);
      if (text.empty()) continue;
      ++all;
      most = std::max(most, ++texts[text]);
    }
    constexpr double kNearlyAll = 0.9;
    one_thing_[c] = all > 1 && static_cast<double>(most) >= kNearlyAll * static_cast<double>(all);
  }
  selection_version_ = 0;
  (void)follow(document);
  // Without a divergence the largest error is what there is to look at.
  if (!chosen_ && !gap().rows.empty()) look_at(document, gap().first.value_or(largest_error(gap())));
}

std::string NumericsModel::stage() const {
  if (stage_ == nullptr) return {};
  const int64_t seconds = stage_->elapsed().count();
  return stage_->text() + (seconds > 0 ? ", " + std::to_string(seconds) + " s" : "…");
}

void NumericsModel::cancel() {
  if (state_ != State::Working) return;
  forget();
  state_ = State::Cancelled;
}

bool NumericsModel::lacks_buffer() const {
  return explanation_.find("debug buffer, which is missing") != std::string::npos;
}

std::vector<std::string> NumericsModel::commands() const {
  if (data_ == nullptr) return {};
  const auto& facts = data_->facts;
  const std::string record = facts.record_path ? " --etrecord " + shell_word(*facts.record_path) : "";
  const auto show = [&](const std::string& dump, const std::string& pte) {
    return "et-inspect-gui " + dump + " --debug-buffer run.bin" + record + pte;
  };
  const std::string pte = facts.program_path ? " --pte " + shell_word(*facts.program_path) : "";
  if (lacks_buffer()) return {show(shell_word(facts.dump_path.value_or("run.etdp")), pte)};
  return {"et-run " + shell_word(facts.program_path.value_or("model.pte")) + data_->method_option() +
              " --etdump run.etdp --debug-buffer run.bin",
          show("run.etdp", pte)};
}

std::string NumericsModel::summary() const {
  return inspector::format_count(static_cast<int64_t>(gap().rows.size())) + " of " +
         inspector::plural(static_cast<int64_t>(run().values.size()), "tensor") + " compared with " + reference().name +
         (gap().rows.empty() ? "" : ", by " + gap().matched_by);
}

const inspector::GraphInputs& NumericsModel::fed() const {
  const bool found = !request.inputs.any() && session_ != nullptr && session_->compared().found_inputs();
  return found ? *session_->compared().found_inputs() : request.inputs;
}

std::string NumericsModel::found_text() const {
  if (session_ == nullptr || !session_->compared().found_inputs()) return {};
  inspector::GraphInputs found = *session_->compared().found_inputs();
  for (std::string& file : found.files) file = inspector::file_name(file);
  if (!found.cases.empty()) found.cases = inspector::file_name(found.cases);
  return "The graph was fed " + inspector::inputs_text(found) + ", found beside the run, as far as is known.";
}

std::string NumericsModel::first_text() const {
  if (!gap().first) return {};
  const size_t i = *gap().first;
  const char* const what = verdict() == NumericsVerdict::NoFault || verdict() == NumericsVerdict::Quantised
                               ? "First beyond the tolerance: "
                               : "First divergence: ";
  const std::string& module = row(i).module;
  return what + title(i) + (place(i).empty() ? "" : ", " + place(i)) + (module.empty() ? "" : ", " + module);
}

std::string NumericsModel::role_text() const {
  if (!gap().has_own) return {};
  int64_t counts[4] = {};
  size_t no_inputs = 0;
  for (const GapRow& r : gap().rows) {
    ++counts[static_cast<size_t>(r.role)];
    no_inputs += inspector::is_unknown_for_its_inputs(r);
  }
  const int64_t adds = counts[static_cast<size_t>(GapRole::Adds)],
                unknown = counts[static_cast<size_t>(GapRole::Unknown)];
  return inspector::role_counts_text(static_cast<size_t>(adds),
                                     static_cast<size_t>(counts[static_cast<size_t>(GapRole::PassesOn)]),
                                     static_cast<size_t>(unknown)) +
         inspector::unknown_text(static_cast<size_t>(unknown), no_inputs);
}

NumericsVerdict verdict_of(const inspector::Gap& gap) {
  if (!gap.first) return NumericsVerdict::Clean;
  bool undecided = false;
  for (const GapRow& r : gap.rows) {
    if (r.role == GapRole::Adds) return NumericsVerdict::Faulty;
    undecided = undecided || (r.diverges && r.role != GapRole::PassesOn);
  }
  if (gap.inputs != inspector::GapInputs::Same) return NumericsVerdict::OtherInputs;
  if (gap.quantised) return NumericsVerdict::Quantised;
  if (!gap.has_own) return NumericsVerdict::Faulty;
  return undecided ? NumericsVerdict::Undecided : NumericsVerdict::NoFault;
}

std::string off_by_text(const inspector::Gap& gap, const std::vector<LoggedValue>& values) {
  double steps = 0, share = 0;
  std::string type;
  for (const GapRow& r : gap.rows) {
    if (!r.diverges) continue;
    const std::string& dtype = values[r.value].dtype;
    if (!is_integer(dtype)) {
      share = std::max(share, r.figures.relative());
    } else if (type.empty() || r.figures.max_abs > steps) {
      steps = r.figures.max_abs;
      type = dtype;
    }
  }
  std::string text;
  if (!type.empty())
    text = "within " + inspector::plural(static_cast<int64_t>(std::ceil(steps)), "quantisation step") + " of " + type;
  if (share > 0)
    text += (type.empty() ? "within " : ", ") + inspector::format_share(share) + " of the largest value" +
            (type.empty() ? "" : " in other tensors");
  return text;
}

std::string NumericsModel::verdict_text() const {
  const NumericsVerdict is = verdict();
  if (is == NumericsVerdict::Clean) return "No tensor differs by more than rounding.";
  if (is == NumericsVerdict::OtherInputs)
    return std::string("Other inputs") + (gap().inputs == inspector::GapInputs::Other ? "" : ", probably") +
           ": no op can be blamed for what differs";
  if (is == NumericsVerdict::Quantised) {
    const size_t worst = largest_error(gap());
    const std::string& module = row(worst).module;
    return "The run is quantised, the reference is not: what differs may be the price of that alone. Worst: " +
           title(worst) + (module.empty() ? "" : " of " + module) + ", " +
           inspector::format_share(row(worst).figures.relative()) +
           " of its largest value. Whether an op is wrong: Against, the ETRecord's graph.";
  }
  if (is != NumericsVerdict::NoFault) return first_text() + (role_text().empty() ? "" : " · " + role_text());
  const size_t first = *gap().first;
  const std::string& module = row(first).module;
  return "No op adds error: " + off_by_text(gap(), run().values) + ". What is beyond the tolerance is right for what " +
         "it was fed; the first is " + title(first) + (place(first).empty() ? "" : ", " + place(first)) +
         (module.empty() ? "" : ", " + module) + ".";
}

std::vector<std::string> NumericsModel::warnings() const {
  std::vector<std::string> out;
  // What makes all figures say something else comes first.
  if (std::string other = inspector::other_inputs_text(gap()); !other.empty())
    out.push_back(other + (gap().has_own ? ". Choose the run's above." : "."));
  for (const std::string& note : session_->notes()) out.push_back(note);
  if (!session_->compared().own_problem().empty())
    out.push_back("Which ops add error is not known: " + session_->compared().own_problem());
  return out;
}

std::string NumericsModel::missing() const { return inspector::missing_text(gap(), run()); }

std::string NumericsModel::node(size_t i) const {
  return inspector::node_text(value(i), reference().values[row(i).reference], row(i));
}

std::string NumericsModel::place(size_t i) const {
  const LoggedValue& v = value(i);
  if (v.file.empty()) return {};
  return base_name(v.file) + (v.line > 0 ? ":" + std::to_string(v.line) : "");
}

Selection NumericsModel::selection_of(size_t i) const {
  const LoggedValue& v = value(i);
  const std::string& name = row(i).nearest ? reference().values[row(i).reference].node : v.node;
  Selection s = select_op(*data_, v.op_id);
  if (s.empty()) return select_node(*data_, name);
  // A fused op has several nodes: the one whose value this is.
  if (s.has_node(name) && !v.file.empty()) {
    s.node = name;
    s.file = v.file;
    s.line = v.line;
    s.module = row(i).module;
  }
  return s;
}

void NumericsModel::choose(Document& document, size_t i, const std::string& panel) {
  document.select(selection_of(i), panel);
  selection_version_ = document.selection_version();
  look_at(document, i);
}

bool NumericsModel::is_selected(const Document& document, size_t i) const {
  const Selection& s = document.selection();
  if (s.empty()) return false;
  const int32_t op = data_->find_op(value(i).op_id);
  return (op >= 0 && s.has_op(op)) || s.has_node(value(i).node);
}

bool NumericsModel::follow(Document& document) {
  if (state_ != State::Ready || selection_version_ == document.selection_version()) return false;
  selection_version_ = document.selection_version();
  if (document.selection().empty() || (chosen_ && is_selected(document, *chosen_))) return false;
  for (size_t i = 0; i < gap().rows.size(); ++i) {
    if (!is_selected(document, i)) continue;
    look_at(document, i);
    return true;
  }
  return false;
}

void NumericsModel::look_at(Document& document, size_t i) {
  if (chosen_ == i && detail_) return;
  chosen_ = i;
  detail_.reset();
  detail_problem_.clear();
  struct Result {
    Status status;
    inspector::Distributions made;
  };
  detail_job_ = document.jobs().submit<Result>(
      [session = session_, i](const Cancel&) {
        Result out;
        out.status = session->distributions(i, kDistributionBins, &out.made);
        return out;
      },
      [this](Result result) {
        detail_problem_ = result.status.message();
        if (result.status.ok()) detail_ = std::move(result.made);
      });
}

std::string NumericsModel::csv() const {
  std::string out;
  if (state_ == State::Ready) (void)inspector::write_gap(gap(), run(), reference(), {.format = "csv"}, &out);
  return out;
}

std::string NumericsModel::markdown() const {
  std::string out;
  if (state_ == State::Ready)
    (void)inspector::write_gap(gap(), run(), reference(), {.format = "markdown", .top = -1}, &out);
  return out;
}

}  // namespace et::gui
