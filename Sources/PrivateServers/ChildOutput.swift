/// What a child has printed, line by line, and the number of its process, which its leash prints first.
struct ChildOutput {
    private(set) var lines: [String] = []
    private(set) var processID: Int32?
    /// What came after the last whole line.
    private var partial: [UInt8] = []
    private var isOver = false

    /// Takes what was printed next; nothing any more once the output is over.
    mutating func take(_ data: ArraySlice<UInt8>) {
        guard !isOver else { return }
        partial.append(contentsOf: data)
        var start = partial.startIndex
        while let end = partial[start...].firstIndex(of: UInt8(ascii: "\n")) {
            add(String(decoding: partial[start..<end], as: UTF8.self))
            start = end + 1
        }
        partial.removeSubrange(..<start)
    }

    /// Ends the output: a last line may have no end, and what is printed later is somebody else's.
    mutating func end() {
        if !partial.isEmpty { add(String(decoding: partial, as: UTF8.self)) }
        partial = []
        isOver = true
    }

    private mutating func add(_ line: String) {
        if processID == nil, line.hasPrefix("leash: ") {
            processID = Int32(line.dropFirst(7))
        } else {
            lines.append(line)
        }
    }
}
