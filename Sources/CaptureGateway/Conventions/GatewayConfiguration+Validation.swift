/// A value of a gateway's configuration that contradicts another, or has no meaning.
package struct ConfigurationError: Error, Equatable, CustomStringConvertible {
    /// The value.
    package let field: GatewayConfiguration.Field
    /// What is allowed.
    package let allowed: String

    /// Both, for the operator.
    package var description: String { "\(field.rawValue) must be \(allowed)" }
}

extension GatewayConfiguration {
    /// The values that ``validate()`` may refuse.
    package enum Field: String, Sendable, CaseIterable {
        case trustedProxies, statusIDsMax, jsonBytesInFlightMax, uploadBytesInFlightMax
    }

    /// Bytes of an id in a status request: its text, in quotes and with a comma.
    private static let statusIDBytes = 36 + 3
    /// Bytes that the JSON around such a request's ids may have.
    private static let statusListBytes = 32

    /// Refuses values with which a gateway could not work, though each is within its setting's range.
    package func validate() throws(ConfigurationError) {
        guard connections.trustedProxies.allSatisfy({ IPNetwork($0) != nil }) else {
            throw ConfigurationError(field: .trustedProxies, allowed: "networks such as 10.0.0.0/8 or fd00::/8")
        }
        let jsonBytesMax = requests.jsonBytesMax
        guard reading.statusIDsMax * Self.statusIDBytes + Self.statusListBytes <= jsonBytesMax else {
            let most = (jsonBytesMax - Self.statusListBytes) / Self.statusIDBytes
            throw ConfigurationError(
                field: .statusIDsMax, allowed: "at most \(most), as jsonBytesMax is \(jsonBytesMax)")
        }
        // Otherwise the largest request would be put off for ever.
        guard requests.jsonBytesInFlightMax >= requests.jsonRequestBytesMax else {
            throw ConfigurationError(
                field: .jsonBytesInFlightMax, allowed: "at least one request: \(requests.jsonRequestBytesMax)")
        }
        // The parts with the form around them, as they are held: otherwise the largest upload would be put off for
        // ever.
        guard uploads.bytesInFlightMax >= uploads.bytesMax else {
            throw ConfigurationError(
                field: .uploadBytesInFlightMax, allowed: "at least one upload: \(uploads.bytesMax)")
        }
    }
}
