#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace mote::s3 {

/// Opaque continuation tokens: where to go on, with a keyed hash over it and over what the listing
/// belongs to, so that an invented or changed token is refused. It guards against mistakes,
/// not against the bucket's owner, who may name any start key anyway: the key is fixed, and a token
/// stays good over a restart and on every process that serves the same buckets.
[[nodiscard]] std::string make_list_token(std::string_view scope, std::string_view after);
/// The `after` of a token made for the same scope, or nullopt.
[[nodiscard]] std::optional<std::string> read_list_token(std::string_view scope,
                                                         std::string_view token);

}  // namespace mote::s3
