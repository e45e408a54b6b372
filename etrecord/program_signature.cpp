// What the inputs and outputs of a program are: parameters, buffers, user inputs, mutations.
#include "base/printable.h"
#include "etrecord/program_parser.h"

namespace et::etrecord {

void ProgramParser::parse_signature(JsonValue e) {
  const auto object = e.object();
  if (!object) return odd("signature: expected an object");
  for (const auto [key, value] : *object) {
    const bool input = key == "input_specs";
    if (!input && key != "output_specs") continue;
    const auto list = value.array();
    if (!list) {
      odd("signature: expected lists");
      continue;
    }
    for (const JsonValue item : *list) {
      const auto spec = item.object();
      if (!spec || spec->size() == 0) {
        odd("signature: expected objects with one key");
        continue;
      }
      const auto field = *spec->begin();
      if (input)
        program_.signature.inputs.push_back(input_spec(field.key, field.value));
      else
        program_.signature.outputs.push_back(output_spec(field.key, field.value));
    }
  }
}

// "arg" is an Argument for user inputs and outputs, {"name"} for the others.
std::string ProgramParser::spec_value(JsonValue arg) {
  std::string plain = name_of(arg);
  if (!plain.empty()) return plain;
  Argument a;
  if (!parse_argument(arg, 0, -1, 0, &a)) return {};
  auto names = a.tensor_names();
  return names.empty() ? std::string() : std::move(names[0]);
}

InputSpec ProgramParser::input_spec(std::string_view tag, JsonValue e) {
  InputSpec spec;
  spec.kind = tag == "user_input"        ? InputKind::UserInput
              : tag == "parameter"       ? InputKind::Parameter
              : tag == "buffer"          ? InputKind::Buffer
              : tag == "tensor_constant" ? InputKind::TensorConstant
              : tag == "custom_obj"      ? InputKind::CustomObj
              : tag == "token"           ? InputKind::Token
              : tag == "constant_input"  ? InputKind::ConstantInput
                                         : InputKind::Unknown;
  if (spec.kind == InputKind::Unknown) unknown("input " + printable(tag));
  const auto object = e.object();
  if (!object) {
    odd("signature input: expected an object");
    return spec;
  }
  for (const auto [key, value] : *object) {
    if (key == "arg") {
      spec.value = spec_value(value);
    } else if (key == "parameter_name" || key == "buffer_name" || key == "tensor_constant_name" ||
               key == "custom_obj_name") {
      spec.target = json_string(value).value_or("");
    } else if (key == "persistent") {
      spec.persistent = json_int(value).value_or(1) != 0;
    } else if (key == "value") {
      Argument a;
      if (parse_argument(value, 0, -1, 0, &a)) spec.constant = std::move(a);
    } else if (key == "name") {
      spec.target = json_string(value).value_or("");
    }
  }
  return spec;
}

OutputSpec ProgramParser::output_spec(std::string_view tag, JsonValue e) {
  OutputSpec spec;
  spec.kind = tag == "user_output"              ? OutputKind::UserOutput
              : tag == "buffer_mutation"        ? OutputKind::BufferMutation
              : tag == "parameter_mutation"     ? OutputKind::ParameterMutation
              : tag == "user_input_mutation"    ? OutputKind::UserInputMutation
              : tag == "loss_output"            ? OutputKind::LossOutput
              : tag == "gradient_to_parameter"  ? OutputKind::GradientToParameter
              : tag == "gradient_to_user_input" ? OutputKind::GradientToUserInput
              : tag == "token"                  ? OutputKind::Token
                                                : OutputKind::Unknown;
  if (spec.kind == OutputKind::Unknown) unknown("output " + printable(tag));
  const auto object = e.object();
  if (!object) {
    odd("signature output: expected an object");
    return spec;
  }
  for (const auto [key, value] : *object) {
    if (key == "arg")
      spec.value = spec_value(value);
    else if (key == "buffer_name" || key == "parameter_name" || key == "user_input_name")
      spec.target = json_string(value).value_or("");
  }
  return spec;
}

}  // namespace et::etrecord
