/// One value of a `verifyReceipt` answer. The store writes many numbers and flags as strings.
enum AnswerValue: Hashable, Sendable {
  case text(String)
  case number(Int64)
  case flag(Bool)
  case null
  /// An array, an object or a fraction. None of them is used here.
  case other

  /// The text, or the number in decimal digits.
  var asText: String? {
    switch self {
    case .text(let text): text
    case .number(let number): String(number)
    case .flag, .null, .other: nil
    }
  }

  /// The number, or the text's number in decimal digits.
  var asNumber: Int64? {
    switch self {
    case .text(let text): Int64(text)
    case .number(let number): number
    case .flag, .null, .other: nil
    }
  }

  /// The flag. 1, 0 and the same values as text are accepted, too.
  var asFlag: Bool? {
    switch self {
    case .flag(let flag): flag
    case .number(1), .text("1"), .text("true"): true
    case .number(0), .text("0"), .text("false"): false
    case .number, .text, .null, .other: nil
    }
  }
}

extension AnswerValue: Decodable {
  init(from decoder: any Decoder) throws {
    guard let container = try? decoder.singleValueContainer() else {
      self = .other
      return
    }
    if container.decodeNil() {
      self = .null
    } else if let flag = try? container.decode(Bool.self) {
      self = .flag(flag)
    } else if let number = try? container.decode(Int64.self) {
      self = .number(number)
    } else if let text = try? container.decode(String.self) {
      self = .text(text)
    } else {
      self = .other
    }
  }
}
