import ArgumentParser
import Crypto
import Foundation
import PrivateServers
import Testing

@testable import capturectl

@Suite("The developer's key of `simulate apple`")
struct DeveloperKeyFileTests {
    private let directory: URL
    private var file: URL { directory.appendingPathComponent("AuthKey.p8") }

    init() throws { directory = try TemporaryDirectory.make("key") }

    @Test func `the key of simulate apple is made where there is no file, for its owner only, and read from then on`()
        throws
    {
        defer { try? FileManager.default.removeItem(at: directory) }
        let made = try DeveloperKeyFile.key(file.path)
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(try DeveloperKeyFile.key(file.path).rawRepresentation == made.rawRepresentation)
    }

    @Test(arguments: [Data([0xFF, 0xFE, 0x00]), Data("no key".utf8), Data(), Data(repeating: 0x41, count: 100_000)])
    func `the key of simulate apple is never put in place of what is there`(content: Data) throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        try content.write(to: file)
        let error = #expect(throws: ValidationError.self) { try DeveloperKeyFile.key(file.path) }
        let words = "\(file.path) holds no P-256 key in PEM form"
        #expect(error?.message.hasPrefix(words) == true, "\(error?.message ?? "")")
        #expect(try Data(contentsOf: file) == content)
    }

    @Test func `the key of simulate apple is made in no file that a link leads to`() throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        let target = directory.appendingPathComponent("elsewhere")
        try FileManager.default.createSymbolicLink(at: file, withDestinationURL: target)
        let error = #expect(throws: ValidationError.self) { try DeveloperKeyFile.key(file.path) }
        #expect(error?.message.contains("cannot be made: File exists") == true, "\(error?.message ?? "")")
        #expect(!FileManager.default.fileExists(atPath: target.path))
    }
}
