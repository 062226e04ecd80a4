#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "server/auth/credentials.h"

namespace mote::auth {

/// What a users file says.
struct UsersFile {
  std::vector<Credential> credentials;
  std::string problem;  ///< one line naming the place; empty if good. Never holds a secret.
};

/// Reads {"users": [{"access_key", "secret_key", "id", "display_name", "email"}]}. Only the keys
/// are required: `id` defaults to the access key, `display_name` to the id. Entries that share an
/// id are keys of one user, whose name and e-mail must then agree where both give them; this is how
/// a key is rotated. Unknown members, an access key given twice and keys that no client could send
/// (shorter than 3 and 8 characters, blanks, `/`, `:`, `,`) are problems.
[[nodiscard]] UsersFile parse_users(std::string_view text);

}  // namespace mote::auth
