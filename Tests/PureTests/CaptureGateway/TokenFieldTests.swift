import CaptureModel
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

    @Test func `the token of a field that is in several lists is of the one with the most rights`() {
        let listed = [SHA256Digest.hash(Array("x".utf8))]
        func reader(operators: [SHA256Digest], evidenceReaders: [SHA256Digest]) -> Reader? {
            ReaderTokens(readers: listed, evidenceReaders: evidenceReaders, operators: operators).reader(bearing: "x")
        }
        #expect(reader(operators: listed, evidenceReaders: listed) == .operatorToken)
        #expect(reader(operators: [], evidenceReaders: listed) == .evidenceToken)
        #expect(reader(operators: [], evidenceReaders: []) == .readToken)
    }
}
