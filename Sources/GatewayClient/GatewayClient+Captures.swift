package import CaptureModel
import NIOCore
import NIOHTTP1

extension GatewayClient {
    /// Uploads a capture of a device.
    /// - Parameter limit: How long all attempts and the pauses between them may take; `nil` for any time.
    package func upload(
        _ capture: CaptureUpload, device: DeviceID, within limit: Duration? = nil
    ) async throws(GatewayError) -> UploadReceipt {
        let form = capture.form()
        let call = Call(
            method: .POST, path: "/api/v1/captures",
            headers: ["Content-Type": form.contentType, "X-Device-Id": device.description], body: form.body,
            isKnownAgain: true
        )
        let data = try await send(call, within: limit).data
        guard let id = data["capture_id"]?.string.flatMap({ CaptureID($0) }),
            let state = data["status"]?.string.flatMap(CaptureState.init(rawValue:))
        else { throw Self.unread(data) }
        return UploadReceipt(captureID: id, state: state, isDuplicate: data["duplicate"] == .bool(true))
    }

    /// Asks where a capture stands.
    /// - Parameters:
    ///   - wait: How long the gateway may hold the answer back while the capture is not settled; whole seconds.
    ///   - limit: How long all attempts and the pauses between them may take; `nil` for any time.
    package func status(
        _ capture: CaptureID, wait: Duration? = nil, within limit: Duration? = nil,
        as credentials: @escaping Credentials.Source
    ) async throws(GatewayError) -> CaptureStatus {
        let query = wait.map { "?wait=\($0.components.seconds)" } ?? ""
        let call = Call(method: .GET, path: "/api/v1/captures/\(capture)\(query)", hold: wait ?? .zero)
        let data = try await send(call, as: credentials, within: limit).data
        guard let status = CaptureStatus(data) else { throw Self.unread(data) }
        return status
    }

    /// The error for an answer without a known state of a capture.
    private static func unread(_ data: JSONValue) -> GatewayError {
        let isWhole = data["capture_id"]?.string.flatMap { CaptureID($0) } != nil && data["status"]?.string != nil
        return .malformedAnswer(isWhole ? "a status that this version does not know" : "no capture id or status")
    }

    /// Asks until a capture is settled or the time is over; the last answer tells which.
    ///
    /// When the time is over, neither an outstanding answer nor a pause before another attempt is waited for. A dead
    /// letter ends the wait as well, although it may be redriven. A gateway holds its answers about a dead letter back,
    /// so this learns of one that was dead before it asked only when the hold is over.
    /// - Throws: ``GatewayError/outOfTime(last:)`` where the time was over before any answer came.
    package func settled(
        _ capture: CaptureID, within limit: Duration, wait: Duration = .seconds(10),
        as credentials: @escaping Credentials.Source
    ) async throws(GatewayError) -> CaptureStatus {
        let left = clock.left(of: limit)
        var last: CaptureStatus?
        while true {
            let rest = left()
            // The hold ends a second before the time is over, so that the answer arrives in time.
            let longest = min(wait, rest - .seconds(1))
            let known: CaptureStatus
            do throws(GatewayError) {
                known = try await status(
                    capture, wait: longest < .seconds(1) ? nil : longest, within: rest, as: credentials)
            } catch {
                guard case .outOfTime = error, let last else { throw error }
                return last
            }
            if !known.state.isWaiting { return known }
            last = known
            // A gateway that does not hold the answer back is not asked in a tight loop.
            if rest - left() < .milliseconds(200) {
                do { try await clock.sleep(for: .milliseconds(200)) } catch { throw .cancelled }
            }
            guard left() > .zero else { return known }
        }
    }

    /// Asks for a settled capture's provenance result.
    package func provenance(
        _ capture: CaptureID, as credentials: @escaping Credentials.Source
    ) async throws(GatewayError) -> JSONValue {
        try await send(Call(method: .GET, path: "/api/v1/captures/\(capture)/provenance"), as: credentials).data
    }

    /// Asks for a settled capture's evidence, as the owning device or with a token of an operator or for evidence.
    package func evidence(
        _ capture: CaptureID, as credentials: @escaping Credentials.Source
    ) async throws(GatewayError) -> JSONValue {
        try await send(Call(method: .GET, path: "/api/v1/captures/\(capture)/evidence"), as: credentials).data
    }
}
