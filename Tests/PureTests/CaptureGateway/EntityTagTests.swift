import Testing

@testable import CaptureGateway

@Suite struct `The tag of an answer` {
    private static let document = ["status": "queued"]

    @Test func `the tag of an answer is weak for a document, whose envelope differs, and strong for bytes`() throws {
        let weak = try EntityTag(of: Self.document)
        #expect(weak.field == "W/\"\(weak.eventID)\"")
        #expect(try weak.field.wholeMatch(of: Regex(EntityTag.weakPattern)) != nil)
        let strong = EntityTag(bytes: Array("body".utf8))
        #expect(strong.field == "\"\(strong.eventID)\"")
    }

    @Test(arguments: [true, false])
    func `the tag of an answer matches by what stands between the quotes`(isWeak: Bool) throws {
        let tag = try isWeak ? EntityTag(of: Self.document) : EntityTag(bytes: [1])
        let opaque = tag.eventID
        for known in ["\"\(opaque)\"", "W/\"\(opaque)\"", "\"a\",\t W/\"\(opaque)\" ", "*"] {
            #expect(tag.matches(ifNoneMatch: known), "\(known)")
        }
        for other in ["", opaque, "W/\(opaque)", "w/\"\(opaque)\"", "W/W/\"\(opaque)\"", "\"a\""] {
            #expect(!tag.matches(ifNoneMatch: other), "\(other)")
        }
    }
}
