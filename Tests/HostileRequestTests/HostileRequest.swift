import HTTPTypes

/// The bytes of a request.
struct HostileRequest {
  let bytes: [UInt8]

  /// - Parameter fields: header fields beside those that every request has. They are sent as they are.
  init(
    _ method: HTTPRequest.Method, _ path: [UInt8], fields: [(name: String, value: [UInt8])] = [], body: [UInt8]? = nil
  ) {
    var bytes = Array("\(method.rawValue) ".utf8) + path + Array(" HTTP/1.1\r\n".utf8)
    var fields = fields
    if !fields.contains(where: { $0.name == "Host" }) { fields.append(("Host", Array("localhost".utf8))) }
    fields.append(("Connection", Array("close".utf8)))
    if let body {
      if !fields.contains(where: { $0.name == "Content-Type" }) {
        fields.append(("Content-Type", Array("application/json".utf8)))
      }
      fields.append(("Content-Length", Array("\(body.count)".utf8)))
    }
    for (name, value) in fields { bytes += Array("\(name): ".utf8) + value + Array("\r\n".utf8) }
    self.bytes = bytes + Array("\r\n".utf8) + (body ?? [])
  }
}
