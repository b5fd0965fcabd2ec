import Foundation
import FuzzTargets
import Testing

/// Every input that fuzzing started from or found: what broke something once never does again.
@Suite struct `The corpora of the fuzz targets` {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Corpora")

    private static func files(_ target: FuzzTarget) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(
            at: folder.appendingPathComponent(target.rawValue), includingPropertiesForKeys: nil
        ).sorted { $0.lastPathComponent < $1.lastPathComponent }
    }

    @Test(.timeLimit(.minutes(1)), arguments: FuzzTarget.allCases)
    func `the corpora of the fuzz targets hold every property`(target: FuzzTarget) throws {
        let files = try Self.files(target)
        #expect(files.count >= 10, "the corpus of \(target.rawValue) is there")
        for file in files {
            let input = Array(try Data(contentsOf: file))
            #expect(throws: Never.self, "\(target.rawValue)/\(file.lastPathComponent)") { try target.run(input) }
        }
    }

    @Test(arguments: FuzzTarget.allCases)
    func `the corpora of the fuzz targets are small enough to be replayed each time`(target: FuzzTarget) throws {
        let sizes = try Self.files(target).map { try Data(contentsOf: $0).count }
        #expect(sizes.count <= 100)
        #expect(sizes.reduce(0, +) <= 250_000)
    }

    @Test func `the corpora of the fuzz targets belong to a target each`() throws {
        let folders = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
        #expect(Set(folders) == Set(FuzzTarget.allCases.map(\.rawValue)))
    }
}
