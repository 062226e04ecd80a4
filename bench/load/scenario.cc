#include "bench/load/scenario.h"

#include <fstream>
#include <sstream>

#include <boost/json.hpp>

namespace mote::bench {
namespace json = boost::json;

std::string_view to_string(OpKind kind) {
  switch (kind) {
    case OpKind::get:
      return "get";
    case OpKind::head:
      return "head";
    case OpKind::put:
      return "put";
    case OpKind::del:
      return "delete";
    case OpKind::list:
      return "list";
    case OpKind::count_:
      break;
  }
  return "none";
}

namespace {

bool read_weights(const json::value& value, Scenario& scenario) {
  if (!value.is_object()) {
    return false;
  }
  scenario.weights = {};
  for (const auto& [name, weight] : value.get_object()) {
    bool known = false;
    for (std::size_t i = 0; i < kOpKinds; ++i) {
      if (std::string_view(name.data(), name.size()) == to_string(static_cast<OpKind>(i)) &&
          weight.is_int64()) {
        scenario.weights[i] = static_cast<unsigned>(weight.get_int64());
        known = true;
      }
    }
    if (!known) {
      return false;
    }
  }
  return true;
}

bool read_field(std::string_view name, const json::value& value, Scenario& scenario) {
  if (name == "name" && value.is_string()) {
    scenario.name = std::string(value.get_string());
  } else if (name == "operations") {
    return read_weights(value, scenario);
  } else if (name == "check_bodies" && value.is_bool()) {
    scenario.check_bodies = value.get_bool();
  } else if (value.is_number()) {
    const double number = value.to_number<double>();
    if (name == "object_bytes") {
      scenario.object_bytes = static_cast<std::uint64_t>(number);
    } else if (name == "objects") {
      scenario.objects = static_cast<std::uint64_t>(number);
    } else if (name == "connections") {
      scenario.connections = static_cast<unsigned>(number);
    } else if (name == "threads") {
      scenario.threads = static_cast<unsigned>(number);
    } else if (name == "warmup_seconds") {
      scenario.warmup_seconds = number;
    } else if (name == "seconds") {
      scenario.seconds = number;
    } else if (name == "rate") {
      scenario.rate = number;
    } else if (name == "list_keys") {
      scenario.list_keys = static_cast<unsigned>(number);
    } else if (name == "seed") {
      scenario.seed = static_cast<std::uint64_t>(number);
    } else {
      return false;
    }
  } else {
    return false;
  }
  return true;
}

}  // namespace

Result<Scenario> read_scenario(const std::string& path, Scenario base) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  boost::system::error_code ec;
  const json::value value = json::parse(text.str(), ec);
  if (!in || ec || !value.is_object()) {
    return Error{Errc::invalid_argument, 0, "scenario file"};
  }
  for (const auto& [name, field] : value.get_object()) {
    if (!read_field({name.data(), name.size()}, field, base)) {
      return Error{Errc::invalid_argument, 0, "scenario field"};
    }
  }
  return base;
}

}  // namespace mote::bench
