import AppStoreEmulator
import Hummingbird
import NIOCore
import ServiceLifecycle
import WebSupport

/// A request's context that knows its connection: a fault may want it reset, and whoever waits at the other end may leave.
struct EmulatorRequestContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  let channel: any Channel

  init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    channel = source.channel
  }

  /// The same for doors where nobody waits.
  var basic: BasicRequestContext {
    BasicRequestContext(source: ApplicationRequestContextSource(channel: channel, logger: logger))
  }

  /// The other end of the connection.
  var callerAddress: NetworkAddress? { channel.remoteAddress?.ipAddress.flatMap { NetworkAddress($0) } }

  var caller: ConnectedCaller { ConnectedCaller(channel: channel) }
}

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
