// Which operator of XNNPACK can be which: names of its profile events, node types of its payload, operators of the
// graph. A table of kinds, no names matched by substring.
#pragma once

#include <cstdint>
#include <string_view>

namespace et::inspector {

/// Part of an event's name that says what ran: "Convolution (NHWC, F32) IGEMM #1" → "Convolution"; of "Convolution +
/// Clamp
/// (...) node 3+4" the first.
std::string_view event_stem(std::string_view name);
/// Names of events that stand for many kinds of nodes: of XNNPACK in ExecuTorch 0.5 and 0.6, which did not say which
/// elementwise operator ran, and of tables that stand for a chain of quantised nodes (lookup_chains.h).
inline constexpr std::string_view kUnaryEvent = "Unary Elementwise", kBinaryEvent = "Binary Elementwise",
                                  kTableEvent = "Invalid Unary Op";
/// Can a node of this type run under this name?
bool stem_fits_node(std::string_view node_type, std::string_view stem);
/// The same with names that only XNNPACK of ExecuTorch 0.5 and 0.6 gives, and newer ones to other nodes.
bool old_stem_fits_node(std::string_view node_type, std::string_view stem);
/// Can a graph operator ("convolution", "linear") run under this name? For links without a payload.
bool stem_fits_operator(std::string_view operator_base, std::string_view stem);
/// Can a graph operator have become a node of this type?
bool node_fits_operator(std::string_view node_type, std::string_view operator_base);
/// The same for nodes that a pass of the lowering made anew, without a debug handle.
bool node_stems_from(std::string_view node_type, std::string_view operator_base);
/// Node types that passes make out of several operators of the graph.
bool is_composite_node(std::string_view node_type);
/// Node types that a lowering inserts to change layout, type or rank. Without a debug handle they have no source.
bool is_layout_node(std::string_view node_type);
/// Graph operators that become such nodes, and names that those run under.
bool is_layout_operator(std::string_view operator_base);
bool stem_fits_layout(std::string_view stem);
bool is_batch_norm_operator(std::string_view operator_base);
bool is_concatenation(std::string_view node_type);
/// Which way a Convert goes: from floats to integers, or back. None: it changes the width of one of them.
enum class Conversion : uint8_t { None, Quantize, Dequantize };
/// As an event's name says it: "Convert (NC, F32, QS8)", "Convert (QS8->F32, 1x100)". None where it does not.
Conversion conversion_of_event(std::string_view name);
/// Is the graph operator what such a Convert does? Quantisers put one of either kind before and after each operator,
/// and one debug handle has often both.
bool goes_the_way(Conversion conversion, std::string_view operator_base);
/// An activation that XNNPACK runs as a separate operator after arithmetic nodes.
bool is_clamp_operator(std::string_view operator_base);

}  // namespace et::inspector
