import CaptureModel
import Hummingbird

/// `POST /api/v1/captures/status`: where many captures stand, for dashboards.
struct StatusesRoute: Sendable {
    let reading: GatewayConfiguration.Reading
    let now: TimeSource
    let lookup: CaptureLookup
    let access: AccessControl
    let bodies: RequestBodies

    /// Answers in the order asked; captures that are unknown or others' are left out.
    func handle(_ request: Request, _ context: GatewayContext) async throws(APIError) -> Response {
        // Looked at first: only known callers are asked for a body.
        let asker = try await access.asker(of: request, context)
        let (reader, captures) = try await bodies.read(request, context) {
            body throws(APIError) -> (Reader, [CaptureID]) in
            let reader = try await access.reader(asker, body: body)
            let question = try JSONBody.decode(Question.self, from: body, headers: request.headers)
            return (reader, try self.captures(question, for: reader))
        }
        let statuses = captures.isEmpty ? [] : try await lookup.statuses(of: captures, for: reader)
        return try Envelope.success(Answer(captures: statuses), context: context, now: now())
    }

    private func captures(_ question: Question, for reader: Reader) throws(APIError) -> [CaptureID] {
        let countMax = reader.isDevice ? reading.deviceStatusIDsMax : reading.statusIDsMax
        guard question.captureIDs.count <= countMax else {
            throw .invalid("capture_ids", "must have at most \(countMax) ids")
        }
        var captures: [CaptureID] = []
        for (index, text) in question.captureIDs.enumerated() {
            guard let id = CaptureID(text) else { throw .invalid("capture_ids.\(index)", "must be a capture id") }
            captures.append(id)
        }
        return captures
    }

    private struct Question: ClosedBody {
        var captureIDs: [String]

        static let members = CodingKeys.allCases.map(\.rawValue)

        enum CodingKeys: String, CodingKey, CaseIterable {
            case captureIDs = "capture_ids"
        }
    }

    private struct Answer: Encodable, Sendable {
        var captures: [StatusDocument]
    }
}
