import AppAttest
import CaptureModel
import CaptureQueue
import MultiBufferP256

extension CaptureVerifier {
    /// A capture with all that is known of it before it is verified.
    struct Candidate: Sendable {
        let claimed: ClaimedJob
        let media: HashedMedia
        let device: KnownDevice?
        /// What the device claims to have signed; `nil` without a device, bytes or a job that can be read.
        private(set) var signed: Result<SignedAssertion, Rejection>?

        /// Proves the signatures of several candidates at once, and marks the candidates whose signatures are good.
        static func prove(_ candidates: inout [Candidate], by prover: SignatureProver) {
            var places: [Int] = []
            var signed: [SignedAssertion] = []
            for (place, candidate) in candidates.enumerated() {
                guard case .success(let one)? = candidate.signed else { continue }
                places.append(place)
                signed.append(one)
            }
            SignedAssertion.prove(&signed, by: prover)
            for (place, one) in zip(places, signed) { candidates[place].signed = .success(one) }
        }
    }

    /// Why an assertion is not believed.
    struct Rejection: Error {
        let reason: Reason
    }
}
