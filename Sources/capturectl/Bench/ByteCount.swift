import ArgumentParser

/// A size on the command line: `4KB` and `3MB` are decimal, `4KiB` and `3MiB` binary, or a number of bytes.
struct ByteCount: ExpressibleByArgument, Encodable {
    /// For the help of the options that take one.
    static let forms = "in bytes, or as in 100KB or 3MiB"

    let bytes: Int

    init(_ bytes: Int) {
        self.bytes = bytes
    }

    init?(argument: String) {
        let digits = argument.prefix { $0.isASCII && $0.isNumber }
        let unit = argument.dropFirst(digits.count).uppercased()
        let factors = [
            "": 1, "B": 1, "K": 1000, "KB": 1000, "KIB": 1 << 10, "M": 1_000_000, "MB": 1_000_000, "MIB": 1 << 20,
        ]
        guard let count = Int(digits), let factor = factors[unit], count < 1 << 32 else { return nil }
        bytes = count * factor
    }

    var defaultValueDescription: String { "\(bytes)" }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(bytes)
    }
}
