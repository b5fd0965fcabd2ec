package import CaptureModel
import PostgresClient
import RedisClient

extension Settings {
    /// Reports how servers are reached unsafely: passwords and captures in clear, or sent to any server that answers.
    ///
    /// All of these are precautions: the operator may know that nobody else uses the network.
    package func transportProblems() throws(SettingsError) -> [SettingProblem] {
        let record = DatabaseAddress(conninfo: postgresConfiguration(name: "transport").conninfo)
        let redis = try redisConfiguration(name: "transport")
        return [Self.problem(of: redis), Self.problem(of: record)].compactMap { $0 }
    }

    private static func problem(of redis: RedisConfiguration) -> SettingProblem? {
        guard redis.tls == nil, case .tcp(let host, _) = redis.address, !isOfThisMachine(host) else { return nil }
        return SettingProblem(
            setting: Setting.redisURL.key, value: "redis:// to another machine", needed: "rediss://",
            consequence: "whoever is on the way reads the password and the captures, and may answer in Redis's place",
            gravity: .precaution)
    }

    private static func problem(of record: DatabaseAddress) -> SettingProblem? {
        guard record.sslMode != "verify-full", !record.networkHosts.allSatisfy(isOfThisMachine) else { return nil }
        let stranger = record.sslMode == "verify-ca" ? "whoever has a certificate of the same root" : "whoever answers"
        return SettingProblem(
            setting: "sslmode in \(Setting.postgresURL.key)", value: record.sslMode, needed: "verify-full",
            consequence: "\(stranger) in PostgreSQL's place may get the password and the results",
            gravity: .precaution)
    }

    private static func isOfThisMachine(_ host: String) -> Bool {
        ["localhost", "::1"].contains(host)
            || host.hasPrefix("127.") && host.allSatisfy { $0 == "." || $0.isASCII && $0.isNumber }
    }
}
