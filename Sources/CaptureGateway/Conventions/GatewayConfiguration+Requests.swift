extension GatewayConfiguration {
    /// Where a gateway listens, and what holds for each connection.
    package struct Connections: Sendable, Equatable {
        /// The address to listen on.
        package var host = "127.0.0.1"
        /// The port to listen on; 0 takes a free one.
        package var port = 8080
        /// Connections at once; see ``ConnectionLimit``.
        package var countMax = 4096
        /// How long a connection may be idle, a request's head may take, and an answer may stay unread.
        package var idleTimeout: Duration = .seconds(60)
        /// How long a connection stays open for reading after an answer that came before its request's end.
        ///
        /// So that the client gets to read it.
        package var lingerTimeout: Duration = .seconds(5)
        /// Networks (CIDR) whose `X-Forwarded-For` is believed.
        package var trustedProxies: [String] = []
    }

    /// What a request may be, and its body if it is no upload.
    package struct Requests: Sendable, Equatable {
        /// Bytes of all header fields of a request.
        package var headerBytesMax = 32 << 10
        /// Header fields of a request.
        package var headerFieldsMax = 100
        /// Bytes of a JSON request.
        package var jsonBytesMax = 64 << 10
        /// Bytes of JSON and form requests in memory at once, heads and bodies; see ``RequestBodies``.
        package var jsonBytesInFlightMax = 32 << 20
        /// How long the body of a JSON request may take.
        package var jsonTimeout: Duration = .seconds(10)
        /// Refusals of each code and minute that are logged at `info`; see ``RefusedRequests``.
        package var refusedLinesMax = 60

        /// Bytes of the largest request that is no upload: its body and its head.
        var jsonRequestBytesMax: Int { jsonBytesMax + headerBytesMax }
    }

    /// How often one client, or one device, may do something within a window; see ``RateSubject``.
    package struct Rates: Sendable, Equatable {
        /// Challenges of a client, and as many requests for each step of an enrolment.
        package var challengeLimit = 10
        /// Logins of a client at the dashboard; unknown tokens of requests have the same limit.
        package var loginLimit = 10
        /// Signed requests of a device with a plain Ed25519 key, each of which is remembered.
        package var requestLimit = 600

        /// The window of all limits: a minute, as their settings say.
        package static let window: Duration = .seconds(60)
    }
}
