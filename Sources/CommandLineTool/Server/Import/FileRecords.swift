import Foundation

/// Reads the records of a text file one after the other, in pieces. Memory is limited by the longest accepted record.
struct FileRecords {
  /// A record of the file: the values of a line of CSV, or a whole line.
  struct Record: Equatable {
    /// The number of the record, from 1 on. Blank records count.
    let number: Int64
    let fields: [[UInt8]]
    /// Why the record cannot be used; nil if it can.
    let fault: String?
    /// Whether a quotation mark opens in the record and is not closed in it. The rest of the file is not read.
    var isUnclosed = false

    var isBlank: Bool { fault == nil && fields.allSatisfy(\.isEmpty) && fields.count <= 1 }
  }

  enum Format {
    /// RFC 4180, with line feeds, or with carriage returns and line feeds. Inside quotation marks, only base64 may go over several
    /// lines. So a quotation mark that is not closed takes no further rows into its value: rows have commas.
    case csv
    case lines
  }

  private let file: FileHandle
  private let format: Format
  private let limitBytes: Int
  private var piece: [UInt8] = []
  private var place = 0
  private var number: Int64 = 0
  private var hasEnded = false

  /// - Parameters:
  ///   - file: read from its position on.
  ///   - limitBytes: the maximum size of a record. A longer one has a fault.
  init(_ file: FileHandle, _ format: Format, limitBytes: Int) {
    self.file = file
    self.format = format
    self.limitBytes = limitBytes
  }

  /// Returns the next record; nil at the end of the file, and after a record that is not closed.
  mutating func next() throws -> Record? {
    guard !hasEnded, try peek() != nil else { return nil }
    number += 1
    return format == .csv ? try values() : try line()
  }

  private mutating func byte() throws -> UInt8? {
    if place == piece.count {
      piece = Array(try file.read(upToCount: 1 << 16) ?? Data())
      place = 0
      guard !piece.isEmpty else { return nil }
    }
    place += 1
    return piece[place - 1]
  }

  private mutating func line() throws -> Record {
    var text: [UInt8] = []
    var count = 0
    while let byte = try byte(), byte != Self.lineFeed {
      count += 1
      if count <= limitBytes { text.append(byte) }
    }
    if text.last == Self.carriageReturn { text.removeLast() }
    return record([text], count)
  }

  private mutating func values() throws -> Record {
    var (fields, field): ([[UInt8]], [UInt8]) = ([], [])
    var (count, fault): (Int, String?) = (0, nil)
    var (isStart, isQuoted) = (true, false)
    /// Whether the value began with a quotation mark, which has ended.
    var wasQuoted = false
    /// Whether the value in quotation marks has several lines, and whether it is base64 so far.
    var (hasLines, isBase64) = (false, true)
    while let byte = try byte() {
      if !isQuoted, byte == Self.lineFeed {
        if field.last == Self.carriageReturn { field.removeLast() }
        return record(fields + [field], count, fault)
      }
      count += 1
      if count > limitBytes {
        // The rest is read to the end of the record, and not kept.
        (fields, field) = ([], [])
      }
      if isQuoted, byte != Self.quote {
        hasLines = hasLines || byte == Self.lineFeed
        isBase64 = isBase64 && Self.isBase64(byte)
        if hasLines, !isBase64 { return unclosed() }
      }
      switch (byte, isQuoted) {
      case (Self.quote, true):
        if try peek() == Self.quote {
          _ = try self.byte()
          field.append(byte)
          isBase64 = false
          if hasLines { return unclosed() }
        } else {
          (isQuoted, wasQuoted) = (false, true)
        }
      case (Self.quote, false) where isStart:
        (isStart, isQuoted) = (false, true)
        (hasLines, isBase64) = (false, true)
      case (Self.comma, false):
        fields.append(field)
        (field, isStart, wasQuoted) = ([], true, false)
      default:
        isStart = false
        if wasQuoted, byte != Self.carriageReturn {
          if hasLines { return unclosed() }
          fault = "A value goes on after its closing quotation mark. Write a quotation mark inside a value twice"
        }
        field.append(byte)
      }
    }
    if isQuoted { return unclosed() }
    if field.last == Self.carriageReturn { field.removeLast() }
    return record(fields + [field], count, fault)
  }

  private mutating func peek() throws -> UInt8? {
    guard let next = try byte() else { return nil }
    place -= 1
    return next
  }

  private func record(_ fields: [[UInt8]], _ count: Int, _ fault: String? = nil) -> Record {
    let tooLong = count > limitBytes ? "The row has more than \(limitBytes) bytes, the most that is read" : nil
    return Record(number: number, fields: tooLong == nil ? fields : [], fault: tooLong ?? fault)
  }

  private mutating func unclosed() -> Record {
    hasEnded = true
    return Record(
      number: number, fields: [],
      fault: "A quotation mark opens in this row and is not closed in it, so the rest of the file is not read",
      isUnclosed: true)
  }

  private static func isBase64(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="),
      UInt8(ascii: " "), UInt8(ascii: "\t"), lineFeed, carriageReturn:
      true
    default: false
    }
  }

  private static let (lineFeed, carriageReturn) = (UInt8(ascii: "\n"), UInt8(ascii: "\r"))
  private static let (quote, comma) = (UInt8(ascii: "\""), UInt8(ascii: ","))
}
