import CPQ

/// The warnings that a server sends beside its answers. libpq passes them on while an answer is read.
final class ServerWarnings {
  // PG_DIAG_SEVERITY_NONLOCALIZED and PG_DIAG_MESSAGE_PRIMARY, which Swift does not import.
  private static let severityField = Int32(UInt8(ascii: "V"))
  private static let reasonField = Int32(UInt8(ascii: "M"))

  /// The last warning since ``forget()``; notices of lower severity are dropped.
  private(set) var last: String?

  /// Receives the warnings of a connection, which must not outlive this object. libpq would otherwise print them.
  func listen(to handle: OpaquePointer) {
    PQsetNoticeReceiver(
      handle,
      { context, result in
        guard let context, let result else { return }
        Unmanaged<ServerWarnings>.fromOpaque(context).takeUnretainedValue().receive(result)
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  func forget() { last = nil }

  private func receive(_ result: OpaquePointer) {
    guard let severity = PQresultErrorField(result, Self.severityField), String(cString: severity) == "WARNING" else {
      return
    }
    last = PQresultErrorField(result, Self.reasonField).map { String(cString: $0) } ?? "a warning without a text"
  }
}
