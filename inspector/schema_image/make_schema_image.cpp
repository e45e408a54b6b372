// Writes schema_image.inc: what Store makes of schema.sql, once with all views and once with those of the main report.
#include <cstdio>
#include <string>

#include "inspector/store/schema_image.h"
#include "inspector/store/store.h"

namespace et::inspector {

// The program itself has no image.
const SchemaImage kWholeSchema = {};
const SchemaImage kReportSchema = {};
bool load_schema_image(const SchemaImage&, sqlite3*) { return false; }
bool make_store_file(const SchemaImage&, const std::string&) { return false; }

namespace {

bool write_image(const char* name, Store& store, std::FILE* out) {
  constexpr int kInALine = 64;
  sqlite3_int64 size = 0;
  unsigned char* const pages = sqlite3_serialize(store.db(), "main", &size, 0);
  if (pages == nullptr) return false;
  std::fprintf(out, "constexpr unsigned char k%sPages[] = {", name);
  for (sqlite3_int64 i = 0; i < size; ++i) std::fprintf(out, i % kInALine == 0 ? "\n%d," : "%d,", pages[i]);
  std::fprintf(out, "};\nconst SchemaImage k%sSchema = {%d, k%sPages};\n", name, sqlite3_libversion_number(), name);
  sqlite3_free(pages);
  return true;
}

Status write(std::FILE* out) {
  Store whole, report;
  Status status = Store::open("", Store::Mode::Memory, &whole);
  if (status.ok()) status = Store::open("", Store::Mode::Report, &report);
  if (!status.ok()) return status;
  std::fputs("namespace et::inspector {\n", out);
  const bool written = write_image("Whole", whole, out) && write_image("Report", report, out);
  std::fputs("}  // namespace et::inspector\n", out);
  return written ? Status() : Status(Error::AccessFailed, "cannot read the schema's pages");
}

}  // namespace
}  // namespace et::inspector

int main(int argc, char** argv) {
  std::FILE* const out = argc == 2 ? std::fopen(argv[1], "w") : nullptr;
  if (out == nullptr) return 2;
  const et::Status status = et::inspector::write(out);
  if (!status.ok()) std::fprintf(stderr, "et_schema_image: %s\n", status.message().c_str());
  return std::fclose(out) == 0 && status.ok() ? 0 : 1;
}
