import SystemPackage

/// Standard input cannot be read: an error, not its end.
struct InputFault: Error, CustomStringConvertible {
    /// The `errno` of the fault.
    let code: CInt

    var description: String { "standard input cannot be read: \(Errno(rawValue: code))" }
}
