package import AppAttest
package import CaptureModel

extension GatewayConfiguration {
    /// Whose keys are taken, and what becomes of the others.
    package struct Trust: Sendable, Equatable {
        /// The apps whose keys are taken.
        package var appIDs: [AppID]
        /// The App Attest environments whose keys are taken.
        package var environments: Set<AttestEnvironment> = [.production]
        /// The roots that an attestation's chain may end in.
        package var roots: [TrustRoot] = [.appleAppAttestation]
        /// The roots that a receipt's chain may end in.
        package var receiptRoots: [TrustRoot] = [.appleRootG3]
        /// What becomes of a device whose attestation is not verified.
        package var registrationPolicy: RegistrationPolicy = .degrade
    }

    /// For how long something is good that a device presents.
    package struct Validity: Sendable, Equatable {
        /// How long a challenge may be presented.
        package var challengeLifetime: Duration = .seconds(300)
        /// How long the steps of an enrolment may take together.
        package var enrolmentLifetime: Duration = .seconds(1800)
        /// How far a signed request's timestamp may be from the server's time.
        package var requestWindow: Duration = .seconds(300)
    }

    /// Who may read and act besides devices: whoever holds a token, and has logged in with one.
    package struct Access: Sendable, Equatable {
        /// SHA-256 of the tokens that may read every capture.
        package var readTokenDigests: [SHA256Digest] = []
        /// SHA-256 of the tokens that may read every capture and its evidence.
        package var evidenceTokenDigests: [SHA256Digest] = []
        /// SHA-256 of the tokens of operators.
        package var operatorTokenDigests: [SHA256Digest] = []
        /// How long a login at the dashboard lasts.
        package var sessionLifetime: Duration = .seconds(28_800)
    }
}
