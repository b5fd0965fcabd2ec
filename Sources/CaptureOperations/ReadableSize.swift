/// Sizes in words, the same wherever operators read them.
package enum ReadableSize {
    private static let units = ["B", "KiB", "MiB", "GiB", "TiB"]

    /// A size in its largest unit; below 100 with one decimal, unless that is zero: `512 B`, `3 MiB`, `3.1 MiB`.
    package static func text(of count: Int) -> String {
        var (value, unit) = (Double(max(0, count)), 0)
        while value >= 1024, unit < units.count - 1 { (value, unit) = (value / 1024, unit + 1) }
        let tenths = Int((value * 10).rounded())
        let isWhole = unit == 0 || tenths >= 1000 || tenths.isMultiple(of: 10)
        return "\(isWhole ? "\(Int(value.rounded()))" : "\(tenths / 10).\(tenths % 10)") \(units[unit])"
    }
}
