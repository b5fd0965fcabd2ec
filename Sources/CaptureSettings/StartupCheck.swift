import CaptureQueue
import CaptureStore
public import Logging
public import PostgresCaptureStore
public import RedisCaptureQueue
public import RedisClient

/// What must hold before a program takes part: the functions are in Redis, its settings keep what is accepted, and
/// PostgreSQL has the schema of this release.
public struct StartupCheck: Sendable {
    private let redis: RedisClient
    private let migrator: Migrator
    private let durability: DurabilityReport.Requirement
    private let logger: Logger

    /// Names what is looked at.
    public init(
        redis: RedisClient, migrator: Migrator, durability: DurabilityReport.Requirement,
        logger: Logger
    ) {
        self.redis = redis
        self.migrator = migrator
        self.durability = durability
        self.logger = logger
    }

    /// Looks at everything once; a server that is away is waited for, logged once.
    /// - Throws: ``QueueError`` or ``StoreError`` for what waiting does not mend, `CancellationError` when stopped.
    public func pass() async throws {
        try await waiting("Redis") { error in
            (error as? QueueError)?.isTransient ?? false
        } for: {
            _ = try await FunctionLibrary.current.install(on: redis)
            try await DurabilityReport.read(from: redis).enforce(durability, logger: logger)
        }
        try await waiting("PostgreSQL") { error in
            (error as? StoreError)?.isTransient ?? false
        } for: {
            try await migrator.requireCurrent()
        }
    }

    private func waiting(
        _ server: String, isTransient: (any Error) -> Bool, for check: () async throws -> Void
    ) async throws {
        var isAway = false
        while true {
            do {
                return try await check()
            } catch  where isTransient(error) {
                if !isAway { logger.warning("waiting for \(server)", metadata: ["fault": "\(error)"]) }
                isAway = true
                try await Task.sleep(for: .milliseconds(500))
            }
        }
    }
}
