# The public interface: the headers that are installed, by library. Everything else is internal and may change at any time.
# The list is closed: what a header here includes is here, too; tests/install/public_headers_test.py checks that, and that
# each header compiles alone.

# errors, files, hashes
set(ET_PUBLIC_HEADERS_base
  base/error.h base/file_error.h base/mapped_file.h base/npy.h base/result.h base/scalar_type.h base/sha256.h base/span.h
  base/status.h
  base/tensor_bytes.h base/zip_reader.h)

# the core, loaders, Module, the thread pool, and verified views of files and payloads
set(ET_PUBLIC_HEADERS_runtime
  runtime/backends/backend.h runtime/core/boxing.h runtime/core/device.h runtime/core/device_allocator.h
  runtime/core/evalue.h runtime/core/event_tracer.h
  runtime/core/freeable_buffer.h runtime/core/half.h runtime/core/kernel_context.h runtime/core/kernel_registry.h
  runtime/core/library.h runtime/core/memory_allocator.h runtime/core/named_data_map.h runtime/core/scalar.h
  runtime/core/span.h runtime/core/tag.h runtime/core/tensor.h runtime/executor/data_maps.h
  runtime/executor/method.h runtime/executor/method_meta.h runtime/executor/program.h
  runtime/extension/aten_adapter.h runtime/format/delegate_metadata.h runtime/format/demo_payload.h
  runtime/format/instruction.h runtime/format/payload.h runtime/format/program.h runtime/format/program_source.h
  runtime/format/tensor_facts.h runtime/format/tensor_file.h runtime/format/tosa_payload.h runtime/format/value.h
  runtime/format/vela_payload.h runtime/format/xnnpack_payload.h runtime/kernels/common/dtype.h runtime/kernels/common/variant.h
  runtime/kernels/llm/hadamard.h
  runtime/loader/buffer_data_loader.h runtime/loader/data_loader.h runtime/loader/file_data_loader.h
  runtime/loader/mmap_data_loader.h runtime/module/host_tensor.h runtime/module/log_capture.h
  runtime/module/method_arenas.h runtime/module/module.h runtime/module/output_memory.h
  runtime/module/shared_arenas.h runtime/module/tensor.h runtime/module/tensor_accessor.h
  runtime/module/tensor_ptr.h runtime/module/tensor_ptr_maker.h runtime/module/weights.h
  runtime/platform/default_platform.h runtime/platform/log.h runtime/platform/parallel.h
  runtime/platform/platform.h runtime/threadpool/threadpool.h)

# ETDumpGen with its sinks and facts, and the reader
set(ET_PUBLIC_HEADERS_etdump
  etdump/counter_reader.h etdump/data_sink.h etdump/debug_buffer.h etdump/delegate_clock.h
  etdump/delegate_metadata.h etdump/etdump_filter.h etdump/etdump_gen.h etdump/event.h etdump/file_data_sink.h
  etdump/host_info_posix.h etdump/int64_view.h etdump/name_table.h etdump/perf_counters_posix.h etdump/reader.h
  etdump/record.h etdump/record_log.h etdump/trailer.h etdump/wire.h)

# the C interface
set(ET_PUBLIC_HEADERS_capi
  capi/et_runtime.h capi/et_status.h capi/et_tensor.h capi/et_trace.h)

# ExecuTorch's names for this runtime
set(ET_PUBLIC_HEADERS_include
  include/compat.h)

# bundled programs and comparing outputs, for devices too
set(ET_PUBLIC_HEADERS_bundled_program
  bundled_program/bundle.h bundled_program/compare.h)

# cases in bundles, side-cars and memory, and writing them
set(ET_PUBLIC_HEADERS_bundled_host
  bundled_program/cases/case_source.h bundled_program/cases/input_value.h bundled_program/cases/memory_cases.h
  bundled_program/cases/npy.h bundled_program/cases/sidecar.h bundled_program/cases/tensor_value.h
  bundled_program/write/bundle_writer.h bundled_program/write/case_check.h bundled_program/write/case_folder.h
  bundled_program/write/sidecar_writer.h)

# the ETRecord's graphs and tensors
set(ET_PUBLIC_HEADERS_etrecord
  etrecord/graph.h etrecord/graph_walk.h etrecord/record.h etrecord/releases.def etrecord/releases.h
  etrecord/torch_archive.h)

# import, store and reports
set(ET_PUBLIC_HEADERS_inspector
  inspector/analysis/checks/check_history.h inspector/analysis/ops/filter.h inspector/analysis/ops/group.h
  inspector/analysis/ops/basis.h inspector/analysis/ops/execution_phases.h
  inspector/analysis/ops/op_table.h inspector/analysis/ops/summary.h inspector/analysis/timeline/timeline.h
  inspector/ingest/diagnostics.h inspector/ingest/ingest.h inspector/ingest/neighbours.h
  inspector/ingest/sort_files.h inspector/match/median_interval.h inspector/match/statistics.h
  inspector/report/check_report.h inspector/report/delegation_report.h inspector/report/export_text.h
  inspector/report/exporters.h inspector/report/graph_report.h inspector/report/json_report.h
  inspector/report/main_report.h inspector/report/payload_report.h inspector/report/program_report.h
  inspector/report/source_report.h
  inspector/store/line_rule.h inspector/store/notes.h inspector/store/op_columns.def inspector/store/op_columns.h inspector/store/op_columns.inc
  inspector/store/statement.h inspector/store/store.h inspector/store/trace_ref.h
  inspector/text/compact.h inspector/text/format.h inspector/text/path_maps.h)
