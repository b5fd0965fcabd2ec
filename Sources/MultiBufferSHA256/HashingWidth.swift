import CMultiBufferSHA256
package import CProcessor

/// How many messages are hashed side by side, and with which instructions.
package enum HashingWidth: Int, Sendable, CaseIterable {
    /// One after the other by libcrypto, which knows the instructions of every processor.
    case one = 1
    /// Two, with the SHA instructions of x86-64.
    case two = 2
    /// Eight, with AVX2.
    case eight = 8
    /// Sixteen, with AVX-512.
    case sixteen = 16

    /// The number of messages side by side.
    package var lanes: Int { rawValue }

    /// Whether this processor and its operating system support it.
    package var isAvailable: Bool {
        if self == .one { return true }
        return unsafe cmb_sha256_kernel_of(Self.processor, lanes) != nil
    }

    /// Read once: reading it exits a virtual machine, which takes longer than hashing a batch of small messages.
    static let processor = processor_features_read()

    /// The fastest width on this processor; see ``fastest(on:)``.
    package static let fastest = fastest(on: processor)

    /// The fastest width for a processor's features.
    ///
    /// GB/s of ``MessageHasher`` on one core of a Zen 5 at 3.9 GHz, the SHA instructions masked from libcrypto for the
    /// second line of each size, best of three rounds in turn for 4 KB, seven for 3 MB:
    ///
    /// | messages | SHA instructions | swift-crypto | one | two | eight | sixteen |
    /// |---|---|---|---|---|---|---|
    /// | 64 of 4 KB | yes | 1.67 | 1.67 | 2.47 | 1.56 | 4.36 |
    /// | | no | 0.51 | 0.63 | – | 1.58 | 4.33 |
    /// | 32 of 3 MB | yes | 1.70 | 1.70 | 2.66 | 1.63 | 4.72 |
    /// | | no | 0.52 | 0.66 | – | 1.67 | 4.96 |
    ///
    /// So sixteen lanes come first and eight last. Two lanes make the most of the four cycles of `sha256rnds2`, which
    /// Intel's and AMD's processors have in common.
    package static func fastest(on processor: processor_features) -> HashingWidth {
        if processor.avx512 { return .sixteen }
        if processor.sha { return .two }
        if processor.avx2 { return .eight }
        return .one
    }

    /// The width that finishes the remaining messages when too few lanes are busy.
    var narrower: HashingWidth { self == .sixteen && HashingWidth.two.isAvailable ? .two : .one }

    /// With fewer messages than this the narrower width is faster: an empty lane costs as much as a full one.
    ///
    /// From the table of ``fastest(on:)``: lanes × the rate of the narrower ÷ the rate of all. For sixteen before two
    /// that is 9 to 10. It is 12 for the sake of processors that, by their documentation, need two cycles where a Zen 5
    /// needs one; none of these was measured.
    var lanesWorthwhile: Int {
        switch self {
        case .one: 1
        case .two: 2
        case .eight: 4
        case .sixteen: narrower == .two ? 12 : 4
        }
    }
}
