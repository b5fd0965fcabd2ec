import CaptureGateway
import HTTPTypes

/// A registration that is taken has a printable model of bounded length and a challenge of 32 bytes.
func fuzzRegistration(_ input: [UInt8]) throws(BrokenProperty) {
    let claim: RegistrationClaim
    do throws(APIError) {
        claim = try RegistrationClaim(body: input, headers: HTTPFields())
    } catch {
        try property(error.code == .validationError, "a body is refused for its fields")
        return
    }
    try property((1...64).contains(claim.model.utf8.count), "the model is bounded")
    try property(claim.model.utf8.allSatisfy { (0x20...0x7E).contains($0) }, "the model is printable")
    try property(claim.challenge.count == 32, "a challenge has 32 bytes")
}
