// What panels share that ask the store once for each document: the job, its error, and what stands in place of their
// content while there is none.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "gui/panels/panel.h"

namespace et::gui {

class StoreQuery {
 public:
  /// True once for each version of the document and after again(): what was shown is out of date.
  bool due(const Document& document) {
    const bool due = again_ || version_ != document.version();
    other_document_ = version_ != document.version();
    version_ = document.version();
    again_ = false;
    if (due) {
      error_.clear();
      reading_ = false;
      job_ = JobHandle();
    }
    return due;
  }
  /// The last due() was for another version, not for again().
  bool other_document() const { return other_document_; }
  /// What the question depends on has changed.
  void again() { again_ = true; }

  /// `done` gets what was made of the store, also of a part of it when there is an error.
  template <class T>
  void start(PanelContext& context, std::function<Status(const inspector::Store&, T*)> work,
             std::function<void(T)> done) {
    reading_ = true;
    job_ = context.jobs.query<T>(
        context.document.store_path(),
        [work = std::move(work)](const inspector::Store& store, const Cancel&, T* out) { return work(store, out); },
        [this, done = std::move(done)](const Status& status, T made) {
          if (!status.ok()) error_ = status.message();
          reading_ = false;
          done(std::move(made));
        });
  }

  /// Draws what there is to say instead of the content; false when the content can be drawn.
  bool draw_instead(const Document& document, const char* failed) const {
    if (document.data() == nullptr) {
      draw_empty("No trace is open", "Drop an ETDump here together with its ETRecord and program.");
    } else if (!error_.empty()) {
      draw_empty(failed, error_.c_str());
    } else if (reading_) {
      draw_empty("Reading…", "");
    } else {
      return false;
    }
    return true;
  }

 private:
  JobHandle job_;
  uint64_t version_ = 0;
  bool reading_ = false, again_ = false, other_document_ = false;
  std::string error_;
};

}  // namespace et::gui
