import AppStoreEmulator
import Hummingbird
import NIOCore
import ServiceLifecycle
import WebSupport

/// A request context with the channel of the connection. The channel is needed to reset the connection, and to detect
/// that the client has closed the connection.
struct EmulatorRequestContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  let channel: any Channel

  init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    channel = source.channel
  }

  /// The context for the control API, whose routes use `BasicRequestContext`.
  var basic: BasicRequestContext {
    BasicRequestContext(source: ApplicationRequestContextSource(channel: channel, logger: logger))
  }

  /// The address of the client.
  var callerAddress: NetworkAddress? { channel.remoteAddress?.ipAddress.flatMap { NetworkAddress($0) } }

  var caller: ConnectedCaller { ConnectedCaller(channel: channel) }
}

/// The client at the other end of a connection. The caller counts as gone when the client closes the connection, or
/// when the server stops.
struct ConnectedCaller: StoreCaller {
  let channel: any Channel

  func untilGone() async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        // The call throws when the task is cancelled. That ends the wait, too.
        try? await gracefulShutdown()
      }
      // Tests without a connection have no such handler.
      if let watch = try? await channel.pipeline.handler(type: ConnectionWatch.self).get() {
        group.addTask { await watch.untilOver() }
      }
      await group.next()
      group.cancelAll()
    }
  }
}
