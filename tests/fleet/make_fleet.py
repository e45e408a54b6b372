"""A store with the traces of a fleet whose truth is known: one real trace, copied for each device and build with times
drawn anew. What is slow, hot or not delegated is what the caller says."""

import hashlib
import sqlite3

import numpy as np

COPIED = ["raw_method", "raw_block", "raw_run", "raw_op", "raw_node", "raw_delegate", "raw_payload_node", "raw_link",
          "raw_unlinked", "raw_diagnostic"]
# Columns that count something else than the row itself.
REFERENCES = {
    "trace": None, "method": "raw_method", "block": "raw_block", "run": "raw_run", "op": "raw_op", "parent": "raw_op",
    "node": "raw_node", "delegate": "raw_delegate", "payload_node": "raw_payload_node", "fused_into": "raw_payload_node",
}
STRIDE = 100_000  # of numbers, a trace


class Fleet:
    """Copies the first trace of `path`; every copy is a call of add(). close() drops the pattern."""

    def __init__(self, path, executions=12, seed=1):
        self.con = sqlite3.connect(path)
        self.executions, self.random, self.copies = executions, np.random.default_rng(seed), 0
        self.rows, self.columns = {}, {}
        for table in ["raw_trace", *COPIED]:
            cursor = self.con.execute(f"SELECT * FROM {table}")
            self.columns[table] = [c[0] for c in cursor.description]
            self.rows[table] = cursor.fetchall()
        runs = self._dicts("raw_run")
        execute = {b["id"] for b in self._dicts("raw_block") if b["kind"] == "execute"}
        self.blocks = [b for b in execute]
        self.runs = [r for r in runs if r["block"] in execute]
        self.last_run = max(r["id"] for r in runs)

    def _dicts(self, table):
        return [dict(zip(self.columns[table], row)) for row in self.rows[table]]

    def add(self, device, build, date, *, speed=1.0, slow=None, hot=0.0, undelegated=()):
        """speed: factor of all times; slow: {op name: factor}; hot: how much slower the last execution is than the first;
        undelegated: names of ops that ran outside of a delegate."""
        self.copies += 1
        shift = self.copies * STRIDE
        trace = 1 + self.copies
        con, slow = self.con, slow or {}
        row = self._dicts("raw_trace")[0]
        row.update(id=trace, name=None, executions=self.executions)
        self._insert("raw_trace", row)
        for key, value in (("device", device), ("build", build), ("date", date)):
            con.execute("INSERT INTO raw_label VALUES(?, ?, ?)", (trace, key, value))
        con.execute("INSERT INTO raw_dump_fingerprint VALUES(?, ?)", (trace, hashlib.sha256(str((device, build, self.copies)).encode()).hexdigest()))
        for table in COPIED:
            if table in ("raw_run", "raw_op"):
                continue
            for row in self._dicts(table):
                self._insert(table, self._moved(table, row, shift, trace))
        heat = 1 + hot * np.arange(self.executions) / max(1, self.executions - 1)
        for block in self.blocks:
            for e in range(self.executions):
                run = self.runs[0] | {"block": block, "execution": e, "ordinal": e, "is_cold": int(e == 0), "complete": 1}
                run = self._moved("raw_run", run, shift, trace)
                self._insert("raw_run", run | {"id": shift + 1000 * block + e, "duration": int(1e5 * speed * heat[e])})
        common = speed * self.random.lognormal(0, 0.01)
        totals = dict.fromkeys(self.blocks, 0)
        for op in self._dicts("raw_op"):
            base = (op["warm_p50"] or op["mean"] or 0) * common * slow.get(self._name(op["name"]), 1.0)
            moved = self._moved("raw_op", op, shift, trace)
            if self._name(op["name"]) in undelegated:
                moved.update(backend=None, kind="kernel")
            if op["block"] in self.blocks and op["count"]:
                times = np.maximum(1, base * heat * self.random.lognormal(0, 0.02, self.executions)).astype(np.int64)
                times[0] *= 3
                self._statistics(moved, times)
                moved["self"] = int(times.sum() * max(0, op["self"]) / max(1, op["sum"]))
                totals[op["block"]] += moved["self"]  # all of a block's time is some op's own
                con.executemany("INSERT INTO raw_sample VALUES(?, ?, ?, ?)", [
                    ((moved["id"] << 32) + e, shift + 1000 * op["block"] + e, 1_000_000 * e, int(t)) for e, t in enumerate(times)])
            self._insert("raw_op", moved)
        for block in self.blocks:
            per = int(1e5 * common)
            con.execute("UPDATE raw_block SET runs = ?, total = ?, warm_p50 = ?, warm_mean = ? WHERE id = ?",
                        (self.executions, max(1, totals[block]), per, per, block + shift))

    def close(self):
        for table in ["raw_trace", *COPIED, "raw_sample"]:
            where = f"id < {STRIDE << 32}" if table == "raw_sample" else "id = 1" if table == "raw_trace" else (
                "trace = 1" if "trace" in self.columns[table] else f"op < {STRIDE}")
            self.con.execute(f"DELETE FROM {table} WHERE {where}")
        self.con.execute("DELETE FROM raw_label WHERE trace = 1")
        self.con.execute("DELETE FROM raw_dump_fingerprint WHERE trace = 1")
        self.con.commit()
        self.con.close()

    def _name(self, string):
        return self.con.execute("SELECT text FROM raw_string WHERE id = ?", (string,)).fetchone()[0]

    def _statistics(self, op, times):
        warm = times[1:]
        op.update(count=len(times), sum=int(times.sum()), mean=float(times.mean()),
                  stddev=float(times.std()), min=int(times.min()), max=int(times.max()), cold=int(times[0]),
                  warm_mean=float(warm.mean()))
        for name, values, q in (("p10", times, 10), ("p50", times, 50), ("p90", times, 90), ("p99", times, 99),
                                ("warm_p50", warm, 50), ("warm_p99", warm, 99)):
            op[name] = float(np.percentile(values, q))

    def _moved(self, table, row, shift, trace):
        out = dict(row)
        for column, target in REFERENCES.items():
            if not isinstance(out.get(column), int):
                continue
            if column == "trace":
                out[column] = trace
            elif target in COPIED:
                out[column] += shift
        if "id" in out:
            out["id"] += shift
        return out

    def _insert(self, table, row):
        self.con.execute(f"INSERT INTO {table}({', '.join(row)}) VALUES({', '.join('?' * len(row))})", list(row.values()))
