/// Why a program does not start: a key that does not exist, or a value that it does not take.
package struct SettingsError: Error, CustomStringConvertible {
    /// The key or file, and what is wrong with it.
    ///
    /// Values of secrets are left out.
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
