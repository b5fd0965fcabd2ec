package import CaptureModel
package import Enrolment

/// The data that finalizes an enrolment.
package struct EnrolmentCompletion: Sendable, Equatable {
    /// The transaction key that the credential is sealed with: used up.
    package let key: TransactionKeyID
    /// SHA-256 of the token.
    package let token: SHA256Digest
    /// SHA-256 of the credential.
    package let credential: SHA256Digest
    /// The sealed answer.
    package let package: [UInt8]

    /// Memberwise.
    package init(key: TransactionKeyID, token: SHA256Digest, credential: SHA256Digest, package: [UInt8]) {
        self.key = key
        self.token = token
        self.credential = credential
        self.package = package
    }
}
