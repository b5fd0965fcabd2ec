/// Writes names, values and numbers in Prometheus's text format 0.0.4.
enum PrometheusText {
    /// A metric's name: `[a-zA-Z_:][a-zA-Z0-9_:]*`.
    static func metricName(_ name: String, suffix: String = "") -> String {
        let fit = fit(name, withColons: true)
        return fit.hasSuffix(suffix) ? fit : fit + suffix
    }

    /// A label's name: `[a-zA-Z_][a-zA-Z0-9_]*`, but none that the format reserves.
    static func labelName(_ name: String) -> String {
        var fit = fit(name, withColons: false)
        while fit.hasPrefix("__") { fit.removeFirst() }
        return fit == "le" || fit == "quantile" ? fit + "_" : fit
    }

    /// `name="value"` with backslash, quote and line feed escaped.
    static func label(_ name: String, _ value: String) -> String {
        var escaped = ""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\"": escaped += "\\\""
            case "\n": escaped += "\\n"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return "\(name)=\"\(escaped)\""
    }

    /// A help text with backslash and line feed escaped.
    static func escapedHelp(_ help: String) -> String {
        var escaped = ""
        for scalar in help.unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\n": escaped += "\\n"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    /// A number as Go reads it; whole numbers without a point.
    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        if let whole = Int64(exactly: value), abs(value) < 1e15 { return String(whole) }
        return String(value)
    }

    /// The name with `_` for all that may not be in one.
    ///
    /// Each observation asks for the names of its metric, which fit as they are.
    private static func fit(_ name: String, withColons: Bool) -> String {
        func fits(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"):
                true
            default: withColons && byte == UInt8(ascii: ":")
            }
        }
        let fit =
            name.utf8.allSatisfy(fits)
            ? name : String(name.map { $0.asciiValue.map(fits) ?? false ? $0 : "_" as Character })
        return fit.first.map { !$0.isNumber } ?? false ? fit : "_" + fit
    }
}
