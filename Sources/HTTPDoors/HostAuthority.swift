/// Names under which only this machine is reached.
package enum LoopbackHosts {
  /// Whether `host`, a name or an address without a port, is one of them.
  package static func contains(_ host: String) -> Bool {
    let host = host.lowercased()
    return host == "localhost" || host == "::1" || host == "[::1]" || isLoopbackIPv4(host)
  }

  /// The host of `authority`, without port and in lower case.
  package static func hostName(of authority: String) -> String {
    let lowercase = authority.lowercased()
    if lowercase.hasPrefix("["), let end = lowercase.firstIndex(of: "]") { return String(lowercase[...end]) }
    return String(lowercase.split(separator: ":", omittingEmptySubsequences: false).first ?? "")
  }

  private static func isLoopbackIPv4(_ host: String) -> Bool {
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }
}
