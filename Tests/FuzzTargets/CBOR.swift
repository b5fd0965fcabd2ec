import CBOR

/// One value has one encoding: what is taken is written back byte by byte.
func fuzzCBOR(_ input: [UInt8]) throws(BrokenProperty) {
    let prefix: (value: CBORValue, end: Int)
    do throws(CBORError) {
        prefix = try CBORValue.decodePrefix(input)
    } catch {
        try property((0...input.count).contains(error.offset), "an error's offset lies in the input")
        try property((try? CBORValue.decode(input)) == nil, "bytes without an item are no item")
        return
    }
    let item = Array(input[..<prefix.end])
    try property(prefix.value.encode() == item, "the encoder gives back the bytes that the decoder took")
    try property((try? CBORValue.decode(item))?.encode() == item, "an item alone is the same item")
    if prefix.end < input.count {
        try property((try? CBORValue.decode(input)) == nil, "an item with bytes behind it is refused")
    }
}
