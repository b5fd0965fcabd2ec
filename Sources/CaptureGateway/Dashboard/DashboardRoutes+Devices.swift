import CaptureModel
import CaptureStore
import Hummingbird

/// The list of devices, and what ending one would do.
extension DashboardRoutes {
    /// How many devices are read at once where only some of them pass.
    private static let devicesAtOnce = 500

    func devices(_ request: Request, _ shell: Shell) async throws(APIError) -> Response {
        let fields = FormFields(request.uri.query ?? "")
        var page = DevicesPage(found: [], after: try DeviceRoutes.place(in: fields))
        if let word = fields[DevicesPage.standingField] {
            guard let standing = DevicesPage.Standing(word: word) else {
                let known = DevicesPage.Standing.allCases.map(\.rawValue).joined(separator: ", ")
                throw .invalid(DevicesPage.standingField, "must be \(known)")
            }
            page.standing = standing
            (page.found, page.end) = try await devices(standing, after: page.after)
        } else {
            page.found = try await dependencies.store.devicePage(after: page.after, limit: DevicesPage.pageSize + 1)
        }
        return PageAnswer.html(page.markup(shell))
    }

    /// Devices of a standing, newest first: a page and one more, if ``DevicesPage/looksMax`` have that many.
    ///
    /// No index has a standing in the order of the list.
    /// - Returns: They, and the last one that was looked at, if others follow it.
    private func devices(
        _ standing: DevicesPage.Standing, after start: DeviceID?
    ) async throws(APIError) -> (found: [ListedDevice], end: DeviceID?) {
        var (found, end, looked): ([ListedDevice], DeviceID?, Int) = ([], start, 0)
        repeat {
            let devices = try await dependencies.store.devicePage(after: end, limit: Self.devicesAtOnce)
            found += devices.filter { standing.passes($0) }
            guard devices.count == Self.devicesAtOnce else { return (found, nil) }
            end = devices.last?.device.id
            looked += devices.count
        } while found.count <= DevicesPage.pageSize && looked < DevicesPage.looksMax
        return (found, end)
    }

    /// What the form of a device's page asks about.
    /// - Throws: `VALIDATION_ERROR` for a moment that is none, or ahead.
    func preview(
        of device: DeviceID, _ fields: FormFields, now: Timestamp
    ) async throws(APIError) -> DevicePage.Preview {
        let (archive, registry) = (operators.archive, dependencies.registry)
        let moment = try Self.start(fields, notAfter: now) ?? now
        let isCompromised = fields["compromised"] != nil
        return DevicePage.Preview(
            moment: moment, reason: fields["reason"] ?? "", isCompromised: isCompromised,
            tally: try await askingStore { () async throws(StoreError) in
                // A compromise is the key's: it concerns every registration of it.
                guard isCompromised, let registry else { return try await archive.tally(of: device, from: moment) }
                return try await registry.tally(ofKeyOf: device, from: moment)
            })
    }
}
