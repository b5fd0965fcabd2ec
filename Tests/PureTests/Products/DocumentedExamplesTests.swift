import Foundation
import TestSupport
import Testing

/// Holds the documented examples of the library products to `DocumentedExamples.swift`, which the compiler sees.
@Suite("Documented examples", .timeLimit(.minutes(1))) struct DocumentedExamplesTests {
    private static let guide = "Sources/AppAttest/AppAttest.docc/UsingTheLibraries.md"

    /// The files whose examples are compiled.
    private static let documents: [(name: String, text: String)] = {
        let folders = ["Sources/AppAttest", "Sources/AppleDeviceCheck"]
        let paths = folders.flatMap { folder in
            let directory = Repository.directory.appendingPathComponent(folder)
            let files = (try? FileManager.default.subpathsOfDirectory(atPath: directory.path)) ?? []
            return files.filter { $0.hasSuffix(".swift") || $0.hasSuffix(".md") }.sorted().map { "\(folder)/\($0)" }
        }
        return paths.map { (name: $0, text: (try? Repository.text($0)) ?? "") }
    }()

    /// The lines of each block of Swift, without its imports.
    private static func examples(in text: String) -> [[String]] {
        var examples: [[String]] = []
        var current: [String]?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let plain = plain(line)
            if let lines = current {
                if plain == "```" { (examples, current) = (examples + [lines], nil) } else { current = lines + [plain] }
            } else if plain == "```swift" {
                current = []
            }
        }
        return examples.map { $0.filter { !$0.isEmpty && !$0.hasPrefix("import ") } }
    }

    /// A line without indentation, and without the three slashes of a comment.
    private static func plain(_ line: Substring) -> String {
        let text = line.trimmingCharacters(in: .whitespaces)
        return text.hasPrefix("///") ? text.dropFirst(3).trimmingCharacters(in: .whitespaces) : text
    }

    @Test func `the examples are found`() {
        let found = Self.documents.map { ($0.name, Self.examples(in: $0.text).count) }
        let counts = Dictionary(uniqueKeysWithValues: found)
        #expect(counts[Self.guide] == 2 && counts["Sources/AppAttest/AppID.swift"] == 1)
        #expect(counts["Sources/AppAttest/AppAttest.docc/CommandLine.md"] == 2)
        #expect(counts["Sources/AppleDeviceCheck/Connection/AppleServer.swift"] == 1)
        #expect(counts.values.reduce(0, +) >= 14)
    }

    @Test func `each example of the libraries is one that compiles`() throws {
        let compiled = try Repository.text("Tests/PureTests/Products/DocumentedExamples.swift").split(separator: "\n")
            .map(Self.plain).filter { !$0.isEmpty }
        for (name, text) in Self.documents {
            // What stands in a manifest is looked at below.
            for example in Self.examples(in: text) where !Self.isOfManifest(example) {
                #expect(!example.isEmpty && compiled.contains(example), "\(name): \(example)")
            }
        }
    }

    @Test func `the lines for a manifest name the library products and the version of the tools`() throws {
        let guide = try Repository.text(Self.guide)
        let lines = try #require(Self.examples(in: guide).first(where: Self.isOfManifest)).joined(separator: "\n")
        let manifest = try Repository.text("Package.swift")
        let tools = try #require(manifest.split(separator: "\n").first)
        #expect(lines.hasPrefix(tools))
        let products = lines.matches(of: /\.product\(name: "([A-Za-z]+)"/).map { String($0.output.1) }
        #expect(!products.isEmpty)
        for product in products { #expect(manifest.contains(#".library(name: "\#(product)", "#)) }
        let readme = try Repository.text("README.md")
        for product in manifest.matches(of: /\.library\(name: "([A-Za-z]+)"/) {
            #expect(readme.contains("`\(product.output.1)`"))
        }
    }

    private static func isOfManifest(_ example: [String]) -> Bool { example.contains { $0.hasPrefix(".package(") } }
}
