#pragma once

#include "server/auth/authenticator.h"
#include "server/auth/failure.h"
#include "server/auth/post_policy.h"
#include "server/auth/sigv4.h"

namespace mote::auth {

/// The signature over a form's policy field, version 4 or 2. AccessDenied for a form without any
/// credential, InvalidArgument for one that has a part of them only, SignatureDoesNotMatch,
/// InvalidAccessKeyId, InvalidToken. What the policy says is for PostPolicy.
[[nodiscard]] Outcome<Verified> verify_form(const FormFields& fields,
                                            const Authenticator& authenticator);

}  // namespace mote::auth
