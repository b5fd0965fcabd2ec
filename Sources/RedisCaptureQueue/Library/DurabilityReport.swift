public import CaptureQueue
public import Logging
public import RedisClient

/// Whether the server's settings keep what was accepted.
public struct DurabilityReport: Sendable, Equatable {
    /// How strictly the settings are taken.
    public enum Requirement: String, Sendable, CaseIterable {
        /// Refuse to start when an accepted capture could be lost.
        case strict
        /// Warn.
        case relaxed
    }

    /// A setting with which accepted captures could be lost, and what would be right.
    public struct Problem: Sendable, Equatable, CustomStringConvertible {
        /// The setting's name.
        public let setting: String
        /// Its value on the server; `nil` when the server does not tell.
        public let value: String?
        /// The value that keeps what was accepted.
        public let needed: String
        /// What happens otherwise.
        public let consequence: String

        /// One line for the log.
        public var description: String {
            "\(setting) is \(value ?? "not readable") and should be \(needed): otherwise \(consequence)"
        }
    }

    private static let rules: [(setting: String, needed: String, consequence: String)] = [
        ("appendonly", "yes", "a restart loses the queue"),
        ("appendfsync", "always", "a power cut loses captures that were answered with 202"),
        ("no-appendfsync-on-rewrite", "no", "a power cut during a rewrite loses captures that were answered with 202"),
        ("maxmemory-policy", "noeviction", "a full memory evicts captures and tokens"),
    ]

    /// What is not as it should be; empty when all is well.
    public let problems: [Problem]

    /// Looks at the values of the settings.
    public init(settings: [String: String]) {
        problems = Self.rules.compactMap { rule in
            let value = settings[rule.setting]
            guard value != rule.needed else { return nil }
            return Problem(setting: rule.setting, value: value, needed: rule.needed, consequence: rule.consequence)
        }
    }

    /// Reads the settings from the server.
    ///
    /// A server that forbids it tells none, which counts as a problem.
    public static func read(from client: RedisClient) async throws(QueueError) -> DurabilityReport {
        do {
            let names = rules.map { RedisArgument.string($0.setting) }
            let reply = try await client.send(RedisCommand("CONFIG", ["GET"] + names)).array ?? []
            var settings: [String: String] = [:]
            for index in stride(from: 0, to: reply.count - 1, by: 2) {
                if let name = reply[index].string { settings[name] = reply[index + 1].string }
            }
            return DurabilityReport(settings: settings)
        } catch let error where error.code == .server && !error.isTransient {
            return DurabilityReport(settings: [:])
        } catch {
            throw QueueError(error)
        }
    }

    /// Refuses or warns, as asked.
    /// - Throws: ``QueueError`` with code `refused`, naming every problem, when the requirement is strict.
    public func enforce(_ requirement: Requirement, logger: Logger) throws(QueueError) {
        guard !problems.isEmpty else { return }
        if requirement == .strict {
            throw QueueError(.refused, problems.map(\.description).joined(separator: "; "))
        }
        for problem in problems {
            logger.warning("accepted captures could be lost", metadata: ["problem": "\(problem)"])
        }
    }
}
