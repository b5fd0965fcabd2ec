import HTTPTypes
import Hummingbird

/// How people get in, and on to where they wanted to go.
extension DashboardRoutes {
    /// The form, with why it is shown.
    func login(_ request: Request) async throws(APIError) -> Response {
        let fields = FormFields(request.uri.query ?? "")
        var page = LoginPage(isOpen: sessions.isOpen, destination: fields["next"].flatMap { Destination($0) })
        let cause = LoginPage.Cause.allCases.first { fields[$0.rawValue] != nil }
        let leadsOn = cause == .unkept || (cause == nil && page.destination != nil)
        if leadsOn, try await sessions.user(of: request) != nil {
            return Self.entry(to: page.destination)
        }
        page.problem = cause?.problem
        return PageAnswer.html(page.markup)
    }

    func logIn(_ request: Request, _ context: GatewayContext) async throws(APIError) -> Response {
        try Sessions.requireOwnOrigin(request)
        let rate = RequestRate(rates: rates, dependencies: dependencies)
        try await rate.admit(.login, of: context.clientAddress)
        let form = try await fields(of: request, context)
        var page = LoginPage(isOpen: sessions.isOpen, destination: form["next"].flatMap { Destination($0) })
        page.name = form["name"] ?? ""
        guard let name = LoginName.visible(form["name"] ?? "") else {
            page.problem = "Give a name that can be read, of \(LoginName.scalarsMax) characters at most."
            page.fieldAtFault = .name
            return PageAnswer.html(page.markup, status: .forbidden)
        }
        page.name = name
        guard let token = form["token"],
            let cookie = try await sessions.logIn(token: token, name: name, authority: request.head.authority)
        else {
            page.problem = "This token opens no dashboard."
            page.fieldAtFault = .token
            return PageAnswer.html(page.markup, status: .forbidden)
        }
        var answer = Self.entry(to: page.destination)
        if Sessions.mayLoseCookie(request) {
            answer.headers[.location] = LoginPage.address(.unkept, to: page.destination)
        }
        answer.headers[.setCookie] = cookie
        return answer
    }

    private static func entry(to destination: Destination?) -> Response {
        PageAnswer.redirect(to: destination?.address ?? Page.overview.address)
    }
}
