import HTTPTypes
import Hummingbird
import NIOCore

/// Style, script and icon: part of the program, so that nothing comes from anywhere else.
enum Assets {
    private static let all: [String: (type: String, bytes: [UInt8])] = [
        "dashboard.css": ("text/css; charset=utf-8", PackageResources.dashboard_css),
        "dashboard.js": ("text/javascript; charset=utf-8", PackageResources.dashboard_js),
        "live.js": ("text/javascript; charset=utf-8", PackageResources.live_js),
        "icon.svg": ("image/svg+xml", PackageResources.icon_svg),
    ]

    private static let tags = all.mapValues { EntityTag(bytes: $0.bytes) }

    /// Answers with a file, or with 304 when the browser has it.
    static func answer(_ request: Request, _ context: GatewayContext) throws(APIError) -> Response {
        guard let name = context.parameters.get("name"), let file = all[name], let tag = tags[name] else {
            throw APIError(.notFound, "there is no such file")
        }
        var answer = PageAnswer.bytes(ByteBuffer(bytes: file.bytes), type: file.type)
        answer.headers[.eTag] = tag.field
        // Asked about each time: after a new release the old style would not fit the new pages.
        answer.headers[.cacheControl] = "no-cache"
        guard let known = request.headers[.ifNoneMatch], tag.matches(ifNoneMatch: known) else { return answer }
        return Response(status: .notModified, headers: answer.headers)
    }
}
