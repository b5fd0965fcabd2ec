import FoundationEssentials
import NIOHTTP1
import TestSupport
import Testing

@testable import CaptureGateway

/// Holds every answer that a test of the gateway gets to the description that the gateway serves.
enum DescribedAnswers {
    /// What is no part of the API.
    static let pages = ["/dashboard"]

    /// The description as it is served; what configurations make different in it is said of requests alone.
    static func document() throws -> [UInt8] {
        let description = try OpenAPIDocument(configuration: GatewayConfiguration(appIDs: []))
        return Array(try JSONEncoder().encode(description.tree))
    }

    private static let conformity: Result<OpenAPIConformity, any Error> = Result {
        try OpenAPIConformity(document: document(), besides: pages)
    }

    /// What is wrong with an answer.
    static func faults(
        _ method: HTTPMethod, _ path: String, status: Int, headers: HTTPHeaders, body: [UInt8]
    ) throws -> [String] {
        try conformity.get().faults(
            in: OpenAPIConformity.Answer(
                method: method.rawValue, path: path, status: status,
                headers: headers.map { (name: $0.name, value: $0.value) }, body: body))
    }

    /// Records what is wrong with an answer as issues of the test that got it.
    static func check(
        _ method: HTTPMethod, _ path: String, status: Int, headers: HTTPHeaders, body: [UInt8],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        for fault in try faults(method, path, status: status, headers: headers, body: body) {
            Issue.record(
                "\(method.rawValue) \(path) was answered with \(status), not as described: \(fault)",
                sourceLocation: sourceLocation)
        }
    }
}
