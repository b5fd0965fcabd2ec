/// Divides a message into runs of whole blocks, in the order in which a lane processes them.
///
/// Blocks inside the message are read in place. Only the last bytes of a part, which are joined with the next part or
/// padded (FIPS 180-4, 5.1.1), are assembled in a scratch of two blocks.
@safe struct MessageReader {
    static let blockBytes = 64
    static let scratchBytes = 2 * blockBytes

    private let head: UnsafeRawBufferPointer
    private let tail: UnsafeRawBufferPointer?
    private var stage = Stage.head

    private enum Stage {
        case head, headPadding, joint, tail, tailPadding, done
    }

    /// Consecutive blocks.
    @safe struct Run {
        let start: UnsafeRawPointer
        let blocks: Int
        /// The meaning of the lane's state after these blocks.
        let yields: Yield
    }

    /// The meaning of a state.
    enum Yield {
        /// An intermediate state.
        case nothing
        /// The state after the head's whole blocks: from here the whole message continues after the head's digest.
        case midstate
        /// The digest of the head.
        case head
        /// The digest of the whole message.
        case whole
    }

    /// The bytes must stay in place as long as the reader is used.
    @unsafe init(head: UnsafeRawBufferPointer, tail: UnsafeRawBufferPointer?) {
        unsafe self.head = head
        unsafe self.tail = tail
    }

    /// The next run, which may have no blocks; `nil` after the last one.
    ///
    /// It is valid until the next call.
    mutating func next(scratch: UnsafeMutableRawBufferPointer) -> Run? {
        switch stage {
        case .head:
            stage = .headPadding
            return unsafe run(of: head, from: 0, else: scratch, yields: .midstate)
        case .headPadding:
            stage = unsafe tail == nil ? .done : .joint
            unsafe scratch.copyMemory(from: UnsafeRawBufferPointer(rebasing: head.suffix(headRest)))
            return unsafe padded(scratch, used: headRest, total: head.count, yields: .head)
        case .joint:
            stage = .tail
            return unsafe joint(scratch)
        case .tail:
            stage = .tailPadding
            return unsafe run(of: tail.unsafelyUnwrapped, from: joined, else: scratch, yields: .nothing)
        case .tailPadding:
            stage = .done
            return unsafe lastOfTail(scratch)
        case .done:
            return nil
        }
    }

    /// The number of the head's bytes after its last whole block.
    private var headRest: Int { unsafe head.count % Self.blockBytes }

    /// The number of the tail's bytes that complete the head's last block; all of them if they are too few.
    private var joined: Int {
        guard headRest > 0 else { return 0 }
        return unsafe min(Self.blockBytes - headRest, tail?.count ?? 0)
    }

    private func run(
        of bytes: UnsafeRawBufferPointer, from offset: Int, else scratch: UnsafeMutableRawBufferPointer, yields: Yield
    ) -> Run {
        let blocks = (bytes.count - offset) / Self.blockBytes
        // An empty buffer may have no address.
        guard blocks > 0, let base = bytes.baseAddress else { return unsafe empty(scratch, yields: yields) }
        return unsafe Run(start: base + offset, blocks: blocks, yields: yields)
    }

    /// The block that begins in the head and ends in the tail, if the tail is long enough to complete it.
    private func joint(_ scratch: UnsafeMutableRawBufferPointer) -> Run {
        guard headRest > 0, headRest + joined == Self.blockBytes else { return unsafe empty(scratch, yields: .nothing) }
        unsafe putHeadRestAndJoined(scratch)
        return unsafe Run(start: UnsafeRawPointer(scratch.baseAddress.unsafelyUnwrapped), blocks: 1, yields: .nothing)
    }

    private func lastOfTail(_ scratch: UnsafeMutableRawBufferPointer) -> Run {
        let tail = unsafe tail.unsafelyUnwrapped
        let total = unsafe head.count + tail.count
        let rest = total % Self.blockBytes
        if headRest + joined < Self.blockBytes, headRest > 0 {
            unsafe putHeadRestAndJoined(scratch)
        } else {
            unsafe scratch.copyMemory(from: UnsafeRawBufferPointer(rebasing: tail.suffix(rest)))
        }
        return unsafe padded(scratch, used: rest, total: total, yields: .whole)
    }

    private func putHeadRestAndJoined(_ scratch: UnsafeMutableRawBufferPointer) {
        unsafe scratch.copyMemory(from: UnsafeRawBufferPointer(rebasing: head.suffix(headRest)))
        if let tail = unsafe tail {
            let behind = unsafe UnsafeMutableRawBufferPointer(rebasing: scratch[headRest...])
            unsafe behind.copyMemory(from: UnsafeRawBufferPointer(rebasing: tail.prefix(joined)))
        }
    }

    /// A one bit, zeros and the message's length in bits, up to the end of a block.
    private func padded(
        _ scratch: UnsafeMutableRawBufferPointer, used: Int, total: Int, yields: Yield
    ) -> Run {
        let blocks = used + 9 <= Self.blockBytes ? 1 : 2
        let end = blocks * Self.blockBytes
        unsafe scratch[used] = 0x80
        unsafe UnsafeMutableRawBufferPointer(rebasing: scratch[(used + 1)..<(end - 8)]).initializeMemory(
            as: UInt8.self, repeating: 0)
        unsafe scratch.storeBytes(of: UInt64(total * 8).bigEndian, toByteOffset: end - 8, as: UInt64.self)
        return unsafe Run(
            start: UnsafeRawPointer(scratch.baseAddress.unsafelyUnwrapped), blocks: blocks, yields: yields)
    }

    private func empty(_ scratch: UnsafeMutableRawBufferPointer, yields: Yield) -> Run {
        unsafe Run(start: UnsafeRawPointer(scratch.baseAddress.unsafelyUnwrapped), blocks: 0, yields: yields)
    }
}
