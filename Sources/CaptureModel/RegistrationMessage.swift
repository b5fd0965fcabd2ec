/// What a software key signs in order to be registered: the purpose, followed by the challenge.
///
/// The same key signs captures' nonces, which are 32 bytes, and the text of requests, which begins with a digit. So no
/// challenge, whoever chose it, can make it sign either of the two.
package enum RegistrationMessage {
    /// The purpose, in front of the challenge.
    package static let purpose = "capture-registration v1|"

    /// The ASCII text `capture-registration v1|` and the challenge as lower-case hexadecimal digits.
    package static func bytes(challenge: [UInt8]) -> [UInt8] {
        Array("\(purpose)\(Hex.encode(challenge))".utf8)
    }
}
