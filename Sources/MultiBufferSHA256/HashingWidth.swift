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

    /// The messages side by side.
    package var lanes: Int { rawValue }

    /// Whether this processor and its operating system can do it.
    package var isAvailable: Bool {
        if self == .one { return true }
        return unsafe cmb_sha256_kernel_of(Self.processor, lanes) != nil
    }

    /// Asked once: the question leaves a virtual machine, and a batch of small messages is hashed in less time.
    static let processor = processor_features_read()

    /// What is fastest on this processor; see ``fastest(on:)``.
    package static let fastest = fastest(on: processor)

    /// The rule, for a processor's features.
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
    /// So sixteen lanes come first and eight last; two make the most of the four cycles of `sha256rnds2`, which Intel's
    /// and AMD's processors have in common.
    package static func fastest(on processor: processor_features) -> HashingWidth {
        if processor.avx512 { return .sixteen }
        if processor.sha { return .two }
        if processor.avx2 { return .eight }
        return .one
    }

    /// What goes on with the messages that are left when the lanes are not full enough any more.
    var narrower: HashingWidth { self == .sixteen && HashingWidth.two.isAvailable ? .two : .one }

    /// With fewer messages than this the narrower width is faster: a lane that is empty costs as much as a full one.
    ///
    /// From the table of ``fastest(on:)``: lanes × the rate of the narrower ÷ the rate of all. For sixteen before two
    /// that is 9 to 10; it is 12 for the sake of processors that take two cycles for what a Zen 5 does in one, by their
    /// documentation, and of which none was measured.
    var lanesWorthwhile: Int {
        switch self {
        case .one: 1
        case .two: 2
        case .eight: 4
        case .sixteen: narrower == .two ? 12 : 4
        }
    }
}
