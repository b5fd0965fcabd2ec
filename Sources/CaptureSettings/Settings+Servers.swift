import CaptureModel
package import PostgresClient
package import RedisCaptureQueue
package import RedisClient

extension Settings {
    /// How to reach Redis.
    package func redisConfiguration(name: String) throws(SettingsError) -> RedisConfiguration {
        var configuration: RedisConfiguration
        do throws(RedisError) {
            configuration = try RedisConfiguration(url: text(.redisURL) ?? "")
        } catch {
            // The text of the error never contains the address, which may contain a password.
            throw SettingsError("\(Setting.redisURL.key): \(error)")
        }
        configuration.clientName = name
        configuration.connectTimeout = duration(.redisConnectTimeout)
        configuration.commandTimeout = duration(.redisCommandTimeout)
        configuration.sendTimeout = duration(.redisSendTimeout)
        configuration.pipelineDepthMax = integer(.redisPipelineDepthMax)
        configuration.backlogMax = integer(.redisBacklogMax)
        configuration.backlogBytesMax = bytes(.redisBacklogBytesMax)
        configuration.replyBytesMax = bytes(.redisReplyBytesMax)
        configuration.tls = try redisTLS(of: configuration)
        try requireRoomInQueue()
        try requireRoomForBundles()
        try requireAgeOfOrphans()
        do throws(RedisError) {
            try configuration.validate()
        } catch {
            // Settings have narrower ranges than the client, so only the name can be wrong: it contains the host's.
            throw SettingsError("redis: \(error)")
        }
        return configuration
    }

    /// Roots, certificate and key for a `rediss://` address.
    private func redisTLS(of configuration: RedisConfiguration) throws(SettingsError) -> RedisTLS? {
        let (roots, certificate, key) = (text(.redisTLSRoots), text(.redisTLSCertificate), text(.redisTLSKey))
        let given: [(Setting, String?)] = [
            (.redisTLSRoots, roots), (.redisTLSCertificate, certificate), (.redisTLSKey, key),
        ]
        guard var tls = configuration.tls else {
            // An operator who names these files wants TLS, and would not notice that it is missing.
            for (setting, file) in given where file != nil {
                throw SettingsError("\(setting.key): is for a rediss:// in \(Setting.redisURL.key)")
            }
            return nil
        }
        guard (certificate == nil) == (key == nil) else {
            throw SettingsError(
                "\(Setting.redisTLSCertificate.key) and \(Setting.redisTLSKey.key): both are needed, or neither")
        }
        (tls.rootsFile, tls.certificateFile, tls.privateKeyFile) = (roots, certificate, key)
        do throws(RedisTLS.FileFault) {
            try tls.checkFiles()
        } catch {
            let setting: Setting =
                switch error.purpose {
                case .roots: .redisTLSRoots
                case .certificate: .redisTLSCertificate
                case .privateKey: .redisTLSKey
                }
            throw SettingsError("\(setting.key): \(error)")
        }
        return tls
    }

    /// Requires that every partition has room for the largest bundle, which it would otherwise always refuse.
    private func requireRoomInQueue() throws(SettingsError) {
        let bytesMin = integer(.queuePartitions) * (bytes(.photoBytesMax) + bytes(.depthBytesMax))
        guard bytes(.queueBytesMax) >= bytesMin else {
            throw SettingsError(
                "\(Setting.queueBytesMax.key): takes at least \(bytesMin): capture.photoBytesMax and "
                    + "capture.depthBytesMax together, for each of \(Setting.queuePartitions.key)")
        }
    }

    /// Requires room for the largest bundle when Redis holds the bytes: each is one command and one answer.
    private func requireRoomForBundles() throws(SettingsError) {
        guard bundleStore == .redis else { return }
        // The two sizes, plus the commands and the framing.
        let bundle = bytes(.photoBytesMax) + bytes(.depthBytesMax) + 4096
        for setting in [Setting.redisBacklogBytesMax, .redisReplyBytesMax] where bytes(setting) < bundle {
            throw SettingsError(
                "\(setting.key): takes at least \(bundle): capture.photoBytesMax and capture.depthBytesMax together")
        }
    }

    /// A gateway's connection to Redis for requests that wait: small questions, answered soon or not at all.
    /// - Parameter isForBytes: Bundles are large, and may take twice as long.
    package func redisGatewayConfiguration(
        name: String, isForBytes: Bool = false
    ) throws(SettingsError) -> RedisConfiguration {
        var configuration = try redisConfiguration(name: name)
        let limit = duration(.gatewayServerTimeout) * (isForBytes ? 2 : 1)
        configuration.commandTimeout = min(configuration.commandTimeout, limit)
        return configuration
    }

    /// How many connections share the commands.
    package var redisConnections: Int { integer(.redisConnections) }

    /// Refuses a malformed address of PostgreSQL before anything connects.
    func requirePostgresAddress() throws(SettingsError) {
        do throws(PostgresError) {
            try PostgresConfiguration(conninfo: text(.postgresURL) ?? "").validate()
        } catch {
            // The text of the error never contains the address, which may contain a password.
            throw SettingsError("\(Setting.postgresURL.key): \(error.message)")
        }
    }

    /// How to reach PostgreSQL.
    package func postgresConfiguration(name: String) -> PostgresConfiguration {
        var configuration = PostgresConfiguration(conninfo: text(.postgresURL) ?? "")
        configuration.applicationName = name
        configuration.connectionsMax = integer(.postgresConnectionsMax)
        configuration.connectTimeout = duration(.postgresConnectTimeout)
        configuration.acquireTimeout = duration(.postgresAcquireTimeout)
        // A probe waits for a second, unless a setting says otherwise.
        configuration.pingAcquireTimeout = .milliseconds(500)
        configuration.waitersMax = integer(.postgresWaitersMax)
        configuration.statementTimeout = duration(.postgresStatementTimeout)
        configuration.lockTimeout = duration(.postgresLockTimeout)
        return configuration
    }

    /// A gateway's connection to PostgreSQL: small questions, answered soon or not at all.
    package func postgresGatewayConfiguration(name: String) -> PostgresConfiguration {
        var configuration = postgresConfiguration(name: name)
        let limit = duration(.gatewayServerTimeout)
        configuration.statementTimeout = min(configuration.statementTimeout, limit)
        configuration.lockTimeout = min(configuration.lockTimeout, limit)
        configuration.connectTimeout = min(configuration.connectTimeout, limit)
        configuration.acquireTimeout = min(configuration.acquireTimeout, limit)
        configuration.pingAcquireTimeout = duration(.gatewayReadinessTimeout) / 2
        // PostgreSQL itself ends a statement in time; if it does not even do that, it is away.
        configuration.answerGrace = .milliseconds(500)
        return configuration
    }

    /// A worker's connection to PostgreSQL: it notices an obstacle while there is time to divide the batch.
    ///
    /// If it waited for a lock as long as a batch is held, one row would put off every device of its batch.
    package func postgresWorkerConfiguration(name: String) -> PostgresConfiguration {
        var configuration = postgresConfiguration(name: name)
        let hold = duration(.workerOutageHold)
        // On a busy server a lock may take a tenth of a second and a statement a second: even with a short hold, these
        // do not count as conflicts.
        configuration.lockTimeout = min(configuration.lockTimeout, max(hold / 4, .milliseconds(100)))
        configuration.statementTimeout = min(configuration.statementTimeout, max(hold / 2, .seconds(1)))
        configuration.pingAcquireTimeout = duration(.workerReadinessTimeout) / 2
        return configuration
    }

    /// The names of the queue's keys.
    package func keyspace() throws(SettingsError) -> Keyspace {
        guard let keyspace = Keyspace(partitions: integer(.queuePartitions)) else {
            let setting = Setting.queuePartitions
            throw SettingsError("\(setting.key): takes a power of two, \(setting.range)")
        }
        return keyspace
    }

    /// Limits and times of the queue.
    package var queueConfiguration: RedisQueueConfiguration {
        var configuration = RedisQueueConfiguration()
        configuration.capturesMax = integer(.queueCapturesMax)
        configuration.bytesMax = bytes(.queueBytesMax)
        configuration.capturesPerDeviceMax =
            text(.queueCapturesPerDeviceMax) == nil
            ? deviceShare(of: configuration.capturesMax, ordinarily: 5) : integer(.queueCapturesPerDeviceMax)
        configuration.bytesPerDeviceMax =
            text(.queueBytesPerDeviceMax) == nil
            ? deviceShare(of: configuration.bytesMax, ordinarily: 10) : bytes(.queueBytesPerDeviceMax)
        configuration.leaseDuration = duration(.queueLease)
        configuration.leaseAgeMax = max(configuration.leaseAgeMax, duration(.workerOutageHold) * 4)
        configuration.deliveriesMax = integer(.queueDeliveriesMax)
        configuration.statusRetention = duration(.queueStatusRetention)
        configuration.acceptedRetention = duration(.queueAcceptedRetention)
        configuration.hasLedger = durability == .ledger
        return configuration
    }

    /// One device's share of a limit of the queue, at most half of its partition's.
    private func deviceShare(of limit: Int, ordinarily divisor: Int) -> Int {
        max(1, min(limit / divisor, limit / integer(.queuePartitions) / 2))
    }

    /// How long work in flight may take after SIGTERM.
    package var stopLimit: Duration { duration(.stopLimit) }
}
