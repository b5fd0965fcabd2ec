import CaptureModel
import NIOCore

/// The lanes of one width, their states, and the messages in them.
@safe struct LaneGroup: ~Copyable {
    private let width: HashingWidth
    private let kernel: CompressionKernel
    /// For the remaining messages when too few lanes are busy.
    private let narrower: CompressionKernel
    private let alone: CompressionKernel
    /// Word 0 of every lane, then word 1 of every lane, up to word 7.
    ///
    /// The kept ones are from the end of a head's whole blocks.
    private let states: UnsafeMutableBufferPointer<UInt32>
    private let keptStates: UnsafeMutableBufferPointer<UInt32>
    private let scratches: UnsafeMutableRawBufferPointer
    /// The next block of each lane.
    private let starts: UnsafeMutableBufferPointer<UnsafePointer<UInt8>>
    private var lanes: [Lane]
    private var busy = 0

    /// The message in a lane and the rest of its present run.
    @safe private struct Lane {
        /// The index of the message; `nil` in an empty lane.
        var message: Int?
        var reader: MessageReader
        var blocks = 0
        var yields = MessageReader.Yield.nothing
    }

    /// The part of a message that a digest covers.
    enum Part {
        case head, whole
    }

    init(width: HashingWidth) {
        self.width = width
        kernel = CompressionKernel(width)
        narrower = CompressionKernel(width.narrower)
        alone = CompressionKernel(.one)
        let count = width.lanes
        unsafe states = .allocate(capacity: 8 * count)
        unsafe keptStates = .allocate(capacity: 8 * count)
        unsafe states.initialize(repeating: 0)
        unsafe keptStates.initialize(repeating: 0)
        unsafe scratches = .allocate(byteCount: count * MessageReader.scratchBytes, alignment: MessageReader.blockBytes)
        unsafe scratches.initializeMemory(as: UInt8.self, repeating: 0)
        unsafe starts = .allocate(capacity: count)
        let somewhere = unsafe scratches.bindMemory(to: UInt8.self).baseAddress.unsafelyUnwrapped
        unsafe starts.initialize(repeating: UnsafePointer(somewhere))
        let nothing = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
        lanes = .init(repeating: unsafe Lane(reader: MessageReader(head: nothing, tail: nil)), count: count)
    }

    deinit {
        unsafe states.deallocate()
        unsafe keptStates.deallocate()
        unsafe scratches.deallocate()
        unsafe starts.deallocate()
    }

    /// Hashes messages, whose buffers the caller keeps until this returns.
    mutating func hash(
        _ messages: [HashedMessage], inOrder order: [Int], _ done: (_ message: Int, Part, SHA256Digest) -> Void
    ) {
        var waiting = order[...]
        for lane in lanes.indices { take(&waiting, of: messages, into: lane, done) }
        let worthwhile = width.lanesWorthwhile
        while busy >= worthwhile {
            let blocks = shortestRun()
            lendBytes()
            unsafe kernel.compress(
                states.baseAddress.unsafelyUnwrapped, starts.baseAddress.unsafelyUnwrapped, blocks: blocks)
            for lane in lanes.indices where lanes[lane].message != nil {
                advance(lane, by: blocks, done)
                if lanes[lane].message == nil { take(&waiting, of: messages, into: lane, done) }
            }
        }
        while busy >= width.narrower.lanes {
            let lanes = busyLanes().prefix(width.narrower.lanes)
            compress(Array(lanes), by: narrower, done)
            for lane in lanes where self.lanes[lane].message == nil { take(&waiting, of: messages, into: lane, done) }
        }
        while let lane = busyLanes().first { compress([lane], by: alone, done) }
    }

    private func busyLanes() -> [Int] { lanes.indices.filter { lanes[$0].message != nil } }

    /// Notes that a lane has processed blocks of its run.
    private mutating func advance(_ lane: Int, by blocks: Int, _ done: (Int, Part, SHA256Digest) -> Void) {
        lanes[lane].blocks -= blocks
        // Not `+=`: the compiler crashes on it when it instruments for ThreadSanitizer (Swift 6.3.1).
        unsafe starts[lane] = starts[lane] + blocks * MessageReader.blockBytes
        if lanes[lane].blocks == 0 { nextRun(of: lane, done) }
    }

    /// Puts the next message into an empty lane, if there is one.
    private mutating func take(
        _ waiting: inout ArraySlice<Int>, of messages: [HashedMessage], into lane: Int,
        _ done: (Int, Part, SHA256Digest) -> Void
    ) {
        guard let index = waiting.popFirst() else { return }
        let message = messages[index]
        // `messages` holds the buffers' storage, and outlives the lanes' use of it.
        let head = unsafe message.head.withUnsafeReadableBytesWithStorageManagement { bytes, _ in unsafe bytes }
        let tail = unsafe message.tail?.withUnsafeReadableBytesWithStorageManagement { bytes, _ in unsafe bytes }
        lanes[lane] = unsafe Lane(message: index, reader: MessageReader(head: head, tail: tail))
        put(CompressionKernel.initialState, into: lane)
        busy += 1
        nextRun(of: lane, done)
    }

    /// Finishes a lane's run and goes on to the next one that has blocks; the lane is empty after the last.
    private mutating func nextRun(of lane: Int, _ done: (Int, Part, SHA256Digest) -> Void) {
        let scratch = unsafe UnsafeMutableRawBufferPointer(
            rebasing: scratches[(lane * MessageReader.scratchBytes)...].prefix(MessageReader.scratchBytes))
        repeat {
            conclude(lane, done)
            guard let run = unsafe lanes[lane].reader.next(scratch: scratch) else {
                lanes[lane].message = nil
                busy -= 1
                return
            }
            unsafe starts[lane] = run.start.assumingMemoryBound(to: UInt8.self)
            (lanes[lane].blocks, lanes[lane].yields) = (run.blocks, run.yields)
        } while lanes[lane].blocks == 0
    }

    private func conclude(_ lane: Int, _ done: (Int, Part, SHA256Digest) -> Void) {
        guard let message = lanes[lane].message else { return }
        switch lanes[lane].yields {
        case .nothing: break
        case .midstate: unsafe copyState(of: lane, from: states, to: keptStates)
        case .head:
            done(message, .head, digest(in: lane))
            unsafe copyState(of: lane, from: keptStates, to: states)
        case .whole: done(message, .whole, digest(in: lane))
        }
    }

    /// The number of blocks that every busy lane still has in its run.
    private func shortestRun() -> Int {
        var blocks = Int.max
        for lane in lanes where lane.message != nil { blocks = min(blocks, lane.blocks) }
        return blocks
    }

    /// Lets empty lanes read the bytes of a busy one: they must read something, and their result is ignored.
    private func lendBytes() {
        guard busy < lanes.count, let lender = lanes.firstIndex(where: { $0.message != nil }) else { return }
        for lane in lanes.indices where lanes[lane].message == nil { unsafe starts[lane] = starts[lender] }
    }

    /// Processes the shortest run of some lanes with the kernel for their number.
    ///
    /// That kernel needs their states side by side.
    private mutating func compress(
        _ chosen: [Int], by kernel: CompressionKernel, _ done: (Int, Part, SHA256Digest) -> Void
    ) {
        let blocks = chosen.reduce(Int.max) { min($0, lanes[$1].blocks) }
        var words = [UInt32](repeating: 0, count: 8 * chosen.count)
        for (place, lane) in chosen.enumerated() {
            let state = state(of: lane)
            for word in 0..<8 { words[word * chosen.count + place] = state[word] }
        }
        let from = unsafe chosen.map { unsafe starts[$0] }
        unsafe words.withUnsafeMutableBufferPointer { words in
            unsafe from.withUnsafeBufferPointer { from in
                unsafe kernel.compress(
                    words.baseAddress.unsafelyUnwrapped, from.baseAddress.unsafelyUnwrapped, blocks: blocks)
            }
        }
        for (place, lane) in chosen.enumerated() {
            var state = SIMD8<UInt32>()
            for word in 0..<8 { state[word] = words[word * chosen.count + place] }
            put(state, into: lane)
        }
        for lane in chosen { advance(lane, by: blocks, done) }
    }

    // MARK: States

    private func put(_ state: SIMD8<UInt32>, into lane: Int) {
        for word in 0..<8 { unsafe states[word * lanes.count + lane] = state[word] }
    }

    private func state(of lane: Int) -> SIMD8<UInt32> {
        var state = SIMD8<UInt32>()
        for word in 0..<8 { state[word] = unsafe states[word * lanes.count + lane] }
        return state
    }

    private func copyState(
        of lane: Int, from: UnsafeMutableBufferPointer<UInt32>, to: UnsafeMutableBufferPointer<UInt32>
    ) {
        for word in 0..<8 { unsafe to[word * lanes.count + lane] = from[word * lanes.count + lane] }
    }

    private func digest(in lane: Int) -> SHA256Digest { SHA256Digest(state: state(of: lane)) }
}
