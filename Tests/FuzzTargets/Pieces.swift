/// Cuts an input into pieces, as a network would; the same input always into the same ones.
struct Pieces {
    private var state: UInt64

    /// Starts from the input's own bytes (FNV-1a), so that a fuzzer's every input brings its own cuts.
    init(of input: [UInt8]) {
        state = input.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    /// The input in pieces of 1 to 64 bytes.
    mutating func cut(_ input: [UInt8]) -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        var rest = input[...]
        while !rest.isEmpty {
            // Knuth's multiplier of MMIX; the high bits are the random ones.
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let count = 1 + Int(state >> 58)
            pieces.append(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        return pieces
    }
}
