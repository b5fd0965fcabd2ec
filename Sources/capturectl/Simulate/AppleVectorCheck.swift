import CaptureModel
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

    /// The members of a vector that are used; binary ones are base64.
    private struct Vector: Decodable {
        struct Assertion: Decodable {
            var assertion: String
            var clientDataHash: String
            var previousCounter: Int64
        }

        var appId: String
        var keyId: String
        var attestation: String
        var clientDataHash: String
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

    /// Asks as `attestation verify` and `assertion verify` do, so that all of them accept the same.
    private static func verify(_ vector: Vector, _ result: inout Result) {
        let attested = attestationAnswer(vector)
        guard attested.verdict == .accepted, let key = attested.publicKey, let findings = attested.attestation else {
            result.attestation = words(forRefusal: attested)
            result.passed = false
            return
        }
        result.attestation =
            "verified: \(findings.environment ?? "unknown"), iOS \(findings.osVersion ?? "unknown"), "
            + "trust root \(findings.trustRoot?.name ?? "unknown")"
        let refused = vector.assertions.lazy
            .map { assertionAnswer($0, of: vector, key) }
            .first { $0.verdict != .accepted }
        result.assertions = refused.map(words(forRefusal:)) ?? "\(vector.assertions.count) verified"
        result.passed = refused == nil
    }

    private static func attestationAnswer(_ vector: Vector) -> VerificationAnswer {
        var fields = VerificationFields()
        fields.appIDs = [vector.appId]
        fields.bytes[.keyID] = .base64(vector.keyId)
        fields.bytes[.attestation] = .base64(vector.attestation)
        fields.bytes[.clientDataHash] = .base64(vector.clientDataHash)
        fields.environment = "any"
        fields.at = vector.validAt
        do throws(VerificationFault) {
            var question = AttestationQuestion(now: Timestamp.systemTime)
            return try question.answer(fields)
        } catch {
            return VerificationAnswer(error)
        }
    }

    private static func assertionAnswer(
        _ assertion: Vector.Assertion, of vector: Vector, _ key: [UInt8]
    ) -> VerificationAnswer {
        var fields = VerificationFields()
        fields.appIDs = [vector.appId]
        fields.bytes[.publicKey] = .content(key)
        fields.bytes[.assertion] = .base64(assertion.assertion)
        fields.bytes[.clientDataHash] = .base64(assertion.clientDataHash)
        fields.previousCounter = assertion.previousCounter
        do throws(VerificationFault) {
            return try AssertionQuestion().answer(fields)
        } catch {
            return VerificationAnswer(error)
        }
    }

    /// The reason and its detail; both are there in every answer that does not accept.
    private static func words(forRefusal answer: VerificationAnswer) -> String {
        "refused: \(answer.reason ?? "unknown"): \(answer.detail ?? "unknown")"
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
