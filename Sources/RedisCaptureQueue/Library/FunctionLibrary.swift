package import CaptureQueue
package import RedisClient

/// The queue's functions in Redis, and how they are loaded.
///
/// Function names carry a version (`capture_enqueue_v1`), so that a newer library may be loaded while older workers
/// still run: it keeps the functions that they call.
package struct FunctionLibrary: Sendable {
    /// The result of installing.
    package enum Installation: Sendable, Equatable {
        /// It was loaded, in place of an older one if `replacing` is given.
        case loaded(replacing: Int?)
        /// It was there already.
        case present
        /// A newer one is there, and stays.
        case newer(version: Int)
        /// An older one is there and stays for now: Redis is full and cannot load another until it has room.
        case kept(version: Int)
    }

    /// The library that the server has, compared with this one.
    package enum Presence: Sendable, Equatable {
        /// This very one.
        case current
        /// None.
        case absent
        /// An older one, or another of the same version.
        case older(version: Int)
        /// A newer one.
        case newer(version: Int)
    }

    /// The library of this release.
    package static let current = FunctionLibrary(parts: [
        PackageResources.prelude_lua, PackageResources.permissions_lua, PackageResources.types_lua,
        PackageResources.limits_lua, PackageResources.counts_lua, PackageResources.changes_lua,
        PackageResources.jobs_lua, PackageResources.tokens_lua, PackageResources.lanes_lua,
        PackageResources.dead_letters_lua, PackageResources.groups_lua, PackageResources.restoration_lua,
        PackageResources.submission_lua, PackageResources.submission_checks_lua, PackageResources.foreign_entries_lua,
        PackageResources.stray_entries_lua, PackageResources.bundle_bytes_lua, PackageResources.acceptance_lua,
        PackageResources.enqueue_lua, PackageResources.claim_lua, PackageResources.takeover_lua,
        PackageResources.settlement_sum_lua, PackageResources.settle_lua, PackageResources.promote_lua,
        PackageResources.renew_lua, PackageResources.consumers_lua, PackageResources.surrender_lua,
        PackageResources.redrive_lua, PackageResources.redrive_as_accepted_lua, PackageResources.discard_lua,
        PackageResources.forget_lua, PackageResources.dead_lua, PackageResources.examine_lane_lua,
        PackageResources.examine_heads_lua, PackageResources.examine_lane_bytes_lua,
        PackageResources.capture_faults_lua, PackageResources.examine_capture_lua, PackageResources.mend_capture_lua,
        PackageResources.mend_stray_entry_lua, PackageResources.examine_bundle_lua, PackageResources.recount_lua,
        PackageResources.load_lua, PackageResources.admit_lua, PackageResources.restore_lua,
        PackageResources.workers_lua, PackageResources.pause_lua, PackageResources.session_lua,
        PackageResources.version_lua,
    ])

    /// The library's name in Redis.
    package static let name = "capture_queue"

    /// The library as `FUNCTION LOAD` takes it.
    package let source: String
    /// Its version, as the source says.
    package let version: Int

    private init(parts: [[UInt8]]) {
        source = "#!lua name=\(Self.name)\n" + parts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\n")
        version = Self.version(in: source) ?? 0
    }

    /// Reads which library is loaded, and changes nothing.
    package func presence(on client: RedisClient) async throws(QueueError) -> Presence {
        let found = try await asQueueError { () throws(RedisError) in
            try await client.send(RedisCommand("FUNCTION", ["LIST", "LIBRARYNAME", .string(Self.name), "WITHCODE"]))
        }
        guard let installed = Self.source(in: found) else { return .absent }
        if installed == source { return .current }
        let other = Self.version(in: installed) ?? 0
        return other > version ? .newer(version: other) : .older(version: other)
    }

    /// Loads the library unless it, or a newer one, is there already.
    ///
    /// A full Redis keeps its older one: this is no error, so that the programs that empty it start.
    package func install(on client: RedisClient) async throws(QueueError) -> Installation {
        // Another program may load one after each look, but only once per start.
        for _ in 0..<Self.looksMax {
            switch try await presence(on: client) {
            case .current: return .present
            case .newer(let version): return .newer(version: version)
            case .older(let version):
                let isLoaded = try await replace(on: client)
                return isLoaded ? .loaded(replacing: version) : .kept(version: version)
            case .absent:
                if try await load(on: client) { return .loaded(replacing: nil) }
            }
        }
        throw QueueError(.unavailable, "the function library comes and goes")
    }

    /// Loads the library again if an older one, or none, is loaded by now; `nil` when there is nothing to do.
    ///
    /// An older program that starts checks and then loads; in between a newer program may have loaded its library,
    /// which is then overwritten. Redis cannot make the two steps atomic, so the newer program checks again.
    package func keep(on client: RedisClient) async throws(QueueError) -> Installation? {
        let question = FunctionCaller.command(.version, keys: [])
        let reply = try await client.replies(to: [question])[0]
        if !FunctionCaller.isMissingFunction(reply) {
            guard let found = try [reply].withoutErrors()[0].int else { throw .malformed(.version) }
            if found >= version { return nil }
        }
        return try await install(on: client)
    }

    private static let looksMax = 5

    /// Loads the library if there is none; `false` when one was loaded meanwhile.
    private func load(on client: RedisClient) async throws(QueueError) -> Bool {
        do {
            _ = try await client.send(loadCommand)
            return true
        } catch let error where error.message.contains("already exists") {
            return false
        } catch {
            throw QueueError(error)
        }
    }

    /// Loads the library in place of another; `false` when there is no room for it.
    private func replace(on client: RedisClient) async throws(QueueError) -> Bool {
        do {
            _ = try await client.send(RedisCommand("FUNCTION", ["LOAD", "REPLACE", .string(source)]))
            return true
        } catch let error where error.serverPrefix == "OOM" {
            return false
        } catch {
            throw QueueError(error)
        }
    }

    /// Loads the library if there is none of its name: one that is there may be newer, and its variables would be lost.
    var loadCommand: RedisCommand { RedisCommand("FUNCTION", ["LOAD", .string(source)]) }

    /// The code in an answer to `FUNCTION LIST … WITHCODE`.
    private static func source(in reply: RedisValue) -> String? {
        guard let library = reply.array?.first?.array,
            let index = library.firstIndex(where: { $0.string == "library_code" }), index + 1 < library.count
        else { return nil }
        return library[index + 1].wholeText
    }

    /// The number in the line `local LIBRARY_VERSION = …`.
    private static func version(in source: String) -> Int? {
        let marker = "local LIBRARY_VERSION = "
        return source.parts(at: "\n").first { $0.hasPrefix(marker) }.flatMap { Int($0.dropFirst(marker.count)) }
    }
}
