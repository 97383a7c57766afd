import Hummingbird
import NIOCore

/// A request's context that knows its connection, which a download may have to end.
struct ServiceContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  let channel: any Channel

  init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    channel = source.channel
  }

  /// The address of who asks, without the port.
  var remoteAddress: String { channel.remoteAddress?.ipAddress ?? "local" }
}
