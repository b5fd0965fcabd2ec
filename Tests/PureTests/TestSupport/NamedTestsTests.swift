import Foundation
import TestSupport
import Testing

/// Whoever doubts a promise looks for the test that is named beside it.
@Suite("The tests that are named") struct NamedTestsTests {
    private static let indexes = ["README.md", "Tests/README.md"]

    @Test(arguments: indexes) func `the tests that are named are files below Tests`(index: String) throws {
        let names = try Self.named(in: index)
        #expect(names.count > 20)
        #expect(names.subtracting(try Self.paths().compactMap(\.last)) == [])
    }

    @Test func `tests that are not named are in the folder of the one target that they test`() throws {
        let targets = Set(
            try Repository.text("Package.swift").matches(of: /arget\(\s*name: "([A-Za-z0-9-]+)"/)
                .map { String($0.output.1) })
        #expect(targets.isSuperset(of: ["CaptureModel", "capturectl"]))
        let named = try Set(Self.indexes.flatMap { try Self.named(in: $0) })
        let others = try Self.paths().filter { $0.count < 3 || !targets.contains($0[1]) }.compactMap(\.last)
        #expect(others.count > 100)
        #expect(Set(others).subtracting(named) == [])
    }

    private static func named(in index: String) throws -> Set<String> {
        let names = try Repository.text(index).matches(of: /`([A-Z][A-Za-z0-9]+Tests)`/).map { String($0.output.1) }
        return Set(names).subtracting(["PureTests", "ServerTests", "EndToEndTests"])
    }

    /// Where each file of tests is below `Tests`, and its name.
    private static func paths() throws -> [[String]] {
        let folder = Repository.directory.appendingPathComponent("Tests")
        return try FileManager.default.subpathsOfDirectory(atPath: folder.path)
            .filter { $0.wholeMatch(of: /.*\/[A-Z][A-Za-z0-9]+Tests\.swift/) != nil }
            .map { $0.dropLast(".swift".count).split(separator: "/").map(String.init) }
    }
}
