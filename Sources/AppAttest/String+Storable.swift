extension String {
    /// The text itself; `nil` if it has U+0000, which a database's text may not hold.
    ///
    /// For what a certificate or an attestation says: no version has this character, so such a text names none.
    var storable: String? { utf8.contains(0) ? nil : self }
}
