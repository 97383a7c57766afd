import AppStoreEmulator
import NIOCore
import ServiceLifecycle

/// Whoever waits at the other end of a connection: until it hangs up, or the server is to stop.
struct ConnectedCaller: StoreCaller {
  let channel: any Channel

  func untilGone() async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        // Throws when it is cancelled, and the wait is over then, too.
        try? await gracefulShutdown()
      }
      // There is none where a test has no connection.
      if let watch = try? await channel.pipeline.handler(type: ConnectionWatch.self).get() {
        group.addTask { await watch.untilOver() }
      }
      await group.next()
      group.cancelAll()
    }
  }
}
