/// What a software key signs in order to be registered: the challenge behind the purpose.
///
/// The same key signs captures' nonces, which are 32 bytes, and the text of requests, which begins with a digit. So no
/// challenge, whoever has chosen it, makes it sign either of them.
public enum RegistrationMessage {
    /// The ASCII text `capture-registration v1|` and the challenge as hexadecimal digits of lower case.
    public static func bytes(challenge: [UInt8]) -> [UInt8] {
        Array("capture-registration v1|\(Hex.encode(challenge))".utf8)
    }
}
