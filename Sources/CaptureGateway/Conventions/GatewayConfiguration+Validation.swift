/// A value of a gateway's configuration that is outside its range.
package struct ConfigurationError: Error, Equatable, CustomStringConvertible {
    /// The value.
    package let field: GatewayConfiguration.Field
    /// What is allowed.
    package let allowed: String

    /// Both, for the operator.
    package var description: String { "\(field.rawValue) must be \(allowed)" }
}

extension GatewayConfiguration {
    /// The values that ``validate()`` may refuse, named as the properties are.
    package enum Field: String, Sendable, CaseIterable {
        case port, headerBytesMax, headerFieldsMax, connectionsMax, jsonBytesMax, jsonBytesInFlightMax, trustedProxies
        case appIDs, environments, challengeLimit, requestLimit, loginLimit
        case photoBytesMax, depthBytesMax, assertionBytesMax, metadataBytesMax, bindings, uploadBytesInFlightMax
        case statusIDsMax, intakeGroupMax, intakeBacklogMax, eventStreamsMax, picturesMax, refusedLinesMax
        case idleTimeout, jsonTimeout, lingerTimeout, readinessTimeout, uploadIdleTimeout, uploadTimeout
        case challengeLifetime, requestWindow, enrolmentLifetime, sessionLifetime, waitMax, intakeWait, restoreWait
    }

    /// Refuses values that a gateway could not work with.
    ///
    /// The parts of an upload may be as large as `capture_enqueue_v1` takes them.
    package func validate() throws(ConfigurationError) {
        try Self.check(.port, port, 0...65_535)
        try Self.check(.headerBytesMax, headerBytesMax, 1024...(1 << 20))
        try Self.check(.headerFieldsMax, headerFieldsMax, 10...1000)
        try Self.check(.connectionsMax, connectionsMax, 1...1_000_000)
        try Self.check(.jsonBytesMax, jsonBytesMax, 1024...(16 << 20))
        try Self.check(.challengeLimit, challengeLimit, 1...1000)
        try Self.check(.requestLimit, requestLimit, 1...1000)
        try Self.check(.loginLimit, loginLimit, 1...1000)
        try Self.check(.photoBytesMax, photoBytesMax, 1...(256 << 20))
        try Self.check(.depthBytesMax, depthBytesMax, 1...(256 << 20))
        try Self.check(.assertionBytesMax, assertionBytesMax, 64...(16 << 10))
        try Self.check(.metadataBytesMax, metadataBytesMax, 2...(64 << 10))
        try Self.check(.statusIDsMax, statusIDsMax, 1...10_000)
        try Self.check(.intakeGroupMax, intakeGroupMax, 1...1024)
        try Self.check(.intakeBacklogMax, intakeBacklogMax, 1...100_000)
        try Self.check(.eventStreamsMax, eventStreamsMax, 1...100_000)
        try Self.check(.picturesMax, picturesMax, 1...256)
        try Self.check(.refusedLinesMax, refusedLinesMax, 0...100_000)
        let durations: [(Field, Duration)] = [
            (.idleTimeout, idleTimeout), (.jsonTimeout, jsonTimeout), (.lingerTimeout, lingerTimeout),
            (.readinessTimeout, readinessTimeout), (.challengeLifetime, challengeLifetime),
            (.requestWindow, requestWindow), (.enrolmentLifetime, enrolmentLifetime),
            (.uploadIdleTimeout, uploadIdleTimeout), (.uploadTimeout, uploadTimeout), (.waitMax, waitMax),
            (.intakeWait, intakeWait), (.restoreWait, restoreWait), (.sessionLifetime, sessionLifetime),
        ]
        for (field, value) in durations where value < .milliseconds(1) || value > .seconds(86_400) {
            throw ConfigurationError(field: field, allowed: "from 1 ms to 24 h")
        }
        guard !appIDs.isEmpty else { throw ConfigurationError(field: .appIDs, allowed: "at least one") }
        guard !environments.isEmpty else { throw ConfigurationError(field: .environments, allowed: "at least one") }
        guard !bindings.isEmpty else { throw ConfigurationError(field: .bindings, allowed: "at least one") }
        guard trustedProxies.allSatisfy({ IPNetwork($0) != nil }) else {
            throw ConfigurationError(field: .trustedProxies, allowed: "networks such as 10.0.0.0/8 or fd00::/8")
        }
        // Each id in quotes with a comma, and the JSON around the list.
        guard statusIDsMax * 39 + 32 <= jsonBytesMax else {
            let most = "at most \((jsonBytesMax - 32) / 39), as jsonBytesMax is \(jsonBytesMax)"
            throw ConfigurationError(field: .statusIDsMax, allowed: most)
        }
        // Otherwise the largest request would be put off for ever.
        guard jsonBytesInFlightMax >= jsonRequestBytesMax else {
            throw ConfigurationError(
                field: .jsonBytesInFlightMax, allowed: "at least one request: \(jsonRequestBytesMax)")
        }
        // The parts with the form around them, as they are held: otherwise the largest upload would be put off for
        // ever.
        guard uploadBytesInFlightMax >= uploadBytesMax else {
            throw ConfigurationError(field: .uploadBytesInFlightMax, allowed: "at least one upload: \(uploadBytesMax)")
        }
    }

    private static func check(_ field: Field, _ value: Int, _ range: ClosedRange<Int>) throws(ConfigurationError) {
        guard range.contains(value) else {
            throw ConfigurationError(field: field, allowed: "from \(range.lowerBound) to \(range.upperBound)")
        }
    }
}
