import Enrolment

/// A password hash that is taken is kept as it came, and is a bounded line of ASCII; a code is read as it is written.
func fuzzEnrolment(_ input: [UInt8]) throws(BrokenProperty) {
    if let hash = try? PasswordHash(input) {
        try property(Array(hash.text.utf8) == input, "a hash is kept as it came")
        try property(input.count <= PasswordHash.bytesMax, "a hash is bounded")
        try property(hash.text.hasPrefix("$argon2id$v=19$m="), "a hash is Argon2id's")
    }
    guard let code = InvitationCode(String(decoding: input, as: UTF8.self)) else { return }
    try property(InvitationCode(code.description) == code, "a code is read as it is written")
    try property(code.description.utf8.count == 29, "a code has 25 letters in five groups")
}
