import Waiting

extension RedisConfiguration {
    /// Checks every bound against its range.
    ///
    /// - Throws: ``RedisError`` with code `configuration`, naming the property and the range.
    package func validate() throws(RedisError) {
        try Self.check("database", database, in: 0...1_023)
        try Self.check("pipelineDepthMax", pipelineDepthMax, in: 1...65_536)
        try Self.check("backlogMax", backlogMax, in: 1...1_048_576)
        try Self.check("backlogBytesMax", backlogBytesMax, in: 1_024...(8 << 30))
        try Self.check("replyBytesMax", replyBytesMax, in: 1_024...(1 << 30))
        try Self.check("dedicatedConnectionsMax", dedicatedConnectionsMax, in: 1...4_096)
        try Self.check("subscriptionBufferMax", subscriptionBufferMax, in: 1...1_048_576)
        try Self.check("connectTimeout", connectTimeout)
        try Self.check("commandTimeout", commandTimeout)
        try Self.check("sendTimeout", sendTimeout)
        try Self.check("reconnectGrace", reconnectGrace)
        try Self.check("subscriptionPingInterval", subscriptionPingInterval)
        try Self.check("backoff.base", backoff.base)
        try Self.check("backoff.cap", backoff.cap)
        try checkNames()
    }

    private func checkNames() throws(RedisError) {
        if let clientName, !clientName.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) || clientName.isEmpty {
            throw RedisError(.configuration, "clientName must be printable ASCII without spaces")
        }
        if username != nil, password == nil {
            throw RedisError(.configuration, "a user needs a password")
        }
        if let tls, (tls.certificateFile == nil) != (tls.privateKeyFile == nil) {
            throw RedisError(.configuration, "a client certificate needs its private key, and the other way round")
        }
        if tls != nil, case .unixSocket = address {
            throw RedisError(.configuration, "TLS is not available on a unix socket")
        }
    }

    private static func check(_ name: String, _ value: Int, in range: ClosedRange<Int>) throws(RedisError) {
        guard range.contains(value) else {
            throw RedisError(.configuration, "\(name) must be \(range.lowerBound) to \(range.upperBound)")
        }
    }

    /// Times are a millisecond to an hour.
    private static func check(_ name: String, _ value: Duration) throws(RedisError) {
        guard value >= .milliseconds(1), value <= .seconds(3_600) else {
            throw RedisError(.configuration, "\(name) must be 1 ms to 1 h")
        }
    }
}
