import HostNames

/// Opens a session with the first of a database's servers that takes one, within a time for all of them.
///
/// libpq would look names up itself, without a limit, and has no limit of its own for a server that says nothing. So it
/// is told one address at a time. The time is divided: each host has its share, and each of its addresses a share of
/// that, until the server says something; what one leaves is for those after it.
struct SessionOpener {
    let configuration: PostgresConfiguration
    let names: HostNames

    /// - Parameter turn: Which host, and then which of its addresses, comes first, counted round.
    /// - Returns: The session, and how far the turn has to go on for the next one to begin with the same server.
    func open(
        by deadline: ContinuousClock.Instant, turn: Int
    ) throws(PostgresError) -> (session: LibPQSession, passedOver: Int) {
        let parameters = try LibPQParameters(configuration)
        let told = parameters.completed()
        guard let hosts = PostgresHost.all(in: told) else {
            return (try LibPQSession(parameters, answeredBy: deadline, deadline: deadline), 0)
        }
        var faults: [PostgresError] = []
        for (index, host) in hosts.turned(by: turn).enumerated() {
            let hostEnd = Self.share(until: deadline, among: hosts.count - index)
            let found = addresses(of: host, by: hostEnd, &faults).turned(by: turn / hosts.count)
            let isOneOfSeveral = hosts.count > 1 || found.count > 1
            for (place, address) in found.enumerated() {
                let own = parameters.at(address, told: told, isOneOfSeveral: isOneOfSeveral)
                let end = Self.share(until: hostEnd, among: found.count - place)
                do throws(PostgresError) {
                    let session = try LibPQSession(own, answeredBy: end, deadline: deadline)
                    return (session, index + hosts.count * place)
                } catch {
                    // A server that had let us in has refused: so would its like.
                    guard error.sqlState == nil else { throw error }
                    faults.append(error)
                }
            }
        }
        throw Self.fault(of: faults)
    }

    /// The host once for each of its addresses; none where they are not known.
    private func addresses(
        of host: PostgresHost, by end: ContinuousClock.Instant, _ faults: inout [PostgresError]
    ) -> [PostgresHost] {
        guard host.isToLookUp else { return [host] }
        do throws(NameFault) {
            return try names.addresses(of: host.name, by: end).map { address in
                PostgresHost(name: host.name, address: address, port: host.port)
            }
        } catch {
            faults.append(PostgresError(.connection, "\(error)"))
            return []
        }
    }

    /// When the first of so many has used up its part of what is left.
    private static func share(
        until end: ContinuousClock.Instant, among count: Int
    ) -> ContinuousClock.Instant {
        let now = ContinuousClock.now
        return now + max(Duration.zero, now.duration(to: end)) / count
    }

    /// What they say, one after the other.
    private static func fault(of faults: [PostgresError]) -> PostgresError {
        if faults.count == 1, let only = faults.first { return only }
        let words = faults.map(\.message).joined(separator: "; ")
        return PostgresError(.connection, "no server lets us in: \(words)")
    }
}
