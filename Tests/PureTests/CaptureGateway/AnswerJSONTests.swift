import Testing

@testable import CaptureGateway

@Suite("JSON of answers")
struct AnswerJSONTests {
    @Test func `an answer that cannot be written is a fault of the system, of which only the type is logged`() {
        let fault = #expect(throws: APIError.self) { try AnswerJSON.encoded(["distance": Double.nan]) }
        #expect(fault?.code == .internalError && fault?.cause == .fault("EncodingError"))
    }
}
