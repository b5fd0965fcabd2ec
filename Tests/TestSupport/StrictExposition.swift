/// A reader of Prometheus's text format 0.0.4 that takes nothing but the format.
package struct StrictExposition: Sendable {
    /// One line with a number.
    package struct Sample: Hashable, Sendable {
        /// The sample's name.
        package let name: String
        /// Its labels.
        package let labels: [String: String]
        /// Its number as written.
        package let value: String
    }

    /// What is not of the format.
    package enum Fault: Error {
        /// The line's number and what is wrong with it.
        case line(Int, String)
    }

    /// The metrics and their types.
    package private(set) var types: [String: String] = [:]
    /// All samples.
    package private(set) var samples: [Sample] = []

    /// Reads an exposition: each metric's lines together, HELP and TYPE first and once, no sample twice.
    package init(_ text: String) throws {
        guard text.isEmpty || text.hasSuffix("\n") else { throw Fault.line(0, "no line feed at the end") }
        var current = ""
        var seen: Set<String> = []
        var keys: Set<String> = []
        for (number, line) in text.split(separator: "\n").enumerated() {
            if line.hasPrefix("# ") {
                let words = line.split(separator: " ", maxSplits: 3)
                guard words.count == 4 else { throw Fault.line(number, "comment") }
                let name = String(words[2])
                if words[1] == "HELP" {
                    guard seen.insert(name).inserted else { throw Fault.line(number, "metric twice") }
                    current = name
                } else if words[1] == "TYPE", ["counter", "gauge", "histogram"].contains(words[3]) {
                    guard name == current || seen.insert(name).inserted, types[name] == nil else {
                        throw Fault.line(number, "type twice")
                    }
                    current = name
                    types[name] = String(words[3])
                } else {
                    throw Fault.line(number, "comment")
                }
                continue
            }
            let sample = try Self.sample(line, number)
            guard Self.belongs(sample.name, current, types[current] ?? "") else { throw Fault.line(number, "family") }
            guard keys.insert("\(sample.name)\(sample.labels.sorted { $0.key < $1.key })").inserted else {
                throw Fault.line(number, "sample twice")
            }
            samples.append(sample)
        }
    }

    /// The value of a sample.
    package func value(_ name: String, _ labels: [String: String] = [:]) -> String? {
        samples.first { $0.name == name && $0.labels == labels }?.value
    }

    private static func belongs(_ sample: String, _ family: String, _ type: String) -> Bool {
        type == "histogram"
            ? ["_bucket", "_sum", "_count"].contains { family + $0 == sample } : type != "" && sample == family
    }

    private static func sample(_ line: Substring, _ number: Int) throws -> Sample {
        var rest = line
        let name = String(rest.prefix { $0 == "_" || $0 == ":" || $0.isASCII && ($0.isLetter || $0.isNumber) })
        rest = rest.dropFirst(name.count)
        guard let first = name.first, !first.isNumber else { throw Fault.line(number, "name") }
        var labels: [String: String] = [:]
        if rest.first == "{" {
            rest = rest.dropFirst()
            while rest.first != "}" {
                let label = String(rest.prefix { $0 == "_" || $0.isASCII && ($0.isLetter || $0.isNumber) })
                rest = rest.dropFirst(label.count)
                guard let first = label.first, !first.isNumber, rest.hasPrefix("=\"") else {
                    throw Fault.line(number, "label")
                }
                rest = rest.dropFirst(2)
                var value = ""
                while let character = rest.popFirst(), character != "\"" {
                    guard character == "\\" else {
                        value.append(character)
                        continue
                    }
                    switch rest.popFirst() {
                    case "\\": value += "\\"
                    case "\"": value += "\""
                    case "n": value += "\n"
                    default: throw Fault.line(number, "escape")
                    }
                }
                guard labels.updateValue(value, forKey: label) == nil else { throw Fault.line(number, "label twice") }
                guard rest.first == "," || rest.first == "}" else { throw Fault.line(number, "labels") }
                if rest.first == "," { rest = rest.dropFirst() }
            }
            rest = rest.dropFirst()
        }
        guard rest.first == " " else { throw Fault.line(number, "value") }
        let value = String(rest.dropFirst())
        guard Double(value) != nil || ["+Inf", "-Inf", "NaN"].contains(value) else { throw Fault.line(number, "value") }
        return Sample(name: name, labels: labels, value: value)
    }
}
