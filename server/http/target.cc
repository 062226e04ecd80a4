#include "server/http/target.h"

#include <algorithm>

#include "server/http/ascii.h"
#include "server/http/uri.h"

namespace mote::http {

std::optional<TargetError> Target::parse(std::string_view raw) {
  raw_ = raw;
  params_.clear();
  arena_.clear();
  arena_.reserve(raw.size());
  const std::size_t mark = raw.find('?');
  raw_path_ = raw.substr(0, mark);
  raw_query_ = mark == std::string_view::npos ? std::string_view{} : raw.substr(mark + 1);
  path_ = {};
  if (raw.find('\0') != std::string_view::npos) {
    return TargetError::nul_byte;
  }
  if (!raw.starts_with('/') || !is_target_text(raw)) {
    return TargetError::not_origin_form;
  }
  if (auto error = decode(raw_path_, false, path_)) {
    return error;
  }
  return parse_query();
}

std::optional<TargetError> Target::parse_query() {
  std::string_view rest = raw_query_;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('&'), rest.size());
    const std::string_view piece = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (piece.empty()) {
      continue;
    }
    if (params_.size() >= kParamsMax) {
      return TargetError::too_many_params;
    }
    const std::size_t equals = std::min(piece.find('='), piece.size());
    QueryParam param;
    param.raw_name = piece.substr(0, equals);
    param.has_equals = equals < piece.size();
    param.raw_value = piece.substr(std::min(equals + 1, piece.size()));
    if (auto error = decode(param.raw_name, true, param.name)) {
      return error;
    }
    if (auto error = decode(param.raw_value, true, param.value)) {
      return error;
    }
    params_.push_back(param);
  }
  return std::nullopt;
}

std::optional<TargetError> Target::decode(std::string_view text, bool query,
                                          std::string_view& out) {
  const bool plain = text.find('%') == std::string_view::npos &&
                     (!query || text.find('+') == std::string_view::npos);
  if (plain) {
    out = text;
  } else {
    const std::size_t start = arena_.size();
    if (!append_uri_decoded(arena_, text, query ? Plus::blank : Plus::literal)) {
      return TargetError::bad_escape;
    }
    out = std::string_view(arena_).substr(start);
  }
  if (out.find('\0') != std::string_view::npos) {
    return TargetError::nul_byte;
  }
  if (!is_valid_utf8(out)) {
    return TargetError::invalid_utf8;
  }
  return std::nullopt;
}

const QueryParam* Target::find(std::string_view name) const noexcept {
  for (const QueryParam& param : params_) {
    if (param.name == name) {
      return &param;
    }
  }
  return nullptr;
}

std::string_view Target::value(std::string_view name) const noexcept {
  const QueryParam* const param = find(name);
  return param == nullptr ? std::string_view{} : param->value;
}

std::size_t Target::count(std::string_view name) const noexcept {
  return static_cast<std::size_t>(
      std::count_if(params_.begin(), params_.end(),
                    [name](const QueryParam& param) { return param.name == name; }));
}

Address split_path(std::string_view path, std::string_view host_bucket) noexcept {
  if (path.starts_with('/')) {
    path.remove_prefix(1);
  }
  if (!host_bucket.empty()) {
    return {host_bucket, path};
  }
  const std::size_t slash = path.find('/');
  if (slash == std::string_view::npos) {
    return {path, {}};
  }
  return {path.substr(0, slash), path.substr(slash + 1)};
}

}  // namespace mote::http
