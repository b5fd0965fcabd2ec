import CaptureModel
package import PostgresClient
package import RedisClient

extension Settings {
    /// How to reach Redis.
    package func redisConfiguration(name: String) throws(SettingsError) -> RedisConfiguration {
        var configuration = try redisAddress()
        configuration.clientName = name
        configuration.connectTimeout = duration(.redisConnectTimeout)
        configuration.commandTimeout = duration(.redisCommandTimeout)
        configuration.sendTimeout = duration(.redisSendTimeout)
        configuration.pipelineDepthMax = integer(.redisPipelineDepthMax)
        configuration.backlogMax = integer(.redisBacklogMax)
        configuration.backlogBytesMax = bytes(.redisBacklogBytesMax)
        configuration.replyBytesMax = bytes(.redisReplyBytesMax)
        configuration.tls = try redisTLS(of: configuration)
        do throws(RedisError) {
            try configuration.validate()
        } catch {
            // Settings have narrower ranges than the client, so only the name can be wrong: it contains the host's.
            throw SettingsError("redis: \(error)")
        }
        return configuration
    }

    /// Where Redis is, without user and password: its address, and its database unless that is 0.
    package func redisPlace() throws(SettingsError) -> String {
        let configuration = try redisAddress()
        return "\(configuration.address)" + (configuration.database == 0 ? "" : ", database \(configuration.database)")
    }

    /// What the address itself says, beside the defaults of all else.
    private func redisAddress() throws(SettingsError) -> RedisConfiguration {
        do throws(RedisError) {
            return try RedisConfiguration(url: required(.redisURL))
        } catch {
            // The text of the error never contains the address, which may contain a password.
            throw refusal(of: .redisURL, error.message)
        }
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

    /// PostgreSQL's database and where it is, without user and password.
    package var postgresPlace: String { "\(DatabaseAddress(conninfo: required(.postgresURL)))" }

    /// Which server a secret address leads to, as whoever looks at settings has to know; `nil` for any other setting.
    func place(of setting: Setting) -> String? {
        if setting.key == Setting.postgresURL.key { return postgresPlace }
        guard setting.key == Setting.redisURL.key else { return nil }
        // A start refuses a malformed one before anything is shown.
        do throws(SettingsError) { return try redisPlace() } catch { return nil }
    }

    /// Refuses a malformed address of PostgreSQL before anything connects.
    func requirePostgresAddress() throws(SettingsError) {
        do throws(PostgresError) {
            try PostgresConfiguration(conninfo: required(.postgresURL)).validate()
        } catch {
            // The text of the error never contains the address, which may contain a password.
            throw refusal(of: .postgresURL, error.message)
        }
    }

    /// How to reach PostgreSQL.
    package func postgresConfiguration(name: String) -> PostgresConfiguration {
        var configuration = PostgresConfiguration(conninfo: required(.postgresURL))
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

    /// How long work in flight may take after SIGTERM.
    package var stopLimit: Duration { duration(.stopLimit) }
}
