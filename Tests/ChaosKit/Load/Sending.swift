package import CaptureModel

/// What a phone sends, and what has to become of it.
package struct Sending: Sendable {
    /// Kinds of captures and of sending them.
    package enum Kind: String, Sendable, CaseIterable {
        /// A capture as it should be.
        case genuine
        /// A genuine one that is sent to two gateways at once, as a phone does that loses patience.
        case doubled
        /// An assertion that was used before, with other metadata.
        case replayed
        /// Another capture signed with a counter that was used before.
        case reused
        /// Another capture signed with a lower counter that was never used.
        case stale
        /// The photo was changed after signing.
        case tamperedPhoto
        /// The depth map was changed after signing.
        case tamperedDepth
    }

    /// A verdict and its reason.
    package enum Verdict: Sendable, Hashable, CustomStringConvertible {
        /// It counts.
        case verified
        /// It does not.
        case rejected(Reason)

        /// The verdict in the record's words.
        package var description: String {
            switch self {
            case .verified: "verified"
            case .rejected(let reason): "rejected \(reason.rawValue)"
            }
        }
    }

    /// What makes a bundle the same bundle.
    package struct BundleKey: Sendable, Hashable, CustomStringConvertible {
        /// Device and the digests of everything that was sent, in the order of the record's query.
        package let description: String

        /// Names a bundle by all that it consists of.
        package init(
            device: DeviceID, assertion: SHA256Digest, photo: SHA256Digest, depth: SHA256Digest, metadata: SHA256Digest
        ) {
            description = "\(device) \(assertion.hex) \(photo.hex) \(depth.hex) \(metadata.hex)"
        }

        /// Takes over a key as the record tells it.
        package init(text: String) { description = text }
    }

    /// What kind it is.
    package let kind: Kind
    /// Who sends it.
    package let device: DeviceID
    /// Its place among what the device sends, from 0.
    package let number: Int
    /// The counter that it carries.
    package let counter: UInt32
    /// What was sent.
    package let bundle: BundleKey

    /// What has to become of it.
    package var expected: Verdict {
        switch kind {
        case .genuine, .doubled: .verified
        case .replayed, .reused: .rejected(.counterReplay)
        case .stale: .rejected(.counterStale)
        case .tamperedPhoto, .tamperedDepth: .rejected(.signatureInvalid)
        }
    }
}
