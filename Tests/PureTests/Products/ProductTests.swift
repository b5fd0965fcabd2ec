import Foundation
import TestSupport
import Testing

/// Holds the libraries that others build on to what they promise.
@Suite("The library products", .timeLimit(.minutes(1))) struct ProductTests {
    private static let libraries: Set = ["AppAttest", "AppleDeviceCheck", "CBOR", "CaptureModel", "Evidence"]

    @Test func `the library products are those that are promised`() throws {
        let products = try Repository.text("Package.swift").matches(
            of: /\.library\(name: "([A-Za-z]+)", targets: \["([A-Za-z]+)"\]\)/)
        #expect(Set(products.map { String($0.output.1) }) == Self.libraries)
        #expect(products.allSatisfy { $0.output.1 == $0.output.2 })
    }

    /// Whoever uses such a type would have to import a module that is not for him, and may change with any release.
    @Test(arguments: libraries) func `the library products show no types of modules that are no products`(
        library: String
    ) throws {
        let sources = Repository.directory.appendingPathComponent("Sources")
        let own = Set(try FileManager.default.contentsOfDirectory(atPath: sources.path))
        #expect(own.isSuperset(of: Self.libraries))
        let folder = sources.appendingPathComponent(library)
        let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".swift") }
        #expect(!files.isEmpty)
        for file in files {
            let text = try String(contentsOf: folder.appendingPathComponent(file), encoding: .utf8)
            let imports = text.matches(of: /(?:public import|@_exported import) (?:[a-z]+ )?([A-Za-z0-9_]+)/)
            let shown = own.intersection(imports.map { String($0.output.1) })
            #expect(shown.subtracting(Self.libraries) == [], "\(file)")
        }
    }
}
