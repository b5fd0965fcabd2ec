import HTTPTypes
import Testing

@testable import CaptureGateway

@Suite("The token of a field")
struct TokenFieldTests {
    @Test(arguments: ["Bearer x", "bearer x", "BEARER  x", "Bearer    x"])
    func `the token of a field follows any number of blanks`(field: String) {
        #expect(ReaderTokens.token(in: [.authorization: field]) == "x")
    }

    @Test(arguments: ["", "Bearer", "Bearer ", "Bearer   ", "Basic x", "x"])
    func `a field without a token, or of another scheme, has none`(field: String) {
        #expect(ReaderTokens.token(in: [.authorization: field]) == nil)
    }
}
