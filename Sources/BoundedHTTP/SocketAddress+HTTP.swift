package import NIOCore

extension SocketAddress {
    /// The URL of a server that listens here, as its log names it.
    ///
    /// An IPv6 address is in brackets, without which nothing reads it (RFC 3986, 3.2.2).
    package var httpURL: String {
        let host = ipAddress ?? ""
        return "http://\(host.contains(":") ? "[\(host)]" : host):\(port ?? 0)"
    }
}
