import CaptureModel
import HTML
import HTTPTypes
import Hummingbird
import NIOCore

/// What a page answers with.
enum PageAnswer {
    /// Nothing from other hosts, no inline script or style, no frame of another site, forms to this host only.
    static let contentSecurityPolicy = """
        default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
        form-action 'self'; base-uri 'none'; frame-ancestors 'none'
        """

    /// The fields that each answer of the dashboard has.
    static var headers: HTTPFields {
        [
            .cacheControl: "no-store", .contentSecurityPolicy: contentSecurityPolicy, .referrerPolicy: "same-origin",
            .frameOptions: "DENY", .openerPolicy: "same-origin", .resourcePolicy: "same-origin",
            .xContentTypeOptions: "nosniff",
        ]
    }

    /// A page.
    static func html(_ page: Markup, status: HTTPResponse.Status = .ok) -> Response {
        var headers = headers
        headers[.contentType] = "text/html; charset=utf-8"
        return Response(status: status, headers: headers, body: .init(byteBuffer: ByteBuffer(string: page.document)))
    }

    /// The page of a failure, with `Retry-After` where it is known.
    ///
    /// While a server is away, the browser itself asks again for a page that only reads: nobody has to sit there. One of
    /// a form leads back to where the form is.
    static func failure(
        _ error: APIError, headers: HTTPFields = [:], of request: Request, requestID: String
    ) -> Response {
        let isPutOff = request.method == .get && error.code.status == .serviceUnavailable
        let again = isPutOff ? Destination(request.uri.string) : nil
        let back = request.method == .post ? Destination.referrer(of: request) : nil
        let page = ErrorPage(error: error, requestID: requestID, again: again, back: back)
        var answer = html(page.markup, status: error.code.status)
        answer.headers.append(contentsOf: headers)
        if let pause = error.retryAfter {
            answer.headers[.retryAfter] = String(Envelope.wholeSeconds(pause))
            if again != nil { answer.headers[.refresh] = String(Envelope.wholeSeconds(pause)) }
        }
        return answer
    }

    /// After something was done: the browser loads a page by itself, so that loading it again does nothing twice.
    static func redirect(to path: String) -> Response {
        var headers = headers
        headers[.location] = path
        return Response(status: .seeOther, headers: headers)
    }

    /// Bytes of a kind that the gateway names, whatever they are.
    static func bytes(_ bytes: ByteBuffer, type: String) -> Response {
        answer(.init(byteBuffer: bytes), type: type)
    }

    /// The bytes of a picture, whose place is held until they are written.
    static func picture(_ picture: Picture, type: String) -> Response {
        answer(picture.body, type: type)
    }

    private static func answer(_ body: ResponseBody, type: String) -> Response {
        var headers = headers
        headers[.contentType] = type
        return Response(status: .ok, headers: headers, body: body)
    }
}
