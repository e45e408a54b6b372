-- The store: what the inspector knows of traces. SQLite, application_id 'ETIS', user_version 1.
--
-- Views are the contract: their names and columns stay; `et-inspect schema` prints them from this file, so every
-- column of a view stands on a line of its own with its description; [TYPE] in front of it where SQLite cannot tell the
-- type of a computed column. Tables named raw_* are private and may change. The columns of ops are in op_columns.def,
-- with all that shows them, and are put in where a line says @op_columns.
--
-- Times are integers in the unit of their trace (`traces.unit`: ns, or cycles); where a column ends in _ns and the unit
-- is cycles, the number is cycles. Ops with a foreign clock (`ops.clock` not NULL) keep their own unit and are in no sum.

CREATE TABLE raw_string(id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE) STRICT;

CREATE TABLE raw_trace(
  id INTEGER PRIMARY KEY, name TEXT, dump_path TEXT, dump_bytes INTEGER, record_path TEXT, program_path TEXT,
  debug_buffer_path TEXT, unit TEXT NOT NULL, producer TEXT, host TEXT, cpu TEXT, os TEXT, build TEXT, threads INTEGER,
  clock TEXT, clock_numerator INTEGER, clock_denominator INTEGER, program_sha256 TEXT, lost_events INTEGER,
  event_overhead_ns REAL, events INTEGER NOT NULL, executions INTEGER NOT NULL) STRICT;
CREATE TABLE raw_label(trace INTEGER NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL) STRICT;
CREATE TABLE raw_diagnostic(
  trace INTEGER NOT NULL, code TEXT NOT NULL, severity TEXT NOT NULL, count INTEGER NOT NULL, message TEXT NOT NULL,
  help TEXT NOT NULL) STRICT;
CREATE TABLE raw_method(
  id INTEGER PRIMARY KEY, trace INTEGER NOT NULL, ordinal INTEGER NOT NULL, name TEXT NOT NULL, sources TEXT NOT NULL,
  inputs INTEGER, outputs INTEGER, instructions INTEGER) STRICT;
CREATE TABLE raw_block(
  id INTEGER PRIMARY KEY, trace INTEGER NOT NULL, ordinal INTEGER NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL,
  method INTEGER, method_via TEXT, method_confidence REAL, bundled_input_index INTEGER, runs INTEGER NOT NULL,
  total INTEGER NOT NULL, cold INTEGER, warm_mean REAL, warm_p50 REAL) STRICT;
CREATE TABLE raw_run(
  id INTEGER PRIMARY KEY, trace INTEGER NOT NULL, block INTEGER NOT NULL, ordinal INTEGER NOT NULL,
  execution INTEGER NOT NULL, start INTEGER, duration INTEGER NOT NULL, is_cold INTEGER NOT NULL, complete INTEGER NOT NULL,
  error INTEGER, lost_events INTEGER, phase TEXT) STRICT;
CREATE TABLE raw_op(
  -- @op_columns of the table
) STRICT;
-- Samples of one op are neighbours: id = op << 32 | position. So an op's samples are a range of the primary key, in the
-- order in which they happened, and no index is needed.
CREATE TABLE raw_sample(id INTEGER PRIMARY KEY, run INTEGER NOT NULL, start INTEGER NOT NULL, duration INTEGER NOT NULL) STRICT;
CREATE TABLE raw_node(
  id INTEGER PRIMARY KEY, trace INTEGER NOT NULL, method INTEGER, graph TEXT NOT NULL, subgraph TEXT NOT NULL,
  ordinal INTEGER NOT NULL, name TEXT NOT NULL, target TEXT NOT NULL, op TEXT NOT NULL, debug_handle INTEGER,
  file INTEGER, line INTEGER, function INTEGER, code INTEGER, stack_trace INTEGER, module_path INTEGER, module_type INTEGER,
  nn_module_stack INTEGER, dtype TEXT, shape TEXT, arguments TEXT) STRICT;
CREATE TABLE raw_frame(
  node INTEGER NOT NULL, depth INTEGER NOT NULL, file INTEGER NOT NULL, line INTEGER NOT NULL, function INTEGER NOT NULL,
  code INTEGER NOT NULL, PRIMARY KEY(node, depth)) STRICT, WITHOUT ROWID;
CREATE TABLE raw_module(
  node INTEGER NOT NULL, depth INTEGER NOT NULL, key INTEGER NOT NULL, path INTEGER NOT NULL, type INTEGER NOT NULL,
  PRIMARY KEY(node, depth)) STRICT, WITHOUT ROWID;
CREATE TABLE raw_graph_value(
  trace INTEGER NOT NULL, method INTEGER, graph TEXT NOT NULL, subgraph TEXT NOT NULL, role TEXT NOT NULL, ordinal INTEGER NOT NULL,
  name TEXT NOT NULL, node INTEGER, kind TEXT, target TEXT, dtype TEXT, shape TEXT) STRICT;
CREATE TABLE raw_edge(
  trace INTEGER NOT NULL, producer INTEGER NOT NULL, consumer INTEGER NOT NULL, value TEXT NOT NULL, dtype TEXT, shape TEXT) STRICT;
CREATE TABLE raw_link(
  op INTEGER NOT NULL, node INTEGER NOT NULL, via TEXT NOT NULL, confidence REAL NOT NULL, weight REAL NOT NULL,
  ordinal INTEGER NOT NULL, PRIMARY KEY(op, node)) STRICT, WITHOUT ROWID;
CREATE TABLE raw_unlinked(op INTEGER PRIMARY KEY, reason TEXT NOT NULL) STRICT;
CREATE TABLE raw_instruction(
  id INTEGER PRIMARY KEY, trace INTEGER NOT NULL, method INTEGER NOT NULL, instruction_id INTEGER NOT NULL, kind TEXT NOT NULL,
  operator TEXT, delegate INTEGER, arguments TEXT, debug_handles TEXT, outputs INTEGER) STRICT;
CREATE TABLE raw_delegate(
  id INTEGER PRIMARY KEY, trace INTEGER NOT NULL, method INTEGER NOT NULL, ordinal INTEGER NOT NULL, backend TEXT NOT NULL,
  payload_kind TEXT, payload_bytes INTEGER, payload_nodes INTEGER, weights_bytes INTEGER, note TEXT) STRICT;
CREATE TABLE raw_payload_node(
  id INTEGER PRIMARY KEY, trace INTEGER NOT NULL, delegate INTEGER NOT NULL, ordinal INTEGER NOT NULL, type TEXT NOT NULL,
  debug_handle INTEGER, label TEXT, inputs TEXT, outputs TEXT, events INTEGER NOT NULL, fused_into INTEGER) STRICT;
CREATE TABLE raw_arena(
  trace INTEGER NOT NULL, method INTEGER NOT NULL, memory_id INTEGER NOT NULL, bytes INTEGER NOT NULL, device TEXT) STRICT;
CREATE TABLE raw_planned_tensor(
  trace INTEGER NOT NULL, method INTEGER NOT NULL, value INTEGER NOT NULL, name TEXT, dtype TEXT NOT NULL, shape TEXT NOT NULL,
  location TEXT NOT NULL, memory_id INTEGER, offset INTEGER, bytes INTEGER NOT NULL, first_instruction INTEGER,
  last_instruction INTEGER) STRICT;
CREATE TABLE raw_segment(trace INTEGER NOT NULL, ordinal INTEGER NOT NULL, offset INTEGER NOT NULL, bytes INTEGER NOT NULL, content TEXT) STRICT;
CREATE TABLE raw_value(
  id INTEGER PRIMARY KEY, trace INTEGER NOT NULL, op INTEGER, run INTEGER NOT NULL, ordinal INTEGER NOT NULL, item INTEGER NOT NULL,
  is_output INTEGER NOT NULL, kind TEXT NOT NULL, dtype TEXT, shape TEXT, strides TEXT, numel INTEGER, scalar REAL,
  min REAL, max REAL, mean REAL, sum REAL, abs_sum REAL, nan_count INTEGER, inf_count INTEGER, first_values TEXT, data BLOB,
  problem TEXT) STRICT;
CREATE TABLE raw_tensor(
  trace INTEGER NOT NULL, source TEXT NOT NULL, method TEXT, test INTEGER NOT NULL, ordinal INTEGER NOT NULL, dtype TEXT NOT NULL,
  shape TEXT NOT NULL, data BLOB) STRICT;
CREATE TABLE raw_allocation(
  trace INTEGER NOT NULL, run INTEGER NOT NULL, op INTEGER, allocator TEXT NOT NULL, bytes INTEGER NOT NULL, offset INTEGER) STRICT;
CREATE TABLE raw_runtime_arena(
  trace INTEGER NOT NULL, run INTEGER NOT NULL, name TEXT NOT NULL, capacity INTEGER NOT NULL, high_water INTEGER NOT NULL) STRICT;
CREATE TABLE raw_counter(
  trace INTEGER NOT NULL, op INTEGER NOT NULL, run INTEGER NOT NULL, name TEXT NOT NULL, value INTEGER NOT NULL) STRICT;

--@view traces: one row a trace of the store
CREATE VIEW traces AS SELECT
  t.id AS trace_id,                       -- number of the trace in this store (`store.db#N`)
  t.name AS name,                         -- name given with --name, else NULL (`store.db#name`)
  t.dump_path AS dump_path,               -- ETDump file as it was given
  t.dump_bytes AS dump_bytes,             -- size of that file
  t.record_path AS record_path,           -- ETRecord file, NULL without one
  t.program_path AS program_path,         -- .pte file, NULL without one
  t.debug_buffer_path AS debug_buffer_path, -- debug buffer file, NULL without one
  t.unit AS unit,                         -- unit of all times: ns or cycles
  t.events AS events,                     -- events read from the dump
  t.executions AS executions,             -- runs of an Execute block
  (SELECT sum(b.total) FROM raw_block b WHERE b.trace = t.id AND b.kind = 'execute') AS execute_ns, -- [INTEGER] time of all executions
  t.producer AS producer,                 -- runtime that wrote the dump (trailer), NULL for upstream's dumps
  t.host AS host,                         -- host name (trailer)
  t.cpu AS cpu,                           -- processor (trailer)
  t.os AS os,                             -- operating system (trailer)
  t.build AS build,                       -- compiler and flags of the runtime (trailer)
  t.threads AS threads,                   -- threads that the runtime used (trailer)
  t.clock AS clock,                       -- clock that was read (trailer)
  t.clock_numerator AS clock_numerator,   -- ns = ticks * numerator / denominator, already applied (trailer)
  t.clock_denominator AS clock_denominator, -- see clock_numerator
  t.program_sha256 AS program_sha256,     -- hash of the program that ran (trailer)
  t.lost_events AS lost_events,           -- events the runtime dropped (trailer), NULL when unknown
  t.event_overhead_ns AS event_overhead_ns -- measured cost of recording one event (trailer)
FROM raw_trace t;

--@view labels: free key=value pairs that the application stored with a trace
CREATE VIEW labels AS SELECT
  trace AS trace_id,                      -- trace
  key AS key,                             -- e.g. build, branch, device
  value AS value                          -- its text
FROM raw_label;

--@view diagnostics: what importing a trace met
CREATE VIEW diagnostics AS SELECT
  trace AS trace_id,                      -- trace
  code AS id,                             -- stable name of the diagnostic
  severity AS severity,                   -- info, data-loss or error
  count AS count,                         -- how often it was met
  message AS message,                     -- the first occurrence, with file and place
  help AS help                            -- what it means and what to do
FROM raw_diagnostic;

--@view methods: the methods of a trace's program
CREATE VIEW methods AS SELECT
  m.id AS method_id,                      -- key
  m.trace AS trace_id,                    -- trace
  m.name AS name,                         -- method name
  m.sources AS sources,                   -- where the name was found: trailer, record, program
  m.inputs AS inputs,                     -- number of inputs (program), NULL when unknown
  m.outputs AS outputs,                   -- number of outputs (program)
  m.instructions AS instructions,         -- number of instructions (program)
  (SELECT sum(b.runs) FROM raw_block b WHERE b.method = m.id AND b.kind = 'execute') AS executions, -- [INTEGER] executions that were told to be of this method
  (SELECT sum(b.total) FROM raw_block b WHERE b.method = m.id AND b.kind = 'execute') AS execute_ns -- [INTEGER] their time
FROM raw_method m;

--@view blocks: runs of the same sequence of events, as upstream's Inspector groups them
CREATE VIEW blocks AS SELECT
  b.id AS block_id,                       -- key
  b.trace AS trace_id,                    -- trace
  b.ordinal AS ordinal,                   -- position in the trace, from 0
  b.name AS name,                         -- name in the dump: Default, Execute
  b.kind AS kind,                         -- load, execute or other
  m.name AS method,                       -- method, NULL where it cannot be told
  b.method_via AS method_via,             -- how the method is known: trailer, given, only_method, program, record, payload, graph
  b.method_confidence AS method_confidence, -- 0 to 1
  b.bundled_input_index AS bundled_input_index, -- index of the bundled test case, NULL without one
  b.runs AS runs,                         -- number of runs merged here
  b.total AS total_ns,                    -- time of all runs: what the shares refer to
  b.cold AS cold_ns,                      -- time of the first execution of the method, NULL when it is not in this block
  b.warm_mean AS warm_mean_ns,            -- mean time of the other runs
  b.warm_p50 AS warm_p50_ns               -- median time of the other runs
FROM raw_block b LEFT JOIN raw_method m ON m.id = b.method;

--@view executions: every single run of a block
CREATE VIEW executions AS SELECT
  r.id AS run_id,                         -- key
  r.trace AS trace_id,                    -- trace
  r.block AS block_id,                    -- its block
  r.ordinal AS ordinal,                   -- position in the dump, from 0
  r.execution AS execution,               -- position within the block, from 0; the window's #5 and --basis #5 count over the blocks of a method: row_number() OVER (PARTITION BY method ORDER BY run_id) - 1, with the method of blocks of kind execute
  r.start AS start_ns,                    -- start on the trace's clock
  r.duration AS duration_ns,              -- time of the run's outermost events
  r.is_cold AS is_cold,                   -- 1 for the first execution of a method
  r.complete AS complete,                 -- 0 when Method::execute is missing: the run failed or was cut
  r.error AS error,                       -- runtime error code (trailer), NULL when unknown
  r.lost_events AS lost_events,           -- events dropped in this run (trailer)
  r.phase AS phase                        -- phase given by the application (trailer)
FROM raw_run r;

--@view ops: one row an op: what happens at one place of a block, with statistics over all its samples
CREATE VIEW ops AS SELECT
  -- @op_columns of the view
FROM raw_op o JOIN raw_block b ON b.id = o.block JOIN raw_string s ON s.id = o.name LEFT JOIN raw_method m ON m.id = b.method;

--@view samples: every single measurement
CREATE VIEW samples AS SELECT
  o.id AS op_id,                          -- op
  o.trace AS trace_id,                    -- trace
  x.id - (o.id << 32) AS sample,          -- [INTEGER] position among the samples of the op, from 0, in order of time
  x.run AS run_id,                        -- execution it belongs to
  x.start AS start_ns,                    -- start on its clock
  x.duration AS duration_ns               -- end - start
FROM raw_op o CROSS JOIN raw_sample x ON x.id >= (o.id << 32) AND x.id < ((o.id + 1) << 32);

--@view nodes: the graph nodes of the record
CREATE VIEW nodes AS SELECT
  n.id AS node_id,                        -- key
  n.trace AS trace_id,                    -- trace
  m.name AS method,                       -- method whose graph it is in
  n.graph AS graph,                       -- edge, exported, or the name of a further graph
  n.subgraph AS subgraph,                 -- '' for the outer graph, else the path of the control flow body
  n.ordinal AS ordinal,                   -- order of execution in its program
  n.name AS name,                         -- node name
  n.target AS target,                     -- target as stored
  n.op AS op,                             -- operator type, e.g. aten.add.Tensor
  n.debug_handle AS debug_handle,         -- handle, NULL without one
  f.text AS file,                         -- source file of the frame that speaks for the node: see line_rules
  n.line AS line,                         -- its line
  fn.text AS function,                    -- its function
  c.text AS code,                         -- text of that line
  st.text AS stack_trace,                 -- all frames as stored
  mp.text AS module_path,                 -- path of the innermost module, '' for the root
  mt.text AS module_type,                 -- its class
  ns.text AS nn_module_stack,             -- module hierarchy as stored
  n.dtype AS dtype,                       -- dtype of the first output
  n.shape AS shape,                       -- shape of the first output, symbols by name
  n.arguments AS arguments                -- arguments, in short
FROM raw_node n LEFT JOIN raw_method m ON m.id = n.method LEFT JOIN raw_string f ON f.id = n.file
  LEFT JOIN raw_string fn ON fn.id = n.function LEFT JOIN raw_string c ON c.id = n.code
  LEFT JOIN raw_string st ON st.id = n.stack_trace LEFT JOIN raw_string mp ON mp.id = n.module_path
  LEFT JOIN raw_string mt ON mt.id = n.module_type LEFT JOIN raw_string ns ON ns.id = n.nn_module_stack;

--@view frames: the source frames of a node, outermost first
CREATE VIEW frames AS SELECT
  x.node AS node_id,                      -- node
  x.depth AS depth,                       -- 0 = outermost
  f.text AS file,                         -- file
  x.line AS line,                         -- line
  fn.text AS function,                    -- function
  c.text AS code                          -- text of the line
FROM raw_frame x JOIN raw_string f ON f.id = x.file JOIN raw_string fn ON fn.id = x.function JOIN raw_string c ON c.id = x.code;

--@view modules: the module hierarchy of a node, outermost first
CREATE VIEW modules AS SELECT
  x.node AS node_id,                      -- node
  x.depth AS depth,                       -- 0 = root
  p.text AS path,                         -- path of the module, '' for the root
  t.text AS type,                         -- its class
  k.text AS key                           -- key as stored
FROM raw_module x JOIN raw_string p ON p.id = x.path JOIN raw_string t ON t.id = x.type JOIN raw_string k ON k.id = x.key;

--@view edges: values that flow from node to node
CREATE VIEW edges AS SELECT
  trace AS trace_id,                      -- trace
  producer AS producer_node_id,           -- node that makes the value
  consumer AS consumer_node_id,           -- node that takes it
  value AS value,                         -- name of the value
  dtype AS dtype,                         -- its dtype
  shape AS shape                          -- its shape
FROM raw_edge;

--@view graph_values: inputs and outputs of graphs, and the values that nodes with several outputs make
CREATE VIEW graph_values AS SELECT
  v.trace AS trace_id,                    -- trace
  m.name AS method,                       -- method whose graph it is in
  v.graph AS graph,                       -- as in nodes
  v.subgraph AS subgraph,                 -- as in nodes
  v.role AS role,                         -- input, output (of the graph) or result (of a node)
  v.ordinal AS ordinal,                   -- position among the inputs or outputs of the graph or node
  v.name AS name,                         -- name of the value, '' for a constant
  v.node AS node_id,                      -- node, for a result
  v.kind AS kind,                         -- of the outer graph's: user_input, parameter, buffer, user_output, buffer_mutation, …
  v.target AS target,                     -- fully qualified name of a parameter or buffer, or what an output mutates
  v.dtype AS dtype,                       -- dtype
  v.shape AS shape                        -- shape, symbols by name
FROM raw_graph_value v LEFT JOIN raw_method m ON m.id = v.method;

--@view links: which op belongs to which graph node, and how sure that is
CREATE VIEW links AS SELECT
  l.op AS op_id,                          -- op
  l.node AS node_id,                      -- node
  l.via AS via,                           -- instruction, delegate_map, payload_node, dataflow or inferred
  l.confidence AS confidence,             -- 0 to 1
  l.weight AS weight,                     -- part of the op's self time that is charged to the node; adds up to 1 or 0 per op
  l.ordinal AS ordinal                    -- order of the links of an op
FROM raw_link l;

--@view unlinked: ops of instructions that lead to no node, with the reason
CREATE VIEW unlinked AS SELECT
  u.op AS op_id,                          -- op
  o.trace AS trace_id,                    -- trace
  s.text AS name,                         -- its name
  o.instruction_id AS instruction_id,     -- its instruction
  o.sum AS sum_ns,                        -- its time
  u.reason AS reason                      -- why there is no link
FROM raw_unlinked u JOIN raw_op o ON o.id = u.op JOIN raw_string s ON s.id = o.name;

--@view unattributed: the part of an enclosing op that no enclosed op accounts for
CREATE VIEW unattributed AS SELECT
  o.trace AS trace_id,                    -- trace
  o.block AS block_id,                    -- block
  b.name AS block,                        -- block name
  o.id AS parent_op_id,                   -- enclosing op
  s.text AS parent,                       -- its name
  o.instruction_id AS instruction_id,     -- its instruction
  o.self AS sum_ns,                       -- time that no inner event explains; negative when inner events overlap or are rounded up
  o.self_share AS share                   -- part of the block's total
FROM raw_op o JOIN raw_block b ON b.id = o.block JOIN raw_string s ON s.id = o.name
WHERE EXISTS (SELECT 1 FROM raw_op c WHERE c.parent = o.id AND c.clock IS NULL AND c.count > 0) AND o.clock IS NULL AND o.count > 0;

--@view costs: self time of ops charged to nodes; rows with node_id NULL are charged to no node; sums equal the block's total
CREATE VIEW costs AS SELECT
  o.trace AS trace_id,                    -- trace
  o.block AS block_id,                    -- block
  o.id AS op_id,                          -- op
  l.node AS node_id,                      -- node, NULL for what belongs to none
  coalesce(l.weight, 1.0) * o.self AS ns  -- [REAL] time
FROM raw_op o LEFT JOIN raw_link l ON l.op = o.id AND l.weight > 0 WHERE o.clock IS NULL;

--@view lines: cost of Python lines (executions only)
CREATE VIEW lines AS SELECT
  c.trace_id AS trace_id,                 -- trace
  n.file AS file,                         -- file, NULL for time that leads to no line
  n.line AS line,                         -- line
  max(n.function) AS function,            -- [TEXT] function
  max(n.code) AS code,                    -- [TEXT] text of the line
  count(DISTINCT c.op_id) AS ops,         -- [INTEGER] ops that are charged to it
  sum(c.ns) AS ns,                        -- [REAL] time
  sum(c.ns) / nullif((SELECT sum(b.total) FROM raw_block b WHERE b.trace = c.trace_id AND b.kind = 'execute'), 0) AS share -- [REAL] part of all executions
FROM costs c JOIN raw_block k ON k.id = c.block_id AND k.kind = 'execute' LEFT JOIN nodes n ON n.node_id = c.node_id
GROUP BY c.trace_id, n.file, n.line;

--@view instructions: the instructions of the program's methods; without a program those that the record's maps name
CREATE VIEW instructions AS SELECT
  i.trace AS trace_id,                    -- trace
  m.name AS method,                       -- method
  i.instruction_id AS instruction_id,     -- index in the method's chain
  i.kind AS kind,                         -- KernelCall, DelegateCall, MoveCall, JumpFalseCall or FreeCall
  i.operator AS operator,                 -- operator with overload, for a KernelCall
  i.delegate AS delegate_id,              -- row of delegates, for a DelegateCall
  i.arguments AS arguments,               -- JSON list of value indices, NULL without a program
  i.debug_handles AS debug_handles,       -- JSON list of handles (record), NULL without
  i.outputs AS outputs                    -- number of outputs of a DelegateCall (record), NULL when unknown
FROM raw_instruction i JOIN raw_method m ON m.id = i.method;

--@view delegates: the delegated parts of the program
CREATE VIEW delegates AS SELECT
  d.id AS delegate_id,                    -- key
  d.trace AS trace_id,                    -- trace
  m.name AS method,                       -- method
  d.ordinal AS ordinal,                   -- position in the method's list of delegates, from 0 as in the program; the window and the reports count from 1, as the table delegate_sizes does
  d.backend AS backend,                   -- backend id
  d.payload_kind AS payload_kind,         -- xnnpack, tosa, vela, demo, program or unknown
  d.payload_bytes AS payload_bytes,       -- size of the payload
  d.payload_nodes AS payload_nodes,       -- nodes found in it, NULL when it cannot be read
  d.weights_bytes AS weights_bytes,       -- constants in its payload; with those that the program keeps outside of it in the table delegate_sizes
  d.note AS note                          -- what else is known of it
FROM raw_delegate d JOIN raw_method m ON m.id = d.method;

--@view payload_nodes: nodes inside delegates' payloads
CREATE VIEW payload_nodes AS SELECT
  p.id AS payload_node_id,                -- key
  p.trace AS trace_id,                    -- trace
  p.delegate AS delegate_id,              -- delegate
  p.ordinal AS ordinal,                   -- position in the payload
  p.type AS type,                         -- node type, e.g. FullyConnected
  p.debug_handle AS debug_handle,         -- handle, NULL for nodes that the lowering inserted; TOSA: of the node that data flow leads to, see label
  p.label AS label,                       -- what else the payload says of it
  p.inputs AS inputs,                     -- JSON list of value ids
  p.outputs AS outputs,                   -- JSON list of value ids
  p.events AS events,                     -- number of ops that were aligned with it
  p.fused_into AS fused_into              -- payload node whose event includes it, NULL otherwise
FROM raw_payload_node p;

--@view arenas: planned memory of the program
CREATE VIEW arenas AS SELECT
  a.trace AS trace_id,                    -- trace
  m.name AS method,                       -- method
  a.memory_id AS memory_id,               -- pool, from 1
  a.bytes AS bytes,                       -- size
  a.device AS device                      -- device, cpu by default
FROM raw_arena a JOIN raw_method m ON m.id = a.method;

--@view tensors: tensors of the program with their place and lifetime
CREATE VIEW tensors AS SELECT
  p.trace AS trace_id,                    -- trace
  m.name AS method,                       -- method
  p.value AS value,                       -- index in the method's table of values
  p.name AS name,                         -- fully qualified name, NULL without one
  p.dtype AS dtype,                       -- dtype
  p.shape AS shape,                       -- sizes (upper bounds when dynamic)
  p.location AS location,                 -- planned, planned_initialised, constant, external or none
  p.memory_id AS memory_id,               -- pool, NULL when it is not planned
  p.offset AS offset,                     -- place in the pool, bytes
  p.bytes AS bytes,                       -- size
  p.first_instruction AS first_instruction, -- first instruction that uses it, -1 for inputs
  p.last_instruction AS last_instruction  -- last one; the number of instructions for outputs
FROM raw_planned_tensor p JOIN raw_method m ON m.id = p.method;

--@view segments: segments of the program file
CREATE VIEW segments AS SELECT
  trace AS trace_id,                      -- trace
  ordinal AS ordinal,                     -- number
  offset AS offset,                       -- place in the file
  bytes AS bytes,                         -- size without padding
  content AS content                      -- what refers to it
FROM raw_segment;

--@view debug_values: logged values (debug events)
CREATE VIEW debug_values AS SELECT
  v.id AS value_id,                       -- key
  v.trace AS trace_id,                    -- trace
  v.op AS op_id,                          -- op that logged it, NULL for outputs of the method
  v.run AS run_id,                        -- execution
  v.ordinal AS ordinal,                   -- order among the values of the op in that run
  v.item AS item,                         -- element of a tensor list, else 0
  v.is_output AS is_output,               -- 1 for outputs of the method
  v.kind AS kind,                         -- tensor, tensor_list, int, bool, double, …
  v.dtype AS dtype,                       -- dtype of a tensor
  v.shape AS shape,                       -- JSON list of sizes
  v.strides AS strides,                   -- JSON list of strides, in elements
  v.numel AS numel,                       -- number of elements
  v.scalar AS scalar,                     -- value of a scalar
  v.min AS min,                           -- smallest finite element
  v.max AS max,                           -- largest finite element
  v.mean AS mean,                         -- mean of the finite elements
  v.sum AS sum,                           -- sum of all elements
  v.abs_sum AS abs_sum,                   -- sum of absolute values
  v.nan_count AS nan_count,               -- elements that are NaN
  v.inf_count AS inf_count,               -- elements that are infinite
  v.first_values AS first_values,         -- JSON list of the first four
  v.data AS data,                         -- elements, row-major, little-endian; NULL without a debug buffer
  v.problem AS problem                    -- why there are no data, NULL when there are
FROM raw_value v;

--@view record_tensors: reference outputs and representative inputs of the record
CREATE VIEW record_tensors AS SELECT
  trace AS trace_id,                      -- trace
  source AS source,                       -- reference_output or representative_input
  method AS method,                       -- method, NULL when the record does not say
  test AS test,                           -- number of the test case
  ordinal AS ordinal,                     -- number of the input or output
  dtype AS dtype,                         -- dtype
  shape AS shape,                         -- JSON list of sizes
  data AS data                            -- elements, row-major, little-endian
FROM raw_tensor;

--@view allocations: memory that was allocated while running
CREATE VIEW allocations AS SELECT
  trace AS trace_id,                      -- trace
  run AS run_id,                          -- execution
  op AS op_id,                            -- op during which it happened, NULL outside
  allocator AS allocator,                 -- name of the allocator
  bytes AS bytes,                         -- size
  offset AS offset                        -- place in the allocator's memory, NULL when unknown
FROM raw_allocation;

--@view runtime_arenas: high-water marks of memory at run time (trailer)
CREATE VIEW runtime_arenas AS SELECT
  trace AS trace_id,                      -- trace
  run AS run_id,                          -- execution
  name AS name,                           -- e.g. planned:1, temp, method
  capacity AS capacity,                   -- bytes given
  high_water AS high_water                -- most bytes used
FROM raw_runtime_arena;

--@view counters: hardware counters of ops (trailer)
CREATE VIEW counters AS SELECT
  trace AS trace_id,                      -- trace
  op AS op_id,                            -- op
  run AS run_id,                          -- execution
  name AS name,                           -- e.g. cycles, instructions, cache-misses
  value AS value                          -- count
FROM raw_counter;

--@checks: results of et-check; older stores get this part with their first results. Errors are REAL, or the text NaN,
-- which SQLite sorts behind every number.
CREATE TABLE raw_check_run(
  id INTEGER PRIMARY KEY, sha256 TEXT NOT NULL UNIQUE, name TEXT NOT NULL, started TEXT NOT NULL, duration INTEGER,
  label TEXT, tool TEXT, tool_version TEXT, host TEXT, cpu TEXT, cores INTEGER, os TEXT, passed INTEGER NOT NULL,
  failed INTEGER NOT NULL, skipped INTEGER NOT NULL) STRICT;
CREATE TABLE raw_check_case(
  id INTEGER PRIMARY KEY, run INTEGER NOT NULL, ordinal INTEGER NOT NULL, file TEXT NOT NULL, program TEXT, method TEXT,
  case_index INTEGER, passed INTEGER NOT NULL, kind TEXT, reason TEXT, max_abs_error ANY, operators TEXT NOT NULL,
  duration INTEGER, samples INTEGER NOT NULL, median REAL, median_low REAL, median_high REAL, memory INTEGER,
  iterations INTEGER, etdump TEXT, etdump_fingerprint TEXT) STRICT;
CREATE TABLE raw_check_output(
  id INTEGER PRIMARY KEY, check_case INTEGER NOT NULL, ordinal INTEGER NOT NULL, name TEXT, passed INTEGER NOT NULL,
  kind TEXT, reason TEXT, dtype TEXT, shape TEXT, elements INTEGER, outside INTEGER, rtol ANY, atol ANY,
  tolerance_from TEXT, max_abs_error ANY, max_abs_at TEXT, max_rel_error ANY, max_rel_at TEXT, mean_abs_error ANY,
  snr_db ANY, cosine_similarity ANY, nan_mismatch INTEGER, inf_mismatch INTEGER, got ANY, want ANY) STRICT;
CREATE TABLE raw_check_sample(
  check_case INTEGER NOT NULL, position INTEGER NOT NULL, duration INTEGER NOT NULL,
  PRIMARY KEY(check_case, position)) STRICT, WITHOUT ROWID;
CREATE TABLE raw_check_performance(
  id INTEGER PRIMARY KEY, run INTEGER NOT NULL, ordinal INTEGER NOT NULL, file TEXT NOT NULL, program TEXT, method TEXT,
  case_index INTEGER, against TEXT, verdict TEXT NOT NULL, passed INTEGER, text TEXT, median REAL, baseline_median REAL,
  ratio REAL, ratio_low REAL, ratio_high REAL, noise REAL, rounds INTEGER, samples INTEGER, max_slowdown REAL,
  clock TEXT) STRICT;
CREATE TABLE raw_check_explanation(
  id INTEGER PRIMARY KEY, run INTEGER NOT NULL, ordinal INTEGER NOT NULL, file TEXT NOT NULL, method TEXT,
  case_index INTEGER, reference TEXT, operator TEXT, instruction INTEGER, node TEXT, source TEXT, delegate TEXT,
  max_abs_error ANY, text TEXT) STRICT;
-- What tells a dump from all others: results of et-check find their traces by it.
CREATE TABLE raw_dump_fingerprint(trace INTEGER PRIMARY KEY, fingerprint TEXT NOT NULL) STRICT;
CREATE INDEX raw_check_case_run ON raw_check_case(run);
CREATE INDEX raw_check_case_key ON raw_check_case(file, method, case_index);
CREATE INDEX raw_check_case_etdump ON raw_check_case(etdump) WHERE etdump IS NOT NULL;
CREATE INDEX raw_check_output_case ON raw_check_output(check_case);
CREATE INDEX raw_check_performance_run ON raw_check_performance(run);
CREATE INDEX raw_check_explanation_run ON raw_check_explanation(run, instruction);
CREATE INDEX raw_dump_fingerprint_value ON raw_dump_fingerprint(fingerprint);

--@view check_runs: calls of et-check whose results were added; absent from stores of older versions until the first one
CREATE VIEW check_runs AS SELECT
  r.id AS check_run_id,                   -- key
  r.started AS started,                   -- begin, UTC, as 2026-01-31T12:00:00Z
  r.duration AS duration_ns,              -- time of the whole call
  r.label AS label,                       -- what was checked, e.g. a commit or a build; NULL when it was not said
  r.host AS host,                         -- host name
  r.cpu AS cpu,                           -- processor
  r.cores AS cores,                       -- its cores
  r.os AS os,                             -- operating system
  r.tool AS tool,                         -- program that checked
  r.tool_version AS tool_version,         -- its version
  r.passed AS passed,                     -- checks that passed: cases and verdicts on performance
  r.failed AS failed,                     -- checks that failed
  r.skipped AS skipped,                   -- checks without a verdict, e.g. too noisy
  r.name AS name,                         -- file of the results as it was given
  r.sha256 AS sha256                      -- hash of that file: the same results are kept once
FROM raw_check_run r;

--@view check_cases: each test case of each call of et-check, with the trace of its execution
CREATE VIEW check_cases AS SELECT
  c.id AS check_case_id,                  -- key
  c.run AS check_run_id,                  -- call of et-check
  c.ordinal AS ordinal,                   -- position in the results, from 0
  c.file AS file,                         -- bundled program or program; with method and case_index the name of a check over all calls
  c.program AS program_sha256,            -- hash of the program that ran, NULL when there was none to run
  c.method AS method,                     -- method, NULL when the program could not be read
  c.case_index AS case_index,             -- number of the test case of the method, from 0
  c.passed AS passed,                     -- 1 or 0
  c.kind AS kind,                         -- why it failed: values, dtype, shape, load, missing_operator, timeout, crash, …; NULL when it passed
  c.reason AS reason,                     -- the same in a sentence
  c.max_abs_error AS max_abs_error,       -- largest absolute error of all outputs
  c.operators AS operators,               -- JSON list of the operators that the program calls
  c.duration AS duration_ns,              -- time of an execution as the results say it; NULL when it did not run
  c.samples AS samples,                   -- number of rows in check_samples
  c.median AS median_ns,                  -- their median, duration_ns without samples
  c.median_low AS median_low_ns,          -- lower end of its 95 % confidence interval, NULL with less than 6 samples
  c.median_high AS median_high_ns,        -- upper end
  c.memory AS memory_bytes,               -- planned, method and temporary memory
  c.iterations AS iterations,             -- executions
  c.etdump AS etdump,                     -- trace file of the execution, NULL without one
  coalesce((SELECT max(f.trace) FROM raw_dump_fingerprint f WHERE f.fingerprint = c.etdump_fingerprint),
    CASE WHEN c.etdump_fingerprint IS NULL AND (SELECT count(DISTINCT o.run) FROM raw_check_case o WHERE o.etdump = c.etdump) = 1
      AND (SELECT count(*) FROM raw_trace t WHERE t.dump_path = c.etdump) = 1
      THEN (SELECT t.id FROM raw_trace t WHERE t.dump_path = c.etdump) END) AS trace_id -- [INTEGER] trace of that file in this store: by content, or by a path that only one trace and one call have; NULL without
FROM raw_check_case c;

--@view check_outputs: each output of each test case, compared with what was expected
CREATE VIEW check_outputs AS SELECT
  o.id AS check_output_id,                -- key
  o.check_case AS check_case_id,          -- test case
  o.ordinal AS output,                    -- number of the output, from 0
  o.name AS name,                         -- its name, NULL without one
  o.passed AS passed,                     -- 1 or 0
  o.kind AS kind,                         -- why it failed, NULL when it passed
  o.reason AS reason,                     -- the same in a sentence
  o.dtype AS dtype,                       -- dtype
  o.shape AS shape,                       -- JSON list of sizes
  o.elements AS elements,                 -- number of elements
  o.outside AS outside,                   -- elements outside of the tolerance
  o.rtol AS rtol,                         -- relative tolerance
  o.atol AS atol,                         -- absolute tolerance
  o.tolerance_from AS tolerance_from,     -- who says so: policy file and place, option or default
  o.max_abs_error AS max_abs_error,       -- largest absolute error
  o.max_abs_at AS max_abs_at,             -- where: JSON list of indices
  o.max_rel_error AS max_rel_error,       -- largest relative error
  o.max_rel_at AS max_rel_at,             -- where
  o.mean_abs_error AS mean_abs_error,     -- mean absolute error
  o.snr_db AS snr_db,                     -- signal to noise ratio in dB, NULL where it does not apply
  o.cosine_similarity AS cosine_similarity, -- cosine of the angle between both, NULL where it does not apply
  o.nan_mismatch AS nan_mismatch,         -- elements of which one of both is NaN
  o.inf_mismatch AS inf_mismatch,         -- elements of which one of both is infinite, or both with different signs
  o.got AS got,                           -- value at max_abs_at
  o.want AS want                          -- expected value there
FROM raw_check_output o;

--@view check_samples: single executions of test cases, at most 1000 each
CREATE VIEW check_samples AS SELECT
  s.check_case AS check_case_id,          -- test case
  s.position AS sample,                   -- position in order of time, from 0
  s.duration AS duration_ns               -- its time
FROM raw_check_sample s;

--@view check_performance: verdicts on speed, against a baseline or another program
CREATE VIEW check_performance AS SELECT
  p.id AS check_performance_id,           -- key
  p.run AS check_run_id,                  -- call of et-check
  p.ordinal AS ordinal,                   -- position in the results, from 0
  p.file AS file,                         -- as in check_cases
  p.program AS program_sha256,            -- as in check_cases
  p.method AS method,                     -- as in check_cases
  p.case_index AS case_index,             -- as in check_cases
  p.against AS against,                   -- baseline file or other program
  p.verdict AS verdict,                   -- no_difference, slower, faster, too_noisy or refused
  p.passed AS passed,                     -- 1 or 0, NULL without a verdict
  p.text AS text,                         -- the verdict in a sentence
  p.median AS median_ns,                  -- median time of an execution
  p.baseline_median AS baseline_median_ns, -- what it was compared with
  p.ratio AS ratio,                       -- time divided by the baseline's
  p.ratio_low AS ratio_low,               -- lower end of its confidence interval
  p.ratio_high AS ratio_high,             -- upper end
  p.noise AS noise,                       -- relative noise that was measured
  p.rounds AS rounds,                     -- rounds of measurement
  p.samples AS samples,                   -- measurements
  p.max_slowdown AS max_slowdown,         -- relative slowdown that is allowed
  p.clock AS clock                        -- cpu or wall
FROM raw_check_performance p;

--@view check_explanations: which operator the error of a failed case comes from
CREATE VIEW check_explanations AS SELECT
  e.id AS check_explanation_id,           -- key
  e.run AS check_run_id,                  -- call of et-check
  e.ordinal AS ordinal,                   -- position in the results, from 0
  e.file AS file,                         -- as in check_cases
  e.method AS method,                     -- as in check_cases
  e.case_index AS case_index,             -- as in check_cases
  e.reference AS reference,               -- what it was compared with
  e.operator AS operator,                 -- operator
  e.instruction AS instruction_id,        -- its instruction
  e.node AS node,                         -- its graph node
  e.source AS source,                     -- its Python line, file:line
  e.delegate AS delegate,                 -- delegate that ran it, NULL for a kernel
  e.max_abs_error AS max_abs_error,       -- error of its output
  e.text AS text                          -- the same in a sentence
FROM raw_check_explanation e;

--@view check_ops: the ops of the traces of test cases: time and error of an op over all calls of et-check
CREATE VIEW check_ops AS SELECT
  c.check_case_id AS check_case_id,       -- test case
  c.check_run_id AS check_run_id,         -- call of et-check
  r.started AS started,                   -- begin of that call
  c.file AS file,                         -- as in check_cases
  c.method AS check_method,               -- as in check_cases
  c.case_index AS case_index,             -- as in check_cases
  c.passed AS passed,                     -- of the test case
  c.trace_id AS trace_id,                 -- [INTEGER] trace of its execution
  o.op_id AS op_id,                       -- op of that trace; everything else that is known of it is in ops
  o.name AS name,                         -- its name
  o.kind AS kind,                         -- as in ops
  o.instruction_id AS instruction_id,     -- its instruction
  o.delegate_debug_id AS delegate_debug_id, -- [TEXT] identifier given by the delegate, NULL for others
  o.count AS count,                       -- samples
  o.sum_ns AS sum_ns,                     -- inclusive time of all samples
  o.self_ns AS self_ns,                   -- time of the op itself
  o.self_share AS self_share,             -- part of its block's time
  o.p50_ns AS p50_ns,                     -- median
  o.unit AS unit,                         -- unit of its times
  (SELECT e.max_abs_error FROM raw_check_explanation e WHERE e.run = c.check_run_id AND e.instruction = o.instruction_id
    AND e.file = c.file AND e.method IS c.method AND e.case_index IS c.case_index LIMIT 1) AS max_abs_error -- [ANY] error of its output, where an explanation says so
FROM check_cases c JOIN raw_check_run r ON r.id = c.check_run_id
  -- A dump holds all cases of its file: blocks that say which one they are belong to no other.
  JOIN raw_block b ON b.trace = c.trace_id AND b.kind = 'execute' AND coalesce(b.bundled_input_index, c.case_index) IS c.case_index
  LEFT JOIN raw_method m ON m.id = b.method JOIN ops o ON o.block_id = b.id
WHERE m.name IS NULL OR c.method IS NULL OR m.name = c.method;

--@notes: what people wrote; older stores get this part with their first note
CREATE TABLE raw_note(
  id INTEGER PRIMARY KEY, trace INTEGER NOT NULL, kind TEXT NOT NULL, anchor TEXT NOT NULL, block TEXT, method TEXT,
  instruction_id INTEGER, name TEXT, delegate_debug_id TEXT, occurrence INTEGER, line INTEGER, start INTEGER, end INTEGER,
  text TEXT NOT NULL, color TEXT NOT NULL, created TEXT NOT NULL) STRICT;

--@view notes: notes and bookmarks that people hung on a trace; absent from stores of older versions until the first one
CREATE VIEW notes AS SELECT
  n.id AS note_id,                        -- key
  n.trace AS trace_id,                    -- trace
  n.kind AS kind,                         -- note or bookmark
  n.anchor AS anchor,                     -- what it hangs on: op, node, line, module, part (a delegate's call), group (of ops), set (of such things), range (of time) or trace
  n.block AS block,                       -- op: name of its block; group: what its ops have in common (type, op, delegate, method)
  n.method AS method,                     -- op, part: method, NULL where it cannot be told
  n.instruction_id AS instruction_id,     -- op, part: instruction, NULL for framework events
  n.name AS name,                         -- op: event name; node: its name; line: file; module: path; group: that; set: its title, then a part a line
  n.delegate_debug_id AS delegate_debug_id, -- op inside a delegate: its identifier
  n.occurrence AS occurrence,             -- op: position among the ops of the trace that are alike in all of these, from 0
  n.line AS line,                         -- line: number, 0 for the whole file
  n.start AS start_ns,                    -- range: begin on the trace's clock
  n.end AS end_ns,                        -- range: end
  n.text AS text,                         -- what was written
  n.color AS color,                       -- good, warning, bad or '' for none
  n.created AS created                    -- time of writing, UTC, as 2026-01-31T12:00:00Z
FROM raw_note n;

--@payloads: what else is known of delegates' payloads; older stores get this part with their next trace
CREATE TABLE raw_payload_fact(
  trace INTEGER NOT NULL, delegate INTEGER NOT NULL, ordinal INTEGER NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL,
  value INTEGER, text TEXT) STRICT;
CREATE TABLE raw_payload_link(
  payload_node INTEGER NOT NULL, node INTEGER NOT NULL, via TEXT NOT NULL, confidence REAL NOT NULL,
  ordinal INTEGER NOT NULL, PRIMARY KEY(payload_node, node)) STRICT, WITHOUT ROWID;

--@view payload_facts: sizes, tensors and counts of delegates' payloads; absent from stores of older versions until their next trace
CREATE VIEW payload_facts AS SELECT
  f.trace AS trace_id,                    -- trace
  f.delegate AS delegate_id,              -- delegate
  f.ordinal AS ordinal,                   -- position among the facts of its payload
  f.kind AS kind,                         -- spec (compile spec), version, block, memory, tensor, device, command or work
  f.name AS name,                         -- what it is of, e.g. NPU_OP_CONV
  f.value AS value,                       -- bytes or count, NULL where there is none
  f.text AS text                          -- what else there is to say
FROM raw_payload_fact f;

--@view payload_links: graph nodes of payload nodes that carry no debug handle themselves (TOSA); absent where payload_facts is
CREATE VIEW payload_links AS SELECT
  l.payload_node AS payload_node_id,      -- payload node
  l.node AS node_id,                      -- graph node
  l.via AS via,                           -- payload_node, dataflow or inferred
  l.confidence AS confidence,             -- 0 to 1
  l.ordinal AS ordinal                    -- order of the links of a payload node, surest first
FROM raw_payload_link l;

--@compiled: operators as the compiler of a delegate saw them; older stores get this part with their next trace
CREATE TABLE raw_compiled_op(
  id INTEGER PRIMARY KEY, trace INTEGER NOT NULL, delegate INTEGER NOT NULL, ordinal INTEGER NOT NULL,
  type TEXT NOT NULL, name TEXT NOT NULL, cycles INTEGER, compute_cycles INTEGER, memory_cycles INTEGER, memory TEXT,
  macs INTEGER, staging_bytes INTEGER, commands INTEGER, measured_cycles INTEGER, payload_node INTEGER) STRICT;
CREATE TABLE raw_device_slice(
  compiled_op INTEGER NOT NULL, inference INTEGER NOT NULL, start INTEGER NOT NULL, end INTEGER NOT NULL) STRICT;

--@view compiled_ops: what Vela expected of the operators of an Ethos-U, and what a trace of the device measured; absent from stores of older versions until their next trace
CREATE VIEW compiled_ops AS SELECT
  c.id AS compiled_op_id,                 -- key
  c.trace AS trace_id,                    -- trace
  c.delegate AS delegate_id,              -- delegate
  c.ordinal AS ordinal,                   -- order of execution
  c.type AS type,                         -- operator, as the compiler calls it, e.g. Conv2D
  c.name AS name,                         -- tensor that it makes, as the TOSA graph calls it
  c.cycles AS cycles,                     -- expected cycles of the device
  c.compute_cycles AS compute_cycles,     -- expected of computing
  c.memory_cycles AS memory_cycles,       -- expected of the busiest memory
  c.memory AS memory,                     -- which memory that is
  c.macs AS macs,                         -- multiplications
  c.staging_bytes AS staging_bytes,       -- bytes in fast memory meanwhile
  c.commands AS commands,                 -- commands of the stream that it became, transfers not counted; NULL where unknown
  c.measured_cycles AS measured_cycles,   -- cycles on the device, median over the inferences of its trace; NULL without one
  c.payload_node AS payload_node_id       -- its operator of the TOSA graph, or its first command
FROM raw_compiled_op c;

--@view device_slices: when the operators of an Ethos-U ran, by a trace of its counters; absent where compiled_ops is
CREATE VIEW device_slices AS SELECT
  s.compiled_op AS compiled_op_id,        -- operator
  s.inference AS inference,               -- from 0
  s.start AS start_cycles,                -- begin, in cycles of the device from the start of its trace
  s.end AS end_cycles                     -- end
FROM raw_device_slice s;

--@lines: which frame of its stack trace a node's line is; older stores get this part with their next trace
CREATE TABLE raw_source_file(
  trace INTEGER NOT NULL, file INTEGER NOT NULL, owner TEXT NOT NULL, PRIMARY KEY(trace, file)) STRICT, WITHOUT ROWID;
CREATE TABLE raw_line_rule(
  trace INTEGER NOT NULL, rule TEXT NOT NULL, frame TEXT NOT NULL, file INTEGER, line INTEGER, share REAL,
  nodes INTEGER NOT NULL) STRICT;

--@view source_files: the files of the nodes' stack traces; absent from stores of older versions until their next trace
CREATE VIEW source_files AS SELECT
  s.trace AS trace_id,                    -- trace
  f.text AS file,                         -- file, as in frames
  s.owner AS owner                        -- whose code it is: user, library (an installed package), torch, python or generated
FROM raw_source_file s JOIN raw_string f ON f.id = s.file;

--@view line_rules: which frame nodes.line is, and for how many nodes; absent where source_files is
CREATE VIEW line_rules AS SELECT
  r.trace AS trace_id,                    -- trace
  r.rule AS rule,                         -- auto, or what --lines asked for: user, innermost or outermost
  r.frame AS frame,                       -- user: innermost frame of the user's code; innermost, outermost: of those outside of torch
  f.text AS file,                         -- the user's line whose nodes are shown deeper inside, since it had most of the time; NULL for all others
  r.line AS line,                         -- its number
  r.share AS share,                       -- part of the time that the line alone would have had; without times of the nodes
  r.nodes AS nodes                        -- nodes of the edge graphs that are shown so
FROM raw_line_rule r LEFT JOIN raw_string f ON f.id = r.file;

--@costs: what ops cost an execution; older stores get this part with their next trace
CREATE TABLE raw_op_cost(
  op INTEGER PRIMARY KEY, merged_into INTEGER, warm_median REAL, cold REAL, p99 REAL) STRICT;
CREATE TABLE raw_merged_op(
  -- @op_columns of the statistics
) STRICT;
CREATE TABLE raw_execution_basis(
  block INTEGER PRIMARY KEY, blocks INTEGER NOT NULL, executions INTEGER NOT NULL, warm INTEGER NOT NULL,
  tail INTEGER NOT NULL, warm_median REAL NOT NULL) STRICT;
CREATE INDEX raw_op_cost_merged ON raw_op_cost(merged_into) WHERE merged_into IS NOT NULL;

--@view op_costs: exclusive time of an op per execution of its method. Without rows where a method ran once. Absent from stores of older versions until their next trace
CREATE VIEW op_costs AS SELECT
  c.op AS op_id,                          -- op
  o.trace AS trace_id,                    -- trace
  c.merged_into AS merged_into_op_id,     -- the same op in another block of the method, which has the costs of both; NULL otherwise
  c.warm_median AS warm_median_ns,        -- in a usual warm execution: mean of the middle half of its times
  c.cold AS cold_ns,                      -- in the first execution of the method, NULL when the trace does not have it
  c.p99 AS p99_ns                         -- mean over the slowest warm executions, those from the 99th percentile of latency on: no percentile of the op's own times
FROM raw_op_cost c JOIN raw_op o ON o.id = c.op;

--@view execution_bases: what the costs of a method's executions refer to; absent where op_costs is
CREATE VIEW execution_bases AS SELECT
  e.block AS block_id,                    -- first block of the method's executions, which all others are merged into
  b.trace AS trace_id,                    -- trace
  m.name AS method,                       -- method, NULL where it cannot be told: then its blocks are not merged
  e.blocks AS blocks,                     -- number of blocks
  e.executions AS executions,             -- number of executions
  e.warm AS warm,                         -- complete ones without the first; all where there are no others
  e.tail AS tail,                         -- warm ones from the 99th percentile of latency on
  e.warm_median AS warm_median_ns         -- median latency of the warm ones; what op_costs.warm_median_ns does not add up to is variation
FROM raw_execution_basis e JOIN raw_block b ON b.id = e.block AND b.kind = 'execute' LEFT JOIN raw_method m ON m.id = b.method;

--@usual: the costs of ops as one asks for them; older stores get this part with their next trace
--@view usual_ops: what to rank ops by: each op once, with its time in a usual warm execution, as the reports show it; of stores of older versions means (there it is of the connection, other programs do not see it)
CREATE VIEW usual_ops AS SELECT
  o.id AS op_id,                          -- op; of the same op in several blocks of a method the one that has the costs of all
  o.trace AS trace_id,                    -- trace
  m.name AS method,                       -- method, NULL where it cannot be told
  s.text AS name,                         -- event name
  coalesce(CASE WHEN o.kind <> 'delegate_call' AND (length(o.op_types) > 2 OR o.role IS NULL) THEN (SELECT iif(t.op LIKE '%_.default', substr(t.op, 1, length(t.op) - 8), t.op)
      FROM (SELECT iif(length(o.op_types) > 2 AND instr(o.op_types, ',') = 0, substr(o.op_types, 3, length(o.op_types) - 4), (SELECT n.op FROM raw_link l JOIN raw_node n ON n.id = l.node
        WHERE l.op = o.id AND l.weight > 0 ORDER BY n.file IS NULL, l.weight DESC, l.confidence DESC, l.ordinal LIMIT 1)) AS op) t) END,
    CASE WHEN o.kind = 'delegate_call' AND o.backend <> '' THEN o.backend || ' call' END,
    iif(s.text GLOB 'native_call_?*', substr(s.text, 13), s.text)) AS title, -- [TEXT] what tables and panels call it: the operator that its time is charged to, else its event
  o.kind AS kind,                         -- as in ops
  o.instruction_id AS instruction_id,     -- index of the instruction
  o.backend AS backend,                   -- backend of a delegate's call or event
  o.op_types AS op_types,                 -- JSON list of operator types
  EXISTS (SELECT 1 FROM raw_op i WHERE i.parent = o.id AND i.clock IS NULL AND i.count > 0) AS encloses, -- [INTEGER] 1: its time is what the ops inside leave unattributed
  coalesce(c.warm_median, o.self * 1.0 / b.runs) AS usual_ns, -- [REAL] exclusive time: mean of the middle half of its warm times; of a method that ran once what it took
  coalesce(c.warm_median, o.self * 1.0 / b.runs) / nullif(coalesce((SELECT e.warm_median FROM raw_execution_basis e JOIN raw_block k ON k.id = e.block
    WHERE k.id = b.id OR (k.kind = b.kind AND k.trace = b.trace AND k.method = b.method)), b.total * 1.0 / b.runs), 0) AS share, -- [REAL] part of the method's median execution; what is missing to 1 is variation
  c.cold AS cold_ns,                      -- in the first execution of the method, NULL where it ran once or the trace does not have it
  c.p99 AS slow_ns,                       -- mean over the slowest warm executions (those from the 99th percentile of latency on), NULL where it ran once
  c.p99 AS p99_ns                         -- the same by its older name: no percentile of the op's own times, which are in ops
FROM raw_op o JOIN raw_block b ON b.id = o.block AND b.kind = 'execute' JOIN raw_string s ON s.id = o.name
  LEFT JOIN raw_method m ON m.id = b.method LEFT JOIN raw_op_cost c ON c.op = o.id
WHERE o.clock IS NULL AND o.count > 0 AND c.merged_into IS NULL;

--@view usual_costs: usual_ops charged to graph nodes; rows with node_id NULL are charged to none
CREATE VIEW usual_costs AS SELECT
  u.trace_id AS trace_id,                 -- trace
  u.op_id AS op_id,                       -- op
  l.node AS node_id,                      -- node, NULL for what belongs to none
  coalesce(l.weight, 1.0) * u.usual_ns AS usual_ns, -- [REAL] time
  coalesce(l.weight, 1.0) * u.share AS share -- [REAL] part of the method's median execution
FROM usual_ops u LEFT JOIN raw_link l ON l.op = u.op_id AND l.weight > 0;

--@fleet: what a fleet is asked by, in a store as in the data sets of `export --format parquet`; in stores of older versions these commands add it for the time of a query

--@view fleet_traces: each trace with its device, build and day
CREATE VIEW fleet_traces AS SELECT
  t.id AS trace_id,                       -- trace
  (SELECT f.fingerprint FROM raw_dump_fingerprint f WHERE f.trace = t.id) AS trace_hash, -- hash of the ETDump, NULL without a file
  coalesce((SELECT l.value FROM raw_label l WHERE l.trace = t.id AND l.key = 'date'), 'unknown') AS date, -- [TEXT] label date, as 2026-01-31
  coalesce((SELECT l.value FROM raw_label l WHERE l.trace = t.id AND l.key = 'device'), t.cpu, 'unknown') AS device, -- [TEXT] label device, else the processor
  coalesce((SELECT l.value FROM raw_label l WHERE l.trace = t.id AND l.key = 'build'), substr(t.program_sha256, 1, 12), 'unknown') AS build, -- [TEXT] label build, else the begin of the program's hash
  t.unit AS unit,                         -- unit of its times
  t.events AS events,                     -- events of the ETDump
  t.executions AS executions,             -- executions
  (SELECT sum(b.total) FROM raw_block b WHERE b.trace = t.id AND b.kind = 'execute') AS execute_ns, -- [INTEGER] time of all executions
  t.lost_events AS lost_events            -- events the runtime dropped, NULL when unknown
FROM raw_trace t;

--@view fleet_ops: ops with a key that is the same in all traces of the same model, with device, build and day
CREATE VIEW fleet_ops AS SELECT
  o.id AS op_id,                          -- key
  o.trace AS trace_id,                    -- trace
  o.method || '/' || coalesce(nullif(o.module_path, '') || '/', '') || o.name || CASE WHEN o.nth > 0 THEN '#' || o.nth ELSE '' END AS op_key, -- [TEXT] method or block, module where it is known, event name, and its number among those that are alike
  o.method AS method,                     -- [TEXT] method, else the block's name
  o.module_path AS module_path,           -- [TEXT] module of the node that most of it belongs to
  o.name AS name,                         -- [TEXT] event name
  o.kind AS kind,                         -- [TEXT] as in ops
  o.block_kind AS block_kind,             -- [TEXT] load, execute or other
  o.backend AS backend,                   -- [TEXT] backend of a delegate's call or event
  o.clock AS clock,                       -- [TEXT] foreign clock, NULL for the trace's own
  o.unit AS unit,                         -- [TEXT] unit of its times
  o.op_types AS op_types,                 -- [TEXT] JSON list of the operator types of the surely linked nodes
  o.count AS count,                       -- [INTEGER] samples
  o.sum AS sum_ns,                        -- [INTEGER] inclusive time of all samples
  o.self AS self_ns,                      -- [INTEGER] time without what it encloses
  o.warm_p50 AS warm_p50_ns,              -- [REAL] median of warm executions
  o.warm_p99 AS warm_p99_ns,              -- [REAL] 99th percentile of warm executions
  o.cold AS cold_ns,                      -- [INTEGER] time in the cold execution
  f.date AS date,                         -- [TEXT] day
  f.device AS device,                     -- [TEXT] device
  f.build AS build                        -- [TEXT] build
FROM (SELECT k.*, row_number() OVER (PARTITION BY k.block, k.name, k.module_path ORDER BY k.ordinal) - 1 AS nth FROM (
    SELECT o.id, o.trace, o.block, o.ordinal, s.text AS name, o.kind, b.kind AS block_kind, o.backend, o.clock, o.unit, o.op_types,
      o.count, o.sum, o.self, o.warm_p50, o.warm_p99, o.cold, coalesce(m.name, b.name) AS method,
      (SELECT p.text FROM raw_link l JOIN raw_node n ON n.id = l.node JOIN raw_string p ON p.id = n.module_path
        WHERE l.op = o.id ORDER BY l.weight DESC, l.ordinal LIMIT 1) AS module_path
    FROM raw_op o JOIN raw_block b ON b.id = o.block JOIN raw_string s ON s.id = o.name LEFT JOIN raw_method m ON m.id = b.method
  ) k) o JOIN fleet_traces f ON f.trace_id = o.trace;

--@view fleet_sketches: samples of each op_key by device and build as a sketch: how many fell into which bucket; a bucket is at most 2 % wide, so a percentile is off by 1 % at most; sketches are merged by adding counts
CREATE VIEW fleet_sketches AS SELECT
  o.op_key AS op_key,                     -- [TEXT] as in fleet_ops
  o.method AS method,                     -- [TEXT] as in fleet_ops
  o.name AS name,                         -- [TEXT] as in fleet_ops
  o.kind AS kind,                         -- [TEXT] as in fleet_ops
  o.block_kind AS block_kind,             -- [TEXT] as in fleet_ops
  o.backend AS backend,                   -- [TEXT] as in fleet_ops
  o.unit AS unit,                         -- [TEXT] unit of value_ns
  r.is_cold AS is_cold,                   -- [INTEGER] 1 for samples of the first execution of a method
  CASE WHEN x.duration < 1 THEN -1 ELSE CAST(ceil(ln(x.duration) / ln(1.02)) AS INTEGER) END AS bucket, -- [INTEGER] i: durations above 1.02^(i-1) up to 1.02^i ns; -1: 0 or less
  CASE WHEN x.duration < 1 THEN 0.0 ELSE 2 * pow(1.02, ceil(ln(x.duration) / ln(1.02))) / 2.02 END AS value_ns, -- [REAL] the duration that stands for the bucket
  count(*) AS count,                      -- [INTEGER] samples in it
  sum(x.duration) AS sum_ns,              -- [INTEGER] their sum
  o.date AS date,                         -- [TEXT] day
  o.device AS device,                     -- [TEXT] device
  o.build AS build                        -- [TEXT] build
FROM fleet_ops o CROSS JOIN raw_sample x ON x.id >= (o.op_id << 32) AND x.id < ((o.op_id + 1) << 32) JOIN raw_run r ON r.id = x.run
GROUP BY o.date, o.device, o.build, o.op_key, o.method, o.name, o.kind, o.block_kind, o.backend, o.unit, r.is_cold, 9;

--@kept: what reports work out over all executions of a trace, kept where it has many; never needed
CREATE TABLE raw_kept_trace(trace INTEGER PRIMARY KEY, version INTEGER NOT NULL) STRICT;
CREATE TABLE raw_kept_phase(
  block INTEGER NOT NULL, ordinal INTEGER NOT NULL, name TEXT NOT NULL, runs INTEGER NOT NULL, total REAL NOT NULL,
  PRIMARY KEY(block, ordinal)) STRICT, WITHOUT ROWID;
CREATE TABLE raw_kept_note(
  trace INTEGER NOT NULL, ordinal INTEGER NOT NULL, kind INTEGER NOT NULL, method TEXT, test_case INTEGER, run INTEGER,
  execution INTEGER, place INTEGER NOT NULL, count INTEGER NOT NULL, warm INTEGER NOT NULL, time REAL NOT NULL,
  reference REAL NOT NULL, interrupted INTEGER NOT NULL, extra_share REAL NOT NULL, text TEXT NOT NULL,
  PRIMARY KEY(trace, ordinal)) STRICT, WITHOUT ROWID;
CREATE TABLE raw_kept_note_op(
  trace INTEGER NOT NULL, note INTEGER NOT NULL, ordinal INTEGER NOT NULL, op INTEGER, name TEXT NOT NULL,
  ticks REAL NOT NULL, usual REAL NOT NULL, PRIMARY KEY(trace, note, ordinal)) STRICT, WITHOUT ROWID;

--@indexes: built after each load
CREATE INDEX IF NOT EXISTS raw_op_block ON raw_op(block, ordinal);
CREATE INDEX IF NOT EXISTS raw_op_parent ON raw_op(parent);
CREATE INDEX IF NOT EXISTS raw_op_trace ON raw_op(trace);
CREATE INDEX IF NOT EXISTS raw_run_block ON raw_run(block);
CREATE INDEX IF NOT EXISTS raw_link_node ON raw_link(node);
CREATE INDEX IF NOT EXISTS raw_node_trace ON raw_node(trace);
CREATE INDEX IF NOT EXISTS raw_edge_producer ON raw_edge(producer);
CREATE INDEX IF NOT EXISTS raw_value_op ON raw_value(op);
