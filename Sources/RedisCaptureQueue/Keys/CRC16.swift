/// CRC16 as Redis Cluster computes slots: polynomial 0x1021, initial value 0 (XMODEM).
enum CRC16 {
    /// The checksum of some bytes.
    static func checksum(_ bytes: some Sequence<UInt8>) -> UInt16 {
        bytes.reduce(0) { checksum, byte in
            (0..<8).reduce(checksum ^ UInt16(byte) << 8) { value, _ in
                value & 0x8000 == 0 ? value << 1 : value << 1 ^ 0x1021
            }
        }
    }
}
