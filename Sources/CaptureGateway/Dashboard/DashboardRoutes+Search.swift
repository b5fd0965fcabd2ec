import CaptureModel
import CaptureOperations
import CaptureQueue
import CaptureStore
import Hummingbird

/// What is found by an id, its beginning, or a digest.
extension DashboardRoutes {
    /// The page of what a text names; `nil` when nothing is known by it.
    func found(_ text: String, _ shell: Shell) async throws(APIError) -> Response? {
        if let digest = SHA256Digest(hex: text.lowercased()) { return try await page(of: digest, shell) }
        guard let capture = CaptureID(text), let device = DeviceID(text) else {
            return try await page(beginning: text, shell)
        }
        if try await lookup.standing(of: capture, for: .readToken) != nil { return Self.page(of: capture) }
        let devices = try await askingStore { () async throws(StoreError) in
            try await dependencies.store.devices([device])
        }
        if !devices.isEmpty { return PageAnswer.redirect(to: Page.device.address(device)) }
        return try await deeds(on: capture).map { _ in Self.page(of: capture) }
    }

    /// What operators did to a capture; `nil` if they did nothing to a capture of this id.
    func deeds(on capture: CaptureID) async throws(APIError) -> AuditTrail? {
        let trail = try await askingStore { () async throws(StoreError) in
            try await AuditTrail(of: capture.description, in: dependencies.store)
        }
        // Ids of devices look the same.
        return trail.entries.contains { $0.action.hasPrefix("capture.") } ? trail : nil
    }

    /// What a text is that was not found.
    static func kind(of text: String) -> CapturesPage.Missing.Kind {
        if SHA256Digest(hex: text.lowercased()) != nil || CaptureID(text) != nil { return .whole }
        return IDPrefix(text) == nil ? .other : .beginning
    }

    /// The page of the only capture or device whose id begins with a text, or a list of several.
    private func page(beginning text: String, _ shell: Shell) async throws(APIError) -> Response? {
        guard let prefix = IDPrefix(text) else { return nil }
        let (archive, store) = (operators.archive, dependencies.store)
        let found = try await askingStore { () async throws(StoreError) in
            try await archive.ids(beginningWith: prefix)
        }
        switch (found.captures.count, found.devices.count) {
        case (0, 0): return nil
        case (1, 0): return Self.page(of: found.captures[0])
        case (0, 1): return PageAnswer.redirect(to: Page.device.address(found.devices[0]))
        default: break
        }
        let statuses = try await lookup.statuses(of: found.captures, for: .readToken)
        let devices = try await askingStore { () async throws(StoreError) in try await store.devices(found.devices) }
        let page = BeginningPage(
            text: text, captures: statuses.map { ListedCapture($0) }, devices: found.devices.compactMap { devices[$0] },
            isCut: found.isCut)
        return PageAnswer.html(page.markup(shell))
    }

    /// The page of the only capture of a digest, or a list of those that were received first.
    ///
    /// Whoever has seen a photo can upload it from their own device: none of several stands for the others.
    private func page(of digest: SHA256Digest, _ shell: Shell) async throws(APIError) -> Response? {
        let archive = operators.archive
        var ids = try await askingStore { () async throws(StoreError) in try await archive.captures(of: digest) }
        if ids.isEmpty, let accepted = try await accepted(digest) { ids = [accepted] }
        guard let first = ids.first else { return nil }
        if ids.count == 1 { return Self.page(of: first) }
        let statuses = try await lookup.statuses(of: ids, for: .readToken)
        let page = DigestPage(
            digest: digest, statuses: statuses, isCut: ids.count >= DigestPage.capturesMax)
        return PageAnswer.html(page.markup(shell))
    }

    /// The capture that the queue has for a bundle, if anything is known of it.
    ///
    /// A capture with its result has no row in the ledger any more, and one that was handed off never had one.
    private func accepted(_ bundle: SHA256Digest) async throws(APIError) -> CaptureID? {
        let queue = dependencies.queue
        let capture = try await askingQueue { () async throws(QueueError) in try await queue.accepted(bundle) }
        guard let capture else { return nil }
        return try await lookup.standing(of: capture, for: .readToken).map { _ in capture }
    }

    private static func page(of capture: CaptureID) -> Response {
        PageAnswer.redirect(to: Page.capture.address(capture))
    }

    var lookup: CaptureLookup { CaptureLookup(dependencies) }
}
