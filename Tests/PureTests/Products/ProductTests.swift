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
        let own = Set(try FileManager.default.contentsOfDirectory(atPath: Self.sources.path))
        #expect(own.isSuperset(of: Self.libraries))
        let files = try Self.files(of: library)
        #expect(!files.isEmpty)
        for (file, text) in files {
            let imports = text.matches(of: /(?:public import|@_exported import) (?:[a-z]+ )?([A-Za-z0-9_]+)/)
            let shown = own.intersection(imports.map { String($0.output.1) })
            #expect(shown.subtracting(Self.libraries) == [], "\(file)")
        }
    }

    /// What only the programs share is `package`, so that nobody takes it for a promise.
    @Test func `each type that CaptureModel shows is named in what another library product shows`() throws {
        var shown: Set<String> = []
        for library in Self.libraries.subtracting(["CaptureModel"]) {
            for text in try Self.files(of: library).values {
                // A declaration goes on to the end of its line, and of its parameters.
                for declaration in text.matches(of: /\n *public (?:[^\n(]|\([^)]*\))*/) {
                    shown.formUnion(declaration.output.matches(of: /\w+/).map { String($0.output) })
                }
            }
        }
        let types = try Self.files(of: "CaptureModel").values.flatMap { text in
            text.matches(of: /\npublic (?:final )?(?:actor|class|enum|protocol|struct|typealias) (\w+)/)
                .map { String($0.output.1) }
        }
        #expect(types.contains("CaptureID"))
        #expect(Set(types).subtracting(shown) == [])
    }

    /// Apple's SDKs have Foundation alone.
    @Test func `the library products and what they are built of import FoundationEssentials only where there is one`()
        throws
    {
        let conditional = ["", "package ", "public "].map { access in
            """
            #if canImport(FoundationEssentials)
                \(access)import FoundationEssentials
            #else
                \(access)import Foundation
            #endif

            """
        }
        let targets = try Self.targets()
        #expect(targets.isSuperset(of: Self.libraries.union(["ConnectionFault", "MultiBufferP256", "StrictJSON"])))
        for target in targets {
            for (file, text) in try Self.files(of: target) {
                let rest = conditional.reduce(text) { $0.replacingOccurrences(of: $1, with: "") }
                #expect(!rest.contains("import FoundationEssentials"), "\(target)/\(file)")
            }
        }
    }

    /// Whoever leaves the trait `Programs` out fetches these packages alone.
    @Test func `the library products but AppleDeviceCheck need three packages`() throws {
        let constants = try Self.needs(of: Self.libraries.subtracting(["AppleDeviceCheck"])).packages
        let manifest = try Repository.text("Package.swift")
        let packages = manifest.matches(
            of: /let (\w+) = Target\.Dependency\.product\(name: "\w+", package: "([\w-]+)"\)/)
        let withoutTraits = Dictionary(
            uniqueKeysWithValues: packages.map { (String($0.output.1), String($0.output.2)) })
        #expect(Set(constants.map { withoutTraits[$0] }) == ["swift-asn1", "swift-certificates", "swift-crypto"])
    }

    /// The libraries, and the targets of this package that they are built of.
    private static func targets() throws -> Set<String> { try needs(of: libraries).targets }

    /// What libraries are built of: targets of this package, themselves included, and the manifest's constants for
    /// products of others.
    private static func needs(of libraries: Set<String>) throws -> (targets: Set<String>, packages: Set<String>) {
        let declared = try Repository.text("Package.swift").matches(
            of: /\.target\(\s*name: "(\w+)",(?:\s*dependencies: \[([^\]]*)\])?/)
        let dependencies = declared.reduce(into: [String: [(isTarget: Bool, name: String)]]()) { dependencies, target in
            let names = (target.output.2 ?? "").matches(of: /("?)(\w+)"?/)
            dependencies[String(target.output.1)] = names.map { (!$0.output.1.isEmpty, String($0.output.2)) }
        }
        var (targets, packages) = (libraries, Set<String>())
        var open = Array(libraries)
        while let target = open.popLast() {
            for (isTarget, name) in dependencies[target, default: []] {
                if !isTarget {
                    packages.insert(name)
                } else if targets.insert(name).inserted {
                    open.append(name)
                }
            }
        }
        return (targets, packages)
    }

    private static var sources: URL { Repository.directory.appendingPathComponent("Sources") }

    /// The text of each Swift file of a library, by its path in the library's folder.
    private static func files(of library: String) throws -> [String: String] {
        let folder = sources.appendingPathComponent(library)
        let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".swift") }
        let texts = try files.map { file in
            (file, try String(contentsOf: folder.appendingPathComponent(file), encoding: .utf8))
        }
        return Dictionary(uniqueKeysWithValues: texts)
    }
}
