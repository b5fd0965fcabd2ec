extension CBORValue {
    /// Encodes with shortest forms and definite lengths, so that one value has one encoding.
    ///
    /// A decoded value encodes to the very same bytes: maps keep the order of their entries.
    ///
    /// - Precondition: A ``simple(_:)`` is not one of the reserved values 24 to 31.
    public func encode() -> [UInt8] {
        var output: [UInt8] = []
        encode(into: &output)
        return output
    }

    /// Appends the encoding to existing bytes.
    ///
    /// - Precondition: A ``simple(_:)`` is not one of the reserved values 24 to 31.
    public func encode(into output: inout [UInt8]) {
        append(to: &output, takesReserved: false)
    }

    /// The bytes by which values are compared: the encoding, in which a reserved simple value has two bytes too.
    ///
    /// Nobody reads these two bytes, so that comparing need not end the process.
    var comparedBytes: [UInt8] {
        var output: [UInt8] = []
        append(to: &output, takesReserved: true)
        return output
    }

    private func append(to output: inout [UInt8], takesReserved: Bool) {
        switch self {
        case .unsigned(let number): Self.head(MajorType.unsigned, number, &output)
        case .negative(let number): Self.head(MajorType.negative, number, &output)
        case .bytes(let bytes):
            Self.head(MajorType.bytes, UInt64(bytes.count), &output)
            output += bytes
        case .text(let text):
            Self.head(MajorType.text, UInt64(text.utf8.count), &output)
            output += text.utf8
        case .array(let items):
            Self.head(MajorType.array, UInt64(items.count), &output)
            for item in items { item.append(to: &output, takesReserved: takesReserved) }
        case .map(let entries):
            Self.head(MajorType.map, UInt64(entries.count), &output)
            for entry in entries {
                entry.key.append(to: &output, takesReserved: takesReserved)
                entry.value.append(to: &output, takesReserved: takesReserved)
            }
        case .tagged(let tag, let value):
            Self.head(MajorType.tag, tag, &output)
            value.append(to: &output, takesReserved: takesReserved)
        case .bool(let flag): output.append(flag ? 0xF5 : 0xF4)
        case .null: output.append(0xF6)
        case .undefined: output.append(0xF7)
        case .simple(let number):
            precondition(takesReserved || !(24...31).contains(number), "the simple values 24 to 31 are reserved")
            Self.head(MajorType.simpleOrFloat, UInt64(number), &output)
        case .float(let number): Self.float(number, &output)
        }
    }

    /// The initial byte and the shortest argument after it (RFC 8949, 3).
    private static func head(_ type: UInt8, _ argument: UInt64, _ output: inout [UInt8]) {
        let kind = type << 5
        switch argument {
        case 0..<24: output.append(kind | UInt8(argument))
        case 24...0xFF: output += [kind | 24, UInt8(argument)]
        case 0x100...0xFFFF: bigEndian(kind | 25, UInt16(argument), &output)
        case 0x1_0000...0xFFFF_FFFF: bigEndian(kind | 26, UInt32(argument), &output)
        default: bigEndian(kind | 27, argument, &output)
        }
    }

    /// The shortest of the three widths that keeps the value; every NaN becomes the one of RFC 8949, 4.2.2.
    static func float(_ number: Double, _ output: inout [UInt8]) {
        if number.isNaN {
            output += [0xF9, 0x7E, 0x00]
        } else if let half = HalfPrecision.bits(of: number) {
            bigEndian(0xF9, half, &output)
        } else if Double(Float(number)) == number {
            bigEndian(0xFA, Float(number).bitPattern, &output)
        } else {
            bigEndian(0xFB, number.bitPattern, &output)
        }
    }

    private static func bigEndian<Number: FixedWidthInteger>(_ first: UInt8, _ number: Number, _ output: inout [UInt8])
    {
        output.append(first)
        for shift in stride(from: Number.bitWidth - 8, through: 0, by: -8) {
            output.append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }
}
