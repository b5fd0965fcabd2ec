package import CaptureModel
package import FoundationEssentials

/// The contents of a receipt: numbered fields in Apple's order, which can be changed before they are signed.
package struct ReceiptContent: Sendable {
    /// The fields in the order of the SET.
    package var fields: [Field]

    /// One numbered value.
    package struct Field: Sendable, Equatable {
        /// Apple's number for it.
        package var number: UInt8
        /// Its octets, mostly text.
        package var value: [UInt8]

        /// Pairs a number with octets.
        package init(_ number: UInt8, _ value: [UInt8]) {
            self.number = number
            self.value = value
        }

        init(_ number: UInt8, _ text: String) { self.init(number, Array(text.utf8)) }
    }

    /// A receipt's lifetime: Apple's are valid for 90 days, and may be renewed a day after they were made.
    static let lifetime: TimeInterval = 90 * 86_400
    static let renewalDelay: TimeInterval = 86_400

    /// The contents of the receipt inside of an attestation.
    /// - Parameters:
    ///   - certificate: The attestation's leaf as DER.
    ///   - token: The base64 text that all receipts of the key share.
    package init(
        appID: String, certificate: [UInt8], clientDataHash: [UInt8], token: String, environment: KeyEnvironment,
        at moment: Date
    ) {
        fields = [
            Field(2, appID), Field(3, certificate), Field(4, clientDataHash), Field(5, token), Field(6, "ATTEST"),
            Field(7, Self.name(environment)), Field(12, Self.time(moment)),
            Field(21, Self.time(moment.addingTimeInterval(Self.lifetime))),
        ]
    }

    /// The contents of a receipt with which Apple's server renews another.
    init(renewing earlier: [UInt8: [UInt8]], riskMetric: Int, at moment: Date) {
        func kept(_ number: UInt8) -> Field { Field(number, earlier[number] ?? []) }
        // Apple's renewed receipts hold the clientDataHash as text, with invalid UTF-8 replaced.
        let mangled = String(decoding: earlier[4] ?? [], as: UTF8.self)
        fields = [
            Field(17, "\(riskMetric)"), Field(6, "RECEIPT"), kept(2), kept(3), Field(4, mangled), kept(5), kept(7),
            Field(12, Self.time(moment)), Field(19, Self.time(moment.addingTimeInterval(Self.renewalDelay))),
            Field(21, Self.time(moment.addingTimeInterval(Self.lifetime))),
        ]
    }

    /// The value of a field; setting `nil` removes the field.
    package subscript(_ number: UInt8) -> [UInt8]? {
        get { fields.first { $0.number == number }?.value }
        set {
            guard let index = fields.firstIndex(where: { $0.number == number }) else {
                if let newValue { fields.append(Field(number, newValue)) }
                return
            }
            if let newValue { fields[index].value = newValue } else { fields.remove(at: index) }
        }
    }

    /// A time in the form of receipts, with milliseconds.
    package static func time(_ moment: Date) -> String {
        Date.ISO8601FormatStyle(includingFractionalSeconds: true).format(moment)
    }

    private static func name(_ environment: KeyEnvironment) -> String {
        switch environment {
        case .production: "production"
        case .development: "sandbox"
        }
    }

    /// The SET as DER, except that its elements are unsorted, as in Apple's receipts.
    var encoded: [UInt8] {
        BERWriter.definite(
            BERWriter.set,
            fields.flatMap { field in
                BERWriter.definite(
                    BERWriter.sequence,
                    BERWriter.definite(0x02, [field.number]) + BERWriter.definite(0x02, [1])
                        + BERWriter.definite(0x04, field.value))
            })
    }
}
