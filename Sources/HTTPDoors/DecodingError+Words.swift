extension DecodingError {
  /// Where and why, in a sentence.
  package var whatIsWrong: String {
    let context: Context
    switch self {
    case .typeMismatch(_, let found), .valueNotFound(_, let found), .dataCorrupted(let found): context = found
    case .keyNotFound(let key, let found):
      return "\(key.stringValue) is missing\(found.codingPath.isEmpty ? "" : " in \(path(found.codingPath))")."
    @unknown default: return "\(self)"
    }
    let place = context.codingPath.isEmpty ? "" : "\(path(context.codingPath)): "
    return "\(place)\(context.debugDescription)"
  }

  private func path(_ keys: [any CodingKey]) -> String { keys.map(\.stringValue).joined(separator: ".") }
}
