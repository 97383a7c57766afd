import HTTPDoors
import Hummingbird
import NIOCore

/// A request's context that knows its connection: a fault may want it reset, and whoever waits at the other end may leave.
struct DoorContext: RequestContext {
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
