#include "server/embed/credential_source.h"

#include <fstream>
#include <iterator>
#include <utility>

#include "server/auth/users_file.h"
#include "server/digest/hmac.h"

namespace mote {

LoadedCredentials load_credentials(const Options& options) {
  LoadedCredentials loaded;
  auth::Credential root;
  root.identity = {options.access_key, kRootUserId, options.access_key, ""};
  root.secret = auth::Secret(options.secret_key);
  loaded.credentials.push_back(std::move(root));
  if (options.users_file.empty()) {
    return loaded;
  }
  std::ifstream in(options.users_file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (!in) {
    loaded.problem = options.users_file + ": cannot be read";
    return loaded;
  }
  auth::UsersFile users = auth::parse_users(text);
  digest::cleanse(text.data(), text.size());
  if (!users.problem.empty()) {
    loaded.problem = options.users_file + ": " + users.problem;
    return loaded;
  }
  for (auth::Credential& credential : users.credentials) {
    if (credential.identity.access_key == options.access_key) {
      loaded.problem = options.users_file + ": the access key " + options.access_key + " is root's";
      return loaded;
    }
    loaded.credentials.push_back(std::move(credential));
  }
  return loaded;
}

}  // namespace mote
