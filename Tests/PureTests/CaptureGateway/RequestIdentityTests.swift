import Testing

@testable import CaptureGateway

@Suite struct `The id of a request` {
    @Test(
        arguments: [
            ("a", true), ("A.b_c-9", true), (String(repeating: "x", count: 128), true), ("", false),
            (String(repeating: "x", count: 129), false), ("a b", false), ("a\n", false), ("\u{E9}", false),
            ("a/b", false),
        ])
    func `the id of a request is taken over when it is as the API's description says`(text: String, isTaken: Bool)
        throws
    {
        #expect((RequestIdentity.accepted(text) != nil) == isTaken)
        #expect((try text.wholeMatch(of: Regex(RequestIdentity.pattern)) != nil) == isTaken)
    }
}
