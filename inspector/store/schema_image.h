// The schema of an empty store as the pages of a database, made when the project is built: a store in memory is filled
// with them instead of running some hundred statements, which took half of the time of a small report.
#pragma once

#include <sqlite3.h>

#include <span>
#include <string>

namespace et::inspector {

struct SchemaImage {
  int sqlite_version = 0;  // of the library that made it; 0: there is none
  std::span<const unsigned char> pages;
};

/// All of schema.sql before the indexes.
extern const SchemaImage kWholeSchema;
/// The same with the views that the main report reads and with the indexes, in pages that are smaller, since most
/// tables stay empty.
extern const SchemaImage kReportSchema;
extern const std::span<const char* const> kReportViews;

/// Fills an empty connection in memory. False where the library is another one than made the image, or refuses.
bool load_schema_image(const SchemaImage& image, sqlite3* db);

/// Makes a store at `path`, whole or not at all. False where something is there, or the system has no such files.
bool make_store_file(const SchemaImage& image, const std::string& path);

}  // namespace et::inspector
