import SwiftASN1

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension X509Certificate {
    /// Reads a UTCTime or a GeneralizedTime without fractions (RFC 5280, 4.1.2.5).
    static func time(_ nodes: inout ASN1NodeCollection.Iterator) throws -> Date {
        guard let node = nodes.next() else { throw Malformed() }
        guard node.identifier == .generalizedTime else {
            let time = try UTCTime(derEncoded: node)
            return GregorianTime.date(time.year, time.month, time.day, time.hours, time.minutes, time.seconds)
        }
        let time = try GeneralizedTime(derEncoded: node)
        guard time.rawFractionalSeconds.isEmpty else { throw Malformed() }
        return GregorianTime.date(time.year, time.month, time.day, time.hours, time.minutes, time.seconds)
    }
}
