/// Strings as the null-terminated array of C strings that libpq takes.
struct CStringArray {
    private var bytes: [CChar] = []
    private var offsets: [Int] = []

    init(_ strings: [String]) {
        for string in strings {
            offsets.append(bytes.count)
            bytes.append(contentsOf: string.utf8CString)
        }
    }

    /// Lends the pointers for the length of a call.
    func withPointers<Value>(
        _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Value
    ) -> Value {
        unsafe bytes.withUnsafeBufferPointer { bytes in
            var pointers = unsafe offsets.map { unsafe bytes.baseAddress?.advanced(by: $0) }
            unsafe pointers.append(nil)
            return unsafe pointers.withUnsafeBufferPointer { unsafe body($0.baseAddress) }
        }
    }
}

extension ParameterEncoder {
    /// Lends count, values, lengths and formats (all binary) for the length of a call.
    func withPointers<Value>(
        _ body: (Int32, UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?, UnsafePointer<Int32>?) -> Value
    ) -> Value {
        let lengths = ranges.map { Int32(clamping: $0?.count ?? 0) }
        let formats = [Int32](repeating: 1, count: ranges.count)
        return unsafe bytes.withUnsafeBytes { bytes in
            let base = unsafe bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
            let pointers = unsafe ranges.map { range in
                unsafe range.flatMap { unsafe base?.advanced(by: $0.lowerBound) }
            }
            return unsafe pointers.withUnsafeBufferPointer { pointers in
                unsafe lengths.withUnsafeBufferPointer { lengths in
                    unsafe formats.withUnsafeBufferPointer { formats in
                        unsafe body(
                            Int32(clamping: ranges.count), pointers.baseAddress, lengths.baseAddress,
                            formats.baseAddress)
                    }
                }
            }
        }
    }
}
