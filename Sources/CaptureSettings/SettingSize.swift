/// Sizes as the configuration writes them.
enum SettingSize {
    private static let units: [(suffix: String, shift: Int)] = [
        ("", 0), ("KiB", 10), ("MiB", 20), ("GiB", 30), ("TiB", 40),
    ]

    static func read(_ text: String) -> Int? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let suffix = text.dropFirst(digits.count)
        guard let number = Int(digits), let unit = units.first(where: { $0.suffix == suffix }) else { return nil }
        let (bytes, overflow) = number.multipliedReportingOverflow(by: 1 << unit.shift)
        return overflow ? nil : bytes
    }

    static func write(_ bytes: Int) -> String {
        let unit = units.last { bytes.isMultiple(of: 1 << $0.shift) && bytes > 0 } ?? units[0]
        return "\(bytes >> unit.shift)\(unit.suffix)"
    }
}
