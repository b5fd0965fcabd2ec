/// The tables that a JPEG has defined so far, checked when they are read (ITU T.81 sections B.2.4.1 and B.2.4.2).
struct JPEGTables {
    private(set) var quantization = JPEGSlots()
    private(set) var directHuffman = JPEGSlots()
    private(set) var alternatingHuffman = JPEGSlots()

    /// Reads the payload of DQT.
    mutating func defineQuantization(_ photo: Span<UInt8>, _ payload: Range<Int>) throws(JPEGError) {
        var position = payload.lowerBound
        repeat {
            guard position < payload.upperBound else {
                throw JPEGError(.malformed, at: position, "the quantization tables are empty")
            }
            let (precision, slot) = (Int(photo[position] >> 4), Int(photo[position] & 15))
            let end = position + 1 + 64 * (precision + 1)
            guard precision <= 1, slot < 4, end <= payload.upperBound else {
                throw JPEGError(.malformed, at: position, "a quantization table is not readable")
            }
            quantization.insert(slot)
            position = end
        } while position < payload.upperBound
    }

    /// Reads the payload of DHT.
    ///
    /// Code lengths must fit into a prefix code in which no code is all ones (section C.2), and symbols for DC are at
    /// most 15, the highest category of samples of 12 bits (section F.1.5.1). Decoders refuse other tables.
    mutating func defineHuffman(_ photo: Span<UInt8>, _ payload: Range<Int>) throws(JPEGError) {
        var position = payload.lowerBound
        repeat {
            guard position + 17 <= payload.upperBound else {
                throw JPEGError(.malformed, at: position, "a Huffman table is too short")
            }
            let (kind, slot) = (photo[position] >> 4, Int(photo[position] & 15))
            var codes = 0
            var symbols = 0
            for length in 1...16 {
                let count = Int(photo[position + length])
                symbols += count
                codes = codes << 1 + count
                // The code that is all ones is reserved.
                guard codes < 1 << length else {
                    throw JPEGError(.malformed, at: position, "a Huffman table has more codes than fit")
                }
            }
            let end = position + 17 + symbols
            guard kind <= 1, slot < 4, (1...256).contains(symbols), end <= payload.upperBound else {
                throw JPEGError(.malformed, at: position, "a Huffman table is not readable")
            }
            for place in position + 17..<end where kind == 0 && photo[place] > 15 {
                throw JPEGError(.malformed, at: place, "a Huffman table for DC has a category above 15")
            }
            if kind == 0 { directHuffman.insert(slot) } else { alternatingHuffman.insert(slot) }
            position = end
        } while position < payload.upperBound
    }
}
