import Foundation
import TestSupport
import Testing

/// Whoever doubts a promise looks for the test that is named beside it.
@Suite("The tests that are named") struct NamedTestsTests {
    @Test(arguments: ["README.md", "Tests/README.md"]) func `the tests that are named are files below Tests`(
        file: String
    ) throws {
        let folder = Repository.directory.appendingPathComponent("Tests")
        let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        let files = Set(paths.compactMap { $0.split(separator: "/").last.map(String.init) })
        let names = try Repository.text(file).matches(of: /`([A-Z][A-Za-z0-9]+Tests)`/).map { String($0.output.1) }
        #expect(names.count > 20)
        let targets: Set = ["PureTests", "ServerTests", "EndToEndTests"]
        #expect(Set(names).subtracting(targets).filter { !files.contains("\($0).swift") } == [])
    }
}
