/// A set of the numbers 0 to 15 with which a JPEG names its tables and components.
struct JPEGSlots: Equatable {
    private var bits: UInt16 = 0

    /// The number of elements.
    var count: Int { bits.nonzeroBitCount }

    func contains(_ slot: Int) -> Bool { bits & (1 << slot) != 0 }

    mutating func insert(_ slot: Int) { bits |= 1 << slot }
}
