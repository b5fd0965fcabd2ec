package import Waiting

extension GatewayClient {
    /// Where a gateway is and how patient its caller is.
    package struct Configuration: Sendable {
        /// `http://host:port`, `https://…` or `http+unix://%2Fpath%2Fto.sock`, without a slash at the end.
        package var url: String
        /// How long one request may take, a long poll's waiting not counted.
        ///
        /// Default 30 s.
        package var requestTimeout: Duration
        /// How often a request is sent before a missing or transient answer counts as final.
        ///
        /// Default 8.
        package var attemptsMax: Int
        /// The pauses between attempts when the gateway names none, or less than a second.
        ///
        /// Default 250 ms doubling to 65 s.
        package var backoff: Backoff
        /// The longest pause that a gateway may ask for.
        ///
        /// Default 65 s: a rate limit's minute and a little.
        package var askedPauseMax: Duration
        /// The longest answer that is read.
        let answerBytesMax = 4 << 20
        /// Uniform random numbers from 0 to 1, so that many clients do not retry at the same moment.
        private let chance: @Sendable () -> Double

        /// Takes an address and the defaults.
        package init(
            url: String, requestTimeout: Duration = .seconds(30), attemptsMax: Int = 8,
            backoff: Backoff = Backoff(base: .milliseconds(250), cap: .seconds(65)),
            askedPauseMax: Duration = .seconds(65), chance: @escaping @Sendable () -> Double = { .random(in: 0...1) }
        ) {
            self.url = url.hasSuffix("/") ? String(url.dropLast()) : url
            self.requestTimeout = requestTimeout
            self.attemptsMax = max(1, attemptsMax)
            self.backoff = backoff
            self.askedPauseMax = askedPauseMax
            self.chance = chance
        }

        /// The pause after an attempt that failed, the first being 1.
        func pause(after attempt: Int, asked: Duration?) -> Duration {
            // Less than a second counts as no wish: a server that always asks for 0 would be asked without a pause.
            if let asked, asked >= .seconds(1) { return min(asked, askedPauseMax) }
            return backoff.delay(attempt: attempt, chance: chance())
        }
    }
}
