import AppAttest
import CaptureModel
import CaptureOperations
import Foundation
import SystemPackage

/// Verifies a real attestation and a real assertion by Apple, from a directory that the caller names.
///
/// The simulator's evidence chains to a test root; this shows that the same verifier accepts that of real phones.
enum AppleVectorCheck {
    /// The outcome.
    struct Result: Sendable, Encodable {
        /// The directory searched for vectors.
        var directory: String
        /// The vector's file name; `nil` if there is none.
        @OrNull var vector: String? = nil
        /// The attestation's findings, or why it was refused.
        @OrNull var attestation: String? = nil
        /// The assertions' findings, or why one was refused.
        @OrNull var assertions: String? = nil
        /// Whether no evidence was refused.
        var passed = true
    }

    /// The members of a vector that are used.
    private struct Vector: Decodable {
        struct Assertion: Decodable {
            var assertion: Data
            var clientDataHash: Data
            var previousCounter: Int64
        }

        var appId: String
        var keyId: Data
        var attestation: Data
        var clientDataHash: Data
        var validAt: String
        var assertions: [Assertion]
    }

    /// Takes the newest vector of a directory that has assertions.
    ///
    /// If it cannot be read, that is reported, and no older one is taken instead.
    static func run(in directory: String) -> Result {
        var result = Result(directory: directory)
        do {
            for name in try names(in: directory) {
                result.vector = name
                let file = try FileArgument.read("\(directory)/\(name)", bytesMax: FileArgument.bytesMax)
                let vector = try JSONDecoder().decode(Vector.self, from: Data(file))
                guard !vector.assertions.isEmpty else { continue }
                verify(vector, &result)
                return result
            }
            result.vector = nil
        } catch {
            result.attestation = "cannot be read: \(words(for: error))"
            result.passed = false
        }
        return result
    }

    /// The names of a directory's vectors, the newest first.
    private static func names(in directory: String) throws -> [String] {
        // Says why it cannot be read in fewer words than Foundation.
        try FileDescriptor.open(FilePath(directory), .readOnly, options: .directory).close()
        let names = try FileManager.default.contentsOfDirectory(atPath: directory)
        return names.filter { $0.hasPrefix("20") && $0.hasSuffix(".json") }.sorted(by: >)
    }

    /// Why a vector cannot be read, without the decoder's own text, which names types of this program.
    private static func words(for error: any Error) -> String {
        switch error {
        case let error as Errno: "\(error)"
        case is DecodingError: "it is not JSON, or it has not the members of a vector"
        default: "its directory cannot be listed"
        }
    }

    private static func verify(_ vector: Vector, _ result: inout Result) {
        guard let appID = AppID(vector.appId), let moment = Timestamp(rfc3339: vector.validAt) else {
            result.attestation = "the vector has no app id or time"
            result.passed = false
            return
        }
        let policy = AttestationPolicy(appIDs: [appID], environments: [.production, .development])
        do {
            let verified = try AttestationVerifier(policy: policy).verify(
                attestation: Array(vector.attestation), keyID: Array(vector.keyId),
                clientDataHash: Array(vector.clientDataHash), at: moment.date
            )
            result.attestation =
                "verified: \(verified.environment.rawValue), iOS \(verified.osVersion ?? "unknown"), "
                + "trust root \(verified.trustRoot.name)"
            result.assertions = try verify(vector.assertions, key: verified.publicKey, appID)
        } catch let error as AttestationError {
            result.attestation = "refused: \(error)"
            result.passed = false
        } catch {
            result.assertions = "refused: \(error)"
            result.passed = false
        }
    }

    private static func verify(
        _ assertions: [Vector.Assertion], key: [UInt8], _ appID: AppID
    ) throws(AppAttest.AssertionError) -> String {
        let key = try AssertionKey(x963: key)
        let verifier = AssertionVerifier()
        for assertion in assertions {
            let verified = try verifier.verify(
                Array(assertion.assertion), clientDataHash: Array(assertion.clientDataHash), publicKey: key,
                appID: appID
            )
            try verified.requireCounter(above: assertion.previousCounter)
        }
        return "\(assertions.count) verified"
    }
}

extension AppleVectorCheck.Result {
    /// A paragraph for people.
    var text: String {
        guard vector != nil || !passed else {
            return "There is no real vector of Apple's in \(directory): nothing of Apple's was verified."
        }
        return """
            \(passed ? "✓" : "✗") Apple's real vector \(vector ?? directory)
              attestation: \(attestation ?? "not verified")
              assertions:  \(assertions ?? "not verified")
            """
    }
}
