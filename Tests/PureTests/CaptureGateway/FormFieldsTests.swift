import PercentEncoding
import Testing

@testable import CaptureGateway

@Suite struct `Fields of forms and queries` {
    @Test func `fields of forms and queries are read back as they were written`() {
        let text = "a b&c=d%+ü\n\"'<"
        #expect(FormFields("x=\(PercentEncoding.encode(text))&x=2&y")["x"] == text)
        #expect(FormFields("x=1&x=2").all("x") == ["1", "2"])
        #expect(
            FormFields("x=%zz%4")["x"] == "%zz%4" && FormFields("x=a+b")["x"] == "a b" && FormFields("x=")["x"] == nil)
        #expect(FormFields("&&=&%00=1")["\0"] == "1")
    }
}
