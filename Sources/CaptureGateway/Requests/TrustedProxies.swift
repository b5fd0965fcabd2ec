/// Tells the client's address behind proxies that the operator trusts.
struct TrustedProxies: Sendable {
    private let networks: [IPNetwork]

    /// Hops of a forwarded chain that are looked at; a longer chain ends there.
    private static let hopsMax = 32

    /// Takes networks in CIDR notation; ``GatewayConfiguration/validate()`` has refused what is none.
    init(_ networks: [String]) {
        self.networks = networks.compactMap(IPNetwork.init)
    }

    /// The right-most address that is not a trusted proxy's: each proxy appends the peer that it saw.
    ///
    /// A header from a peer that is not trusted is not looked at. A hop that cannot be read ends the chain at the proxy
    /// before it: nothing left of it can be believed.
    func client(peer: IPAddress?, forwardedFor: [String]) -> IPAddress? {
        guard var client = peer, isTrusted(client) else { return peer }
        // Split by bytes: a mark beside a comma makes another character of the two.
        let hops = forwardedFor.flatMap { field in
            field.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map { Substring($0) }
        }
        for hop in hops.reversed().prefix(Self.hopsMax) {
            guard let address = Self.address(of: hop) else { return client }
            client = address
            if !isTrusted(address) { return address }
        }
        return client
    }

    /// The client that a connection counts for; `nil` for a trusted proxy, which speaks for many.
    func client(ofConnectionFrom peer: IPAddress?) -> String? {
        guard let peer else { return Self.withoutAddress }
        return isTrusted(peer) ? nil : peer.limitKey
    }

    /// The client of all connections without an address: they come by a socket of this machine.
    static let withoutAddress = "local"

    private func isTrusted(_ address: IPAddress) -> Bool {
        networks.contains { $0.contains(address) }
    }

    /// The most bytes of an address with its port, brackets and blanks; a longer text is none.
    private static let hopBytesMax = 128

    /// Some proxies append the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`.
    private static func address(of hop: Substring) -> IPAddress? {
        // Texts of other alphabets cost the square of their length to compare, and no address has any of their letters.
        guard hop.utf8.count <= hopBytesMax, hop.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        let text = hop.filter { $0 != " " && $0 != "\t" }
        if let address = IPAddress(text) { return address }
        if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
            return IPAddress(text[text.index(after: text.startIndex)..<end])
        }
        let parts = text.split(separator: ":")
        return parts.count == 2 ? parts.first.flatMap { IPAddress($0) } : nil
    }
}
