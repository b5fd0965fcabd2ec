public import Backoff

extension GatewayClient {
    /// Where a gateway is and how patient its caller is.
    public struct Configuration: Sendable {
        /// `http://host:port`, `https://…` or `http+unix://%2Fpath%2Fto.sock`, without a slash at the end.
        public var url: String
        /// How long one request may take, a long poll's waiting not counted.
        ///
        /// Default 30 s.
        public var requestTimeout: Duration
        /// How often a request is sent before silence, or an answer that may be another later, is taken for the answer.
        ///
        /// Default 8.
        public var attemptsMax: Int
        /// The pauses between attempts when the gateway names none; none is longer than the cap, even if it does.
        ///
        /// Default 250 ms doubling to 65 s: a rate limit's minute and a little.
        public var backoff: Backoff
        /// The longest answer that is read.
        ///
        /// Default 4 MiB.
        public var answerBytesMax: Int
        /// Uniform numbers from 0 to 1, which move the pauses of a crowd apart.
        private let chance: @Sendable () -> Double

        /// Takes an address and the defaults.
        public init(
            url: String, requestTimeout: Duration = .seconds(30), attemptsMax: Int = 8,
            backoff: Backoff = Backoff(base: .milliseconds(250), cap: .seconds(65)),
            answerBytesMax: Int = 4 << 20, chance: @escaping @Sendable () -> Double = { .random(in: 0...1) }
        ) {
            self.url = url.hasSuffix("/") ? String(url.dropLast()) : url
            self.requestTimeout = requestTimeout
            self.attemptsMax = max(1, attemptsMax)
            self.backoff = backoff
            self.answerBytesMax = answerBytesMax
            self.chance = chance
        }

        /// The pause after an attempt that failed, the first being 1.
        func pause(after attempt: Int, asked: Duration?) -> Duration {
            if let asked { return min(max(asked, .milliseconds(50)), backoff.cap) }
            return backoff.delay(attempt: attempt, chance: chance())
        }
    }
}
