import CaptureModel
import CaptureOperations
import CaptureQueue
import CaptureStore
import Hummingbird

/// What pages tell of the queue, whatever else they show.
///
/// A failure to learn it is logged, and does not keep the page back.
extension DashboardRoutes {
    /// What a page has around it, with what it tells of the queue.
    func queueShell(of user: DashboardUser, on page: Page, _ context: GatewayContext) async -> Shell {
        var shell = Shell(user: user, now: dependencies.now())
        shell.load = await load(context)
        // These pages are never live, and tell of no pause.
        let isUntold = [.devices, .device, .audit].contains(page)
        if shell.isPaused, !isUntold { shell.pause = await notedPause(context) }
        return shell
    }

    /// How full the queue is; `nil` where it does not say so.
    private func load(_ context: GatewayContext) async -> QueueLoad? {
        do throws(APIError) {
            return try await askingQueue { () async throws(QueueError) in try await dependencies.queue.load() }
        } catch {
            dependencies.outages.log(error, context.logger)
            return nil
        }
    }

    /// Since when the queue is paused, and by whom; `nil` where Redis does not say so.
    /// - Parameter asksAudit: Whether the audit is asked for who has paused it.
    func notedPause(asksAudit: Bool = true, _ context: GatewayContext) async -> NotedPause? {
        let (queue, store) = (operators.actions.queue, dependencies.store)
        var moments: Set<Timestamp> = []
        var trail: [AuditEntry]?
        do throws(APIError) {
            moments = try await askingOperatedQueue { () async throws(QueueError) in try await queue.pausedSince() }
            if asksAudit {
                trail = try await askingStore { () async throws(StoreError) in
                    try await store.auditTrail(of: QueueActions.queueSubject, limit: NotedPause.entriesMax)
                }
            }
        } catch {
            dependencies.outages.log(error, context.logger)
        }
        return NotedPause(kept: moments, trail: trail)
    }
}
