import FoundationEssentials

extension GatewayClient.Configuration {
    /// Whether a text is an address that a client can speak to: a scheme that it knows, a host
    /// or a socket, a port if any.
    ///
    /// `localhost:8080` is not one: its scheme would be `localhost`.
    package static func isAddress(_ text: String) -> Bool {
        guard let url = URL(string: text, encodingInvalidCharacters: false),
            let scheme = url.scheme?.lowercased(), schemes.contains(scheme),
            let host = url.host(), !host.isEmpty
        else { return false }
        return (url.port.map { (1...65_535).contains($0) } ?? true) && url.query() == nil && url.fragment() == nil
    }

    /// The forms of an address, for people.
    package static let addressForms = "http://host:port, https://host or http+unix://%2Fpath"

    private static let schemes: Set<String> = ["http", "https", "http+unix", "https+unix"]
}
