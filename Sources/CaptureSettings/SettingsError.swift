/// Why a program does not start: an unknown key, or a value that is not allowed.
package struct SettingsError: Error, CustomStringConvertible {
    /// The key or file, and the fault.
    ///
    /// Values of secrets are left out.
    package let description: String

    /// Takes the key or file, and the fault, without values of secrets.
    package init(_ description: String) {
        self.description = description
    }
}
