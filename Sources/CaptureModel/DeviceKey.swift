/// A device's public key, with what is known of it.
package enum DeviceKey: Sendable, Equatable {
    /// Apple attested that the key lives in a Secure Enclave, down to a configured root.
    ///
    /// It is a P-256 key in X9.63 form, 65 bytes, of this App Attest environment and this app id (team and bundle). The
    /// trust root that its certificate chain ended in is named `<common name> sha256:<hex>`.
    case attested(publicKey: [UInt8], environment: KeyEnvironment, appID: String, trustRoot: String)
    /// Nobody vouches for the key, for a reason that the registration has found.
    ///
    /// It is in X9.63 form, 65 bytes (P-256), or 32 raw bytes (Ed25519); `nil` when none could be read at registration.
    case unverified(Device.KeyAlgorithm, publicKey: [UInt8]?, reason: String?)
}

// Never inlined: the optimizer of Swift 6.3.1 fails where a page of the gateway reads several of these.
extension Device {
    /// What is known of the key.
    @inline(never)
    package var level: AttestationLevel {
        switch key {
        case .attested: .secureEnclave
        case .unverified: .unverified
        }
    }

    /// The kind of key.
    @inline(never)
    package var algorithm: KeyAlgorithm {
        switch key {
        case .attested: .p256
        case .unverified(let algorithm, _, _): algorithm
        }
    }

    /// The public key: X9.63, 65 bytes (P-256), or 32 raw bytes (Ed25519).
    ///
    /// `nil`: none could be read at registration.
    @inline(never)
    package var publicKey: [UInt8]? {
        switch key {
        case .attested(let publicKey, _, _, _): publicKey
        case .unverified(_, let publicKey, _): publicKey
        }
    }

    /// The App Attest environment of an attested key.
    @inline(never)
    package var environment: KeyEnvironment? {
        guard case .attested(_, let environment, _, _) = key else { return nil }
        return environment
    }

    /// The app id (team and bundle) that an attested key belongs to.
    @inline(never)
    package var appID: String? {
        guard case .attested(_, _, let appID, _) = key else { return nil }
        return appID
    }

    /// The trust root that an attested key's chain ended in: `<common name> sha256:<hex>`.
    @inline(never)
    package var trustRoot: String? {
        guard case .attested(_, _, _, let trustRoot) = key else { return nil }
        return trustRoot
    }

    /// Why the key is unverified; `nil` for an attested one.
    @inline(never)
    package var unverifiedReason: String? {
        guard case .unverified(_, _, let reason) = key else { return nil }
        return reason
    }
}
