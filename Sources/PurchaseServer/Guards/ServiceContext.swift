import HTTPTypes
import Hummingbird
import NIOCore

/// The context of a request. It contains the connection, which a download may have to close.
struct ServiceContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  let channel: any Channel
  /// The address that the request comes from.
  var caller: CallerAddress

  init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    channel = source.channel
    caller = CallerAddress(peer: source.channel.remoteAddress?.ipAddress, HTTPFields(), trusted: [])
  }
}
