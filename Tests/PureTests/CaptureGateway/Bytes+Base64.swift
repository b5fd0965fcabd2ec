import FoundationEssentials

extension [UInt8] {
    var base64: String { Data(self).base64EncodedString() }
}
