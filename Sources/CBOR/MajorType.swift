/// The major types of items: the three high bits of an item's first byte (RFC 8949, 3.1).
enum MajorType {
    static let unsigned: UInt8 = 0
    static let negative: UInt8 = 1
    static let bytes: UInt8 = 2
    static let text: UInt8 = 3
    static let array: UInt8 = 4
    static let map: UInt8 = 5
    static let tag: UInt8 = 6
    static let simpleOrFloat: UInt8 = 7
}
