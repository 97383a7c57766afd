import StoreModel

/// Dates in the format of receipts: RFC 3339, such as `2024-05-01T10:00:00Z`.
enum RFC3339 {
  /// Writes a date in whole seconds and UTC, as the App Store does. Dates outside the years 0 to 9999 are clamped.
  static func text(_ date: StoreDate) -> String {
    let clamped = min(
      max(date, StoreDate(millisecondsSince1970: -62_167_219_200_000)),
      StoreDate(millisecondsSince1970: 253_402_300_799_999))
    return (CivilTime(clamped) ?? CivilTime()).text(suffix: "Z")
  }

  /// Parses a date; returns nil if it is not valid. Fractions of any length are cut to milliseconds. The offset may be
  /// `Z`, `+01:00` or `+0100`. The separator may be `T`, `t` or a blank.
  static func date(_ text: UnsafeBufferPointer<UInt8>) -> StoreDate? {
    guard text.count >= 20, text.count <= 64 else { return nil }
    guard text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"), text[13] == UInt8(ascii: ":"),
      text[16] == UInt8(ascii: ":"), [0x54, 0x74, 0x20].contains(text[10])
    else { return nil }
    var time = CivilTime()
    guard let year = number(text, 0, 4), let month = number(text, 5, 2), let day = number(text, 8, 2),
      let hour = number(text, 11, 2), let minute = number(text, 14, 2), let second = number(text, 17, 2)
    else { return nil }
    (time.year, time.month, time.day) = (year, month, day)
    (time.hour, time.minute, time.second) = (hour, minute, second)
    var index = 19
    if text[index] == UInt8(ascii: ".") {
      index += 1
      var place = 100
      let begin = index
      while index < text.count, (0x30...0x39).contains(text[index]) {
        time.millisecond += Int(text[index] - 0x30) * place
        place /= 10
        index += 1
      }
      guard index > begin else { return nil }
    }
    guard let offset = offsetMinutes(text, index) else { return nil }
    return time.date?.adding(seconds: Int64(-60 * offset))
  }

  private static func offsetMinutes(_ text: UnsafeBufferPointer<UInt8>, _ index: Int) -> Int? {
    guard index < text.count else { return nil }
    let sign = text[index]
    if sign | 0x20 == UInt8(ascii: "z") { return index + 1 == text.count ? 0 : nil }
    guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") else { return nil }
    let hasColon = index + 3 < text.count && text[index + 3] == UInt8(ascii: ":")
    let minuteIndex = index + (hasColon ? 4 : 3)
    guard minuteIndex + 2 == text.count, let hours = number(text, index + 1, 2),
      let minutes = number(text, minuteIndex, 2), hours < 24, minutes < 60
    else { return nil }
    return (sign == UInt8(ascii: "-") ? -1 : 1) * (hours * 60 + minutes)
  }

  /// The value of `count` digits from `start`, which must be inside the text.
  private static func number(_ text: UnsafeBufferPointer<UInt8>, _ start: Int, _ count: Int) -> Int? {
    var value = 0
    for index in start..<(start + count) {
      let digit = text[index]
      guard (0x30...0x39).contains(digit) else { return nil }
      value = value * 10 + Int(digit - 0x30)
    }
    return value
  }
}
