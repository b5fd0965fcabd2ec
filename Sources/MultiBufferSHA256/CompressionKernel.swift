import CLibCrypto
import CMultiBufferSHA256

/// The compression function of SHA-256 for some number of lanes.
@safe struct CompressionKernel {
    /// FIPS 180-4, 5.3.3.
    static let initialState: SIMD8<UInt32> = [
        0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
    ]

    private let function: cmb_sha256_kernel

    /// The function for a width that this processor has.
    init(_ width: HashingWidth) {
        guard width != .one else {
            unsafe function = Self.oneLane
            return
        }
        guard let found = unsafe cmb_sha256_kernel_of(HashingWidth.processor, width.lanes) else {
            preconditionFailure("this processor has no \(width) lanes")
        }
        unsafe function = found
    }

    /// Processes `blocks` blocks into each lane's state.
    ///
    /// - Parameters:
    ///   - states: Word 0 of every lane, then word 1 of every lane, up to word 7.
    ///   - bytes: The start of the blocks, for each lane.
    @unsafe func compress(
        _ states: UnsafeMutablePointer<UInt32>, _ bytes: UnsafePointer<UnsafePointer<UInt8>>, blocks: Int
    ) {
        unsafe function(states, bytes, blocks)
    }

    /// Continues from a state with libcrypto, as swift-crypto cannot be given a state.
    ///
    /// It is as fast as swift-crypto with SHA instructions, and 1.25 times as fast without (0.68 to 0.54 GB/s).
    private static let oneLane: cmb_sha256_kernel = { states, bytes, blocks in
        var context = SHA256_CTX()
        unsafe withUnsafeMutableBytes(of: &context.h) { words in
            unsafe words.copyMemory(from: UnsafeRawBufferPointer(start: states, count: words.count))
        }
        // Whole blocks only, so the context's buffer stays empty.
        _ = unsafe SHA256_Update(&context, bytes[0], blocks * MessageReader.blockBytes)
        unsafe withUnsafeBytes(of: &context.h) { words in
            unsafe UnsafeMutableRawBufferPointer(start: states, count: words.count).copyMemory(from: words)
        }
    }
}
