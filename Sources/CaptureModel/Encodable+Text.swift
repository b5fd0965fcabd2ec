// Ids, digests, moments and names are texts in JSON, the same wherever they stand.

extension CaptureID: Encodable {
    /// Writes its canonical text.
    public func encode(to encoder: any Encoder) throws { try encoder.encode(text: description) }
}

extension DeviceID: Encodable {
    /// Writes its canonical text.
    public func encode(to encoder: any Encoder) throws { try encoder.encode(text: description) }
}

extension RandomID: Encodable {
    /// Writes its canonical text.
    package func encode(to encoder: any Encoder) throws { try encoder.encode(text: description) }
}

extension KeyID: Encodable {
    /// Writes its digits.
    public func encode(to encoder: any Encoder) throws { try encoder.encode(text: description) }
}

extension SHA256Digest: Encodable {
    /// Writes its digits.
    public func encode(to encoder: any Encoder) throws { try encoder.encode(text: hex) }
}

extension Timestamp: Encodable {
    /// Writes it as RFC 3339 has it.
    public func encode(to encoder: any Encoder) throws { try encoder.encode(text: rfc3339) }
}

extension CounterPolicy: Encodable {
    /// Writes it as settings name it.
    public func encode(to encoder: any Encoder) throws { try encoder.encode(text: description) }
}

extension Encoder {
    fileprivate func encode(text: String) throws {
        var container = singleValueContainer()
        try container.encode(text)
    }
}
