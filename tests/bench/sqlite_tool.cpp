// What SQLite itself takes, as a reference for bench_product.py:
//   et_bench_sqlite insert FILE ROWS    rows of four integers, ascending keys, one transaction: as plain as it gets
//   et_bench_sqlite query STORE RUNS SQL    opens a store and runs a query to its end, RUNS times with a fresh
//   connection;
//                                       prints "open_ms query_ms rows" a line
#include <sqlite3.h>
#include <time.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "inspector/store/store.h"

namespace {

double now_ms() {
  timespec t = {};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) / 1e6;
}

int insert(const char* path, long long rows) {
  sqlite3* db = nullptr;
  sqlite3_stmt* st = nullptr;
  std::remove(path);
  const bool ready =
      sqlite3_open(path, &db) == SQLITE_OK &&
      sqlite3_exec(db,
                   "PRAGMA page_size=8192; PRAGMA synchronous=NORMAL; PRAGMA cache_size=-32768;"
                   "CREATE TABLE t(id INTEGER PRIMARY KEY, a INTEGER, b INTEGER, c INTEGER) STRICT; BEGIN",
                   nullptr, nullptr, nullptr) == SQLITE_OK &&
      sqlite3_prepare_v2(db, "INSERT INTO t VALUES(?1,?2,?3,?4)", -1, &st, nullptr) == SQLITE_OK;
  if (!ready) {
    std::fprintf(stderr, "et_bench_sqlite: %s: %s\n", path, sqlite3_errmsg(db));
    return 3;
  }
  for (long long i = 0; i < rows; ++i) {
    sqlite3_bind_int64(st, 1, (1LL << 32) + i);
    sqlite3_bind_int64(st, 2, i / 25);
    sqlite3_bind_int64(st, 3, 1'000'000 + i * 2'000);
    sqlite3_bind_int64(st, 4, 1'000 + i % 700);
    if (sqlite3_step(st) != SQLITE_DONE) return 3;
    sqlite3_reset(st);
  }
  sqlite3_finalize(st);
  const bool done = sqlite3_exec(db, "COMMIT", nullptr, nullptr, nullptr) == SQLITE_OK;
  sqlite3_close(db);
  return done ? 0 : 3;
}

int query(const char* path, long runs, const char* sql) {
  using et::inspector::Store;
  for (long i = 0; i < runs; ++i) {
    const double start = now_ms();
    Store store;
    et::inspector::Statement st;
    et::Status status = Store::open(path, Store::Mode::ReadOnly, &store);
    const double opened = now_ms();
    if (status.ok()) status = store.prepare(sql, &st);
    if (!status.ok()) {
      std::fprintf(stderr, "et_bench_sqlite: %s\n", status.message().c_str());
      return 3;
    }
    long long rows = 0;
    while (st.step()) {
      for (int c = 0; c < st.columns(); ++c) (void)st.text(c);
      ++rows;
    }
    std::printf("%.3f %.3f %lld\n", opened - start, now_ms() - opened, rows);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 4 && std::strcmp(argv[1], "insert") == 0) return insert(argv[2], std::atoll(argv[3]));
  if (argc == 5 && std::strcmp(argv[1], "query") == 0) return query(argv[2], std::atol(argv[3]), argv[4]);
  std::fprintf(stderr, "usage: et_bench_sqlite insert FILE ROWS | query STORE RUNS SQL\n");
  return 2;
}
