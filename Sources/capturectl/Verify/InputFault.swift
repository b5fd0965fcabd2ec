import SystemPackage

/// Standard input cannot be read, which is not its end.
struct InputFault: Error, CustomStringConvertible {
    /// The fault's number in C.
    let code: CInt

    var description: String { "standard input cannot be read: \(Errno(rawValue: code))" }
}
