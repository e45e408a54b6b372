// et_parquet.so: a stream of the Arrow C data interface becomes a Parquet file. The one translation unit that sees
// Arrow's C++ library; et-inspect loads it at run time (inspector/report/dataset/parquet_plugin.h). Its interface is C,
// so that it may be compiled apart from the commands; the number in the function's name counts its changes.
#include <arrow/array.h>
#include <arrow/c/bridge.h>
#include <arrow/io/file.h>
#include <arrow/json/from_string.h>
#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <arrow/util/key_value_metadata.h>
#include <parquet/arrow/writer.h>

#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace {

using arrow::Result;
using arrow::Status;
using Types = std::map<std::string, std::shared_ptr<arrow::DataType>>;

std::shared_ptr<arrow::DataType> type_of(const std::string& text) {
  if (text == "list<int64>") return arrow::list(arrow::int64());
  if (text == "list<string>") return arrow::list(arrow::utf8());
  if (text == "list<struct<key: string, value: string>>") {
    return arrow::list(arrow::struct_({arrow::field("key", arrow::utf8()), arrow::field("value", arrow::utf8())}));
  }
  return nullptr;
}

/// A column of JSON texts as what they say.
Result<std::shared_ptr<arrow::Array>> parsed(const arrow::LargeStringArray& texts,
                                             const std::shared_ptr<arrow::DataType>& type) {
  std::string all = "[";
  for (int64_t i = 0; i < texts.length(); ++i) {
    if (i > 0) all += ',';
    all += texts.IsNull(i) ? std::string_view("null") : texts.GetView(i);
  }
  return arrow::json::ArrayFromJSONString(type, all + "]");
}

Result<std::shared_ptr<arrow::RecordBatch>> with_lists(const std::shared_ptr<arrow::RecordBatch>& batch,
                                                       const Types& types) {
  auto columns = batch->columns();
  auto fields = batch->schema()->fields();
  for (size_t i = 0; i < fields.size(); ++i) {
    const auto found = types.find(fields[i]->name());
    if (found == types.end()) continue;
    ARROW_ASSIGN_OR_RAISE(columns[i], parsed(static_cast<const arrow::LargeStringArray&>(*columns[i]), found->second));
    fields[i] = arrow::field(fields[i]->name(), found->second);
  }
  return arrow::RecordBatch::Make(arrow::schema(fields), batch->num_rows(), columns);
}

/// Numbers that count up are small as differences, texts that repeat as a dictionary.
std::shared_ptr<parquet::WriterProperties> properties_for(const arrow::Schema& schema, int64_t row_group_rows) {
  parquet::WriterProperties::Builder builder;
  builder.compression(parquet::Compression::ZSTD)
      ->version(parquet::ParquetVersion::PARQUET_2_6)
      ->max_row_group_length(row_group_rows);
  builder.enable_write_page_index();
  for (const auto& field : schema.fields()) {
    const std::string& name = field->name();
    const bool counts = name.ends_with("_id") || name == "start_ns" || name == "sample";
    if (field->type()->id() == arrow::Type::INT64 && counts) {
      builder.disable_dictionary(name)->encoding(name, parquet::Encoding::DELTA_BINARY_PACKED);
    }
  }
  return builder.build();
}

Status write(const std::string& path, ArrowArrayStream* stream,
             const std::shared_ptr<const arrow::KeyValueMetadata>& metadata, const Types& types,
             int64_t row_group_rows) {
  ARROW_ASSIGN_OR_RAISE(auto reader, arrow::ImportRecordBatchReader(stream));
  ARROW_ASSIGN_OR_RAISE(auto file, arrow::io::FileOutputStream::Open(path));
  std::unique_ptr<parquet::arrow::FileWriter> writer;
  while (true) {
    std::shared_ptr<arrow::RecordBatch> batch;
    ARROW_RETURN_NOT_OK(reader->ReadNext(&batch));
    if (batch == nullptr) break;
    ARROW_ASSIGN_OR_RAISE(batch, with_lists(batch, types));
    if (writer == nullptr) {
      ARROW_ASSIGN_OR_RAISE(writer,
                            parquet::arrow::FileWriter::Open(*batch->schema(), arrow::default_memory_pool(), file,
                                                             properties_for(*batch->schema(), row_group_rows)));
      ARROW_RETURN_NOT_OK(writer->AddKeyValueMetadata(metadata));
    }
    ARROW_RETURN_NOT_OK(writer->WriteRecordBatch(*batch));
  }
  if (writer != nullptr) ARROW_RETURN_NOT_OK(writer->Close());
  return file->Close();
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int et_parquet_write_1(const char* path, ArrowArrayStream* stream,
                                                                         const char* const* metadata,
                                                                         const char* const* lists,
                                                                         int64_t row_group_rows, char* error,
                                                                         size_t error_size) {
  Status status;
  try {
    auto pairs = std::make_shared<arrow::KeyValueMetadata>();
    for (const char* const* p = metadata; *p != nullptr; p += 2) pairs->Append(p[0], p[1]);
    Types types;
    for (const char* const* p = lists; *p != nullptr; p += 2) {
      types[p[0]] = type_of(p[1]);
      if (types[p[0]] == nullptr)
        status = Status::Invalid("column ", p[0], ": expected a list of int64 or string, got ", p[1]);
    }
    if (status.ok()) status = write(path, stream, pairs, types, row_group_rows);
  } catch (const std::exception& e) {
    status = Status::UnknownError(e.what());
  }
  if (status.ok()) return 0;
  std::snprintf(error, error_size, "%s", status.ToString().c_str());
  return 1;
}
