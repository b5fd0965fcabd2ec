import SwiftASN1

/// Reads the fields of a receipt with the BER reader of swift-asn1, without verifying the signature.
package enum ReceiptReader {
    /// The values by the numbers of their fields.
    package static func fields(_ receipt: [UInt8]) throws(SimulatorError) -> [UInt8: [UInt8]] {
        do {
            let message = try children(try BER.parse(receipt))
            let data = try children(try child(try children(try child(message, 1)), 0))
            let octets = try child(try children(try child(try children(try child(data, 2)), 1)), 0)
            var fields: [UInt8: [UInt8]] = [:]
            for entry in try children(try BER.parse(bytes(octets))) {
                let parts = try children(entry)
                let number = try UInt8(derEncoded: try child(parts, 0))
                fields[number] = bytes(try child(parts, 2))
            }
            return fields
        } catch {
            throw SimulatorError(.receipt, "the bytes are not a receipt")
        }
    }

    private struct Malformed: Error {}

    private static func children(_ node: ASN1Node) throws -> [ASN1Node] {
        guard case .constructed(let nodes) = node.content else { throw Malformed() }
        return Array(nodes)
    }

    private static func child(_ nodes: [ASN1Node], _ index: Int) throws -> ASN1Node {
        guard nodes.indices.contains(index) else { throw Malformed() }
        return nodes[index]
    }

    /// The octets of a string, with its pieces joined.
    private static func bytes(_ node: ASN1Node) -> [UInt8] {
        switch node.content {
        case .primitive(let bytes): Array(bytes)
        case .constructed(let pieces): pieces.flatMap { bytes($0) }
        }
    }
}
