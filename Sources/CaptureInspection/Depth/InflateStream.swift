import CZlib

/// One of zlib's decompressors, which is made, used and freed by its owner.
///
/// The state is on the heap because zlib keeps a pointer to it and refuses a state that has moved.
@safe
struct InflateStream: ~Copyable {
    /// The format around the deflate data: zlib's `windowBits`.
    enum Wrapping: Int32 {
        case gzip = 31
        case zlib = 15
        case none = -15
    }

    /// How a run ended.
    struct Outcome {
        /// Whether the stream reached its end.
        let isComplete: Bool
        /// How many bytes of the input were consumed.
        let consumed: Int
        /// How many bytes of output were produced.
        let produced: Int
    }

    private let state: UnsafeMutablePointer<z_stream>

    init(_ wrapping: Wrapping) throws(DepthError) {
        let state = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        unsafe state.initialize(to: z_stream())
        let result = unsafe inflateInit2_(
            state, wrapping.rawValue, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)
        )
        guard result == Z_OK else {
            unsafe state.deinitialize(count: 1)
            unsafe state.deallocate()
            throw DepthError(.outOfMemory, "zlib cannot start")
        }
        unsafe self.state = state
    }

    deinit {
        _ = unsafe inflateEnd(state)
        unsafe state.deinitialize(count: 1)
        unsafe state.deallocate()
    }

    /// Decompresses until the stream ends, the output is full or the input is used up; once per stream.
    ///
    /// - Throws: `malformed` when zlib finds damage; `outOfMemory`.
    ///
    /// Mutating, so that the caller keeps the stream alive while zlib is at work.
    mutating func run(_ input: Span<UInt8>, into output: inout [UInt8]) throws(DepthError) -> Outcome {
        let state = unsafe self.state
        let sizes = (input: UInt32(clamping: input.count), output: UInt32(clamping: output.count))
        let result = unsafe input.withUnsafeBufferPointer { input in
            unsafe output.withUnsafeMutableBufferPointer { output in
                // zlib never writes to its input; the type is what C had before `const`.
                unsafe state.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                unsafe state.pointee.avail_in = sizes.input
                unsafe state.pointee.next_out = output.baseAddress
                unsafe state.pointee.avail_out = sizes.output
                let result = unsafe inflate(state, Z_FINISH)
                unsafe state.pointee.next_in = nil
                unsafe state.pointee.next_out = nil
                return result
            }
        }
        switch result {
        case Z_STREAM_END, Z_OK, Z_BUF_ERROR:
            return unsafe Outcome(
                isComplete: result == Z_STREAM_END, consumed: Int(sizes.input - state.pointee.avail_in),
                produced: Int(sizes.output - state.pointee.avail_out)
            )
        case Z_MEM_ERROR: throw DepthError(.outOfMemory, "zlib has no memory for its window")
        default: throw DepthError(.malformed, "the compressed data are damaged")
        }
    }
}
