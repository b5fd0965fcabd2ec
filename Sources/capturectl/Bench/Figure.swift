/// Numbers as reports show them.
enum Figure {
    /// A number rounded to a number of decimals.
    static func rounded(_ number: Double, _ decimals: Int) -> Double {
        let scale = scale(decimals)
        return (number * scale).rounded() / scale
    }

    /// A number as text with exactly that many decimals.
    static func text(_ number: Double, _ decimals: Int) -> String {
        guard decimals > 0 else { return "\(Int(number.rounded()))" }
        let scaled = Int((abs(number) * scale(decimals)).rounded())
        let unit = Int(scale(decimals))
        let fraction = String(scaled % unit)
        let zeros = String(repeating: "0", count: decimals - fraction.count)
        return "\(number < 0 ? "-" : "")\(scaled / unit).\(zeros)\(fraction)"
    }

    private static func scale(_ decimals: Int) -> Double { (0..<decimals).reduce(1) { scale, _ in scale * 10 } }
}
