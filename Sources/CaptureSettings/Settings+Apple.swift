package import AppleDeviceCheck
import FoundationEssentials

extension Settings {
    /// The developer's key, read from its file; `nil` when none is configured, so that no request goes to Apple.
    package func developerKey() throws(SettingsError) -> DeveloperKey? {
        guard let path = text(.appleKeyFile) else { return nil }
        let pem = try Self.contents(of: path, namedBy: .appleKeyFile)
        do throws(DeveloperKey.Fault) {
            return try DeveloperKey(pem: pem, keyID: text(.appleKeyID) ?? "", teamID: text(.appleTeamID) ?? "")
        } catch {
            switch error {
            // The last two are faults of a token, and none is made here.
            case .key, .signature, .moment:
                throw SettingsError("apple.keyFile: \(path): holds no P-256 key in PEM form")
            case .keyID: throw refusal(of: .appleKeyID, "takes ten capital letters and digits")
            case .teamID: throw refusal(of: .appleTeamID, "takes ten capital letters and digits")
            }
        }
    }

    /// Refuses a threshold of the risk without a key for Apple.
    ///
    /// Every device would be without a metric, and that would count as missing evidence.
    func requireKeyForRisk() throws(SettingsError) {
        guard text(.receiptsRiskWarning) != nil, text(.appleKeyFile) == nil else { return }
        throw SettingsError("receipts.riskWarning: takes apple.keyFile as well; without it no risk is ever known")
    }

    /// Bounds on one request to Apple.
    package var appleLimits: AppleServer.Limits {
        var limits = AppleServer.Limits()
        limits.timeout = duration(.appleTimeout)
        return limits
    }

    /// Bounds on the tries of one DeviceCheck request, for which a registration waits: all tries share the time of one.
    package var deviceCheckRetries: DeviceCheckClient.RetryPolicy {
        var retries = DeviceCheckClient.RetryPolicy()
        retries.timeout = duration(.appleTimeout)
        return retries
    }

    /// The hosts that exchange receipts.
    package func receiptHosts() throws(SettingsError) -> AppleHosts {
        AppleHosts(
            production: try appleURL(.appleReceiptsURL), development: try appleURL(.appleReceiptsDevelopmentURL))
    }

    /// The hosts that answer about devices without App Attest.
    package func deviceCheckHosts() throws(SettingsError) -> AppleHosts {
        AppleHosts(
            production: try appleURL(.appleDeviceCheckURL), development: try appleURL(.appleDeviceCheckDevelopmentURL))
    }

    /// An address without its user and password, for the message that refuses it.
    static func shown(address: String) -> String {
        guard let end = address.lastIndex(of: "@") else { return address }
        return "…" + address[end...]
    }

    /// An address for the developer's token, which must not cross a network in the clear.
    func appleURL(_ setting: Setting) throws(SettingsError) -> String {
        let text = required(setting)
        guard let url = URL(string: text), let host = url.host(), url.query() == nil, url.fragment() == nil,
            url.user() == nil, url.password() == nil,
            url.scheme == "https" || (url.scheme == "http" && ["127.0.0.1", "::1", "localhost"].contains(host))
        else {
            throw refusal(
                of: setting,
                "is no https address, or has a query, a fragment or a user in it; http is taken for 127.0.0.1, ::1 and "
                    + "localhost only")
        }
        return text.hasSuffix("/") ? String(text.dropLast()) : text
    }
}
