public import CaptureModel
import Waiting

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reads the two bits of a device.
public protocol DeviceCheckService: Sendable {
    /// Asks for the two bits of the device that made a token.
    /// - Throws: ``DeviceCheckFault`` when there is no answer.
    func query(_ token: DeviceToken, in environment: KeyEnvironment) async throws(DeviceCheckFault) -> TwoBits
}

/// Apple's DeviceCheck servers: two bits for each device and team.
///
/// ```swift
/// let client = DeviceCheckClient(
///     server: server, tokens: tokens, now: Timestamp.systemTime, random: { .random(in: .min ... .max) })
/// guard let token = DeviceToken(base64: sent) else { return }
/// let bits = try await client.query(token, in: .production)
/// try await client.update(token, bit0: true, in: .production)
/// ```
///
/// ``AppleServer`` says where `server` comes from and who runs it, and ``DeveloperKey`` where `tokens` do.
///
/// Answers of 429 and 5xx are retried a few times. Then, as after any other fault, the bits remain unknown. No caller
/// waits longer than ``RetryPolicy/timeout``.
public struct DeviceCheckClient: DeviceCheckService {
    /// The number of tries of a request, and the time for all of them.
    public struct RetryPolicy: Sendable {
        /// How many tries there are at most.
        public var attemptsMax = 3
        /// How long a request may take, with all its tries and waits.
        public var timeout: Duration = .seconds(10)

        /// The defaults.
        public init() {}

        let backoff = Backoff(base: .milliseconds(200), cap: .seconds(2), jitter: .full)
    }

    private let server: AppleServer
    private let tokens: DeveloperTokens
    private let hosts: AppleHosts
    private let retries: RetryPolicy
    private let now: TimeSource
    private let random: @Sendable () -> UInt64
    private let clock: any Clock<Duration>

    /// Uses a server's client, which the caller runs as a service.
    /// - Parameters:
    ///   - now: The time, which every request carries.
    ///   - random: 64 random bits, for the requests' names and the waits.
    ///   - clock: The clock for the waits between two tries.
    public init(
        server: AppleServer, tokens: DeveloperTokens, hosts: AppleHosts = .deviceCheck,
        retries: RetryPolicy = RetryPolicy(), now: @escaping TimeSource,
        random: @escaping @Sendable () -> UInt64, clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.server = server
        self.tokens = tokens
        self.hosts = hosts
        self.retries = retries
        self.now = now
        self.random = random
        self.clock = clock
    }

    /// Asks for the two bits of a device.
    /// - Throws: ``DeviceCheckFault`` after the last try: the bits are unknown.
    public func query(
        _ token: DeviceToken, in environment: KeyEnvironment
    ) async throws(DeviceCheckFault) -> TwoBits {
        let body = try await ask("query_two_bits", Question(token: token, bit0: nil, bit1: nil), environment)
        guard let bits = TwoBits(answer: body) else { throw .unexpected(status: 200) }
        return bits
    }

    /// Sets bits of a device; one that is left out keeps its value.
    /// - Throws: ``DeviceCheckFault`` after the last try; after `unreachable` the bits may be set all the same.
    public func update(
        _ token: DeviceToken, bit0: Bool? = nil, bit1: Bool? = nil, in environment: KeyEnvironment
    ) async throws(DeviceCheckFault) {
        _ = try await ask("update_two_bits", Question(token: token, bit0: bit0, bit1: bit1), environment)
    }

    /// Asks whether a token belongs to a device; returns if it does.
    /// - Throws: ``DeviceCheckFault`` after the last try; `token` when Apple does not accept the token.
    public func validate(_ token: DeviceToken, in environment: KeyEnvironment) async throws(DeviceCheckFault) {
        _ = try await ask("validate_device_token", Question(token: token, bit0: nil, bit1: nil), environment)
    }

    /// The contents of a request; name and time are added for each try.
    private struct Question: Sendable {
        let token: DeviceToken
        let bit0: Bool?
        let bit1: Bool?
    }

    /// One time limit covers all tries, because a caller waits: a hanging try uses up the time of the next ones.
    private func ask(
        _ name: String, _ question: Question, _ environment: KeyEnvironment
    ) async throws(DeviceCheckFault) -> [UInt8] {
        let answer: [UInt8]?
        do {
            answer = try await Deadline.result(until: .now + retries.timeout) {
                try await askPatiently(name, question, environment)
            }
        } catch let fault as DeviceCheckFault {
            throw fault
        } catch {
            throw .unreachable("cancelled")
        }
        guard let answer else { throw .unreachable("no answer within \(retries.timeout)") }
        return answer
    }

    private func askPatiently(
        _ name: String, _ question: Question, _ environment: KeyEnvironment
    ) async throws(DeviceCheckFault) -> [UInt8] {
        var attempt = 1
        while true {
            do throws(DeviceCheckFault) {
                return try await askOnce(name, question, environment)
            } catch {
                guard error.isTransient, attempt < retries.attemptsMax else { throw error }
                let wait = retries.backoff.delay(attempt: attempt, chance: Double(randomBits: random()))
                do { try await clock.sleep(for: wait) } catch { throw .unreachable("cancelled") }
                attempt += 1
            }
        }
    }

    private func askOnce(
        _ name: String, _ question: Question, _ environment: KeyEnvironment
    ) async throws(DeviceCheckFault) -> [UInt8] {
        let token: String
        let answer: AppleServer.Answer
        do throws(AppleServer.Fault) {
            token = try tokens.forQuestion()
            answer = try await server.post(
                "\(hosts[environment])/v1/\(name)", authorization: "Bearer \(token)",
                type: "application/json", try encoded(question))
        } catch {
            switch error {
            case .unreachable(let why): throw .unreachable(why)
            case .cancelled: throw .unreachable("cancelled")
            }
        }
        if answer.status == 401 { tokens.renew(token) }
        if let fault = DeviceCheckFault(answer) { throw fault }
        return answer.body
    }

    private struct Body: Encodable {
        var deviceToken: String
        var transactionID: String
        var timestamp: Int64
        var bit0: Bool?
        var bit1: Bool?

        enum CodingKeys: String, CodingKey {
            case timestamp, bit0, bit1
            case deviceToken = "device_token"
            case transactionID = "transaction_id"
        }
    }

    /// Every request has a new name: Apple may take a second one of the same name for a repetition.
    private func encoded(_ question: Question) throws(AppleServer.Fault) -> [UInt8] {
        let name = [random(), random()].map { String($0, radix: 16) }.joined(separator: "-")
        let body = Body(
            deviceToken: question.token.base64, transactionID: name, timestamp: now().millisecondsSince1970,
            bit0: question.bit0, bit1: question.bit1)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        guard let data = try? encoder.encode(body) else { throw .unreachable("the question cannot be written") }
        return Array(data)
    }
}
