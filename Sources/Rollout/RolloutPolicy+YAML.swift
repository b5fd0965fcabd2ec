package import AppAttest
import CaptureModel
import Yams

/// Why a file is no valid policy.
package struct RolloutFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// The faulty place and its allowed values.
    package let description: String

    /// Takes a description of the fault.
    package init(_ description: String) {
        self.description = description
    }
}

extension RolloutPolicy {
    /// The largest accepted file, in bytes.
    package static let bytesMax = 64 << 10

    /// Reads a file; a member that would be ignored makes it invalid.
    ///
    /// ```yaml
    /// apps:
    ///   ABCDE12345.com.example.app:
    ///     mode: monitor
    ///     percentage: 12.5
    ///     osVersionMinimum: "26.2"
    ///     bundleVersionMinimum: "1314"
    ///     validationCategories: [2, 4]
    ///     notBelowAttested: [bundleVersion, validationCategory]
    /// ```
    ///
    /// - Parameters:
    ///   - bytes: The whole file, as UTF-8.
    ///   - known: The apps that are accepted at all; any other name is taken for a typing mistake.
    /// - Throws: ``RolloutFault`` that names the place.
    package convenience init(yaml bytes: [UInt8], known: [AppID]) throws(RolloutFault) {
        guard bytes.count <= Self.bytesMax else { throw RolloutFault("has more than \(Self.bytesMax) bytes") }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw RolloutFault("is not UTF-8") }
        let root: Node?
        do {
            root = try Yams.compose(yaml: text)
        } catch {
            throw RolloutFault("cannot be read as YAML: \(YAMLFault.words(for: error))")
        }
        let members = try Self.members(of: root ?? Node(""), at: "the file", taking: ["apps"])
        guard let list = members["apps"] else { throw RolloutFault("the file: apps is missing") }
        var apps: [AppID: AppRollout] = [:]
        for (name, node) in try Self.members(of: list, at: "apps") {
            guard let app = known.first(where: { $0.text == name }) else {
                throw RolloutFault("apps.\(name): is not among app.ids")
            }
            apps[app] = try AppRollout(node, at: "apps.\(name)")
        }
        self.init(digest: .hash(bytes), apps: apps)
    }

    /// The members of a mapping by their names; an empty text is an empty mapping.
    /// - Parameter names: The allowed names; `nil` allows any.
    fileprivate static func members(
        of node: Node, at place: String, taking names: [String]? = nil
    ) throws(RolloutFault) -> [String: Node] {
        if let scalar = node.scalar, scalar.string.isEmpty { return [:] }
        guard let mapping = node.mapping else { throw RolloutFault("\(place): takes a mapping") }
        var members: [String: Node] = [:]
        for (key, value) in mapping {
            guard let name = key.string, names?.contains(name) ?? true else {
                throw RolloutFault("\(place): \(key.string ?? "a key"): there is no such member")
            }
            members[name] = value
        }
        return members
    }
}

extension AppRollout {
    private static let names = [
        "mode", "percentage", "osVersionMinimum", "bundleVersionMinimum", "validationCategories", "notBelowAttested",
    ]

    /// Reads one app's part of a file.
    fileprivate init(_ node: Node, at place: String) throws(RolloutFault) {
        let members = try RolloutPolicy.members(of: node, at: place, taking: Self.names)
        guard let mode = members["mode"]?.string.flatMap(RolloutMode.init) else {
            let words = RolloutMode.allCases.map(\.rawValue).joined(separator: " | ")
            throw RolloutFault("\(place).mode: takes \(words)")
        }
        self.init(mode: mode)
        if let node = members["percentage"] {
            guard let buckets = node.string.flatMap(Self.buckets) else {
                throw RolloutFault("\(place).percentage: takes 0 to 100 with at most two decimals")
            }
            bucketsWithin = buckets
        }
        osVersionMinimum = try Self.version(members, "osVersionMinimum", place)
        extensions.bundleVersionMinimum = try Self.version(members, "bundleVersionMinimum", place)
        extensions.validationCategories = try Self.categories(members, place)
        extensions.notBelowAttested = try Self.attestedFacts(members, place)
    }

    /// `12.34` percent are 1,234 buckets; read as text, so that no rounding moves a device.
    private static func buckets(_ percentage: String) -> Int? {
        let parts = percentage.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let decimals = parts.count == 2 ? String(parts[1]) : "00"
        let isNumber = (parts + [decimals[...]]).allSatisfy { part in
            !part.isEmpty && part.utf8.allSatisfy(\.isDecimalDigit)
        }
        guard isNumber, parts[0].utf8.count <= 3, decimals.utf8.count <= 2,
            let whole = Int(parts[0]), let hundredths = Int(decimals.utf8.count == 1 ? decimals + "0" : decimals)
        else { return nil }
        let buckets = whole * 100 + hundredths
        return buckets <= RolloutBucket.count ? buckets : nil
    }

    private static func version(
        _ members: [String: Node], _ name: String, _ place: String
    ) throws(RolloutFault) -> DottedVersion? {
        guard let node = members[name] else { return nil }
        guard let version = node.string.flatMap(DottedVersion.init) else {
            throw RolloutFault("\(place).\(name): takes numbers with dots between them, such as 26.2")
        }
        return version
    }

    private static func categories(_ members: [String: Node], _ place: String) throws(RolloutFault) -> Set<Int>? {
        guard let node = members["validationCategories"] else { return nil }
        let categories = node.sequence?.map {
            $0.string.flatMap(Int.init).flatMap { (0...255).contains($0) ? $0 : nil }
        }
        guard let categories, !categories.isEmpty, !categories.contains(nil) else {
            throw RolloutFault("\(place).validationCategories: takes a list of numbers from 0 to 255, at least one")
        }
        return Set(categories.compactMap { $0 })
    }

    private static func attestedFacts(
        _ members: [String: Node], _ place: String
    ) throws(RolloutFault) -> Set<ExtensionPolicy.AttestedFact> {
        guard let node = members["notBelowAttested"] else { return [] }
        let facts = node.sequence?.map { $0.string.flatMap { ExtensionPolicy.AttestedFact(rawValue: $0) } }
        guard let facts, !facts.isEmpty, !facts.contains(nil) else {
            let words = ExtensionPolicy.AttestedFact.allCases.map(\.rawValue).joined(separator: " and ")
            throw RolloutFault("\(place).notBelowAttested: takes a list of \(words), at least one")
        }
        return Set(facts.compactMap { $0 })
    }
}
