import HTTPTypes
import Hummingbird
import NIOCore

/// A request's context that knows its connection, which a download may have to end.
struct ServiceContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  let channel: any Channel
  /// Where the request comes from.
  var caller: CallerAddress

  init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    channel = source.channel
    caller = CallerAddress(peer: source.channel.remoteAddress?.ipAddress, HTTPFields(), trusted: [])
  }
}
