import Foundation
import ProgramSupport
import PurchaseServer
import SignedData
import StoreModel

/// A file of purchases to import: CSV with the names of its columns in the first row, or JSON lines.
struct ImportFile {
  /// A row of the file.
  enum Row {
    case row(ImportRow)
    /// The row cannot be read.
    case malformed(ImportResultView)
    /// Neither the row nor the rest of the file can be read.
    case end(ImportResultView)

    var number: Int64 {
      switch self {
      case .row(let row): row.row
      case .malformed(let result), .end(let result): result.row
      }
    }
  }

  /// The maximum size of a row, in bytes: an app receipt of 8 MiB in base64. A page of the API has room for it.
  static let rowLimitBytes = 23 << 19

  /// The SHA-256 of the whole file, by which the server knows it.
  let digest: String
  private var records: FileRecords
  /// The columns of a CSV file; nil for JSON lines.
  private let columns: [String]?
  private let path: String
  private let name: String

  /// - Throws: ``CommandFailure`` if the file cannot be read, or a column is not known.
  init(_ path: String) throws {
    self.path = path
    name = path.madeVisible(limit: 1000)
    let file: FileHandle
    do {
      file = try FileHandle(forReadingFrom: URL(filePath: path))
      digest = try "\(ContentDigest(reading: file))"
      try file.seek(toOffset: 0)
      let beginning = try file.read(upToCount: 1024) ?? Data()
      let mark = Data([0xEF, 0xBB, 0xBF])
      let isMarked = beginning.starts(with: mark)
      try file.seek(toOffset: isMarked ? 3 : 0)
      let first = beginning.dropFirst(isMarked ? 3 : 0).first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
      let format = first == UInt8(ascii: "{") ? FileRecords.Format.lines : .csv
      records = FileRecords(file, format, limitBytes: Self.rowLimitBytes)
      columns = format == .csv ? try Self.columns(of: try records.next(), in: name) : nil
    } catch let failure as CommandFailure {
      throw failure
    } catch {
      throw CommandFailure.unusable(
        "\(name) cannot be read: \(error.localizedDescription.madeVisible(limit: 500)). Give a file, not a pipe.")
    }
  }

  private static func columns(of header: FileRecords.Record?, in name: String) throws -> [String] {
    let known = ImportRow.columns.joined(separator: ", ")
    guard let header, header.fault == nil else {
      throw CommandFailure.unusable("\(name) has no first row with the names of its columns: \(known).")
    }
    let columns = header.fields.map { String(decoding: $0, as: UTF8.self).trimmingCharacters(in: .whitespaces) }
    for column in columns where !ImportRow.columns.contains(column) {
      throw CommandFailure.unusable(
        "\(name): the column \(column.madeVisible(limit: 100)) in row 1 is not known. Columns, with commas between: \(known)."
      )
    }
    guard Set(columns).count == columns.count else {
      throw CommandFailure.unusable("\(name): a column is twice in row 1.")
    }
    return columns
  }

  /// Returns the next row that is not blank; nil at the end of the file. Not to be called after ``Row/end(_:)``.
  ///
  /// - Throws: ``CommandFailure``.
  mutating func next() throws -> Row? {
    do {
      while let record = try records.next() {
        if !record.isBlank { return row(of: record) }
      }
      // Otherwise the rows that a changed file has lost would count as imported.
      guard try digest == "\(ContentDigest(reading: FileHandle(forReadingFrom: URL(filePath: path))))" else {
        throw CommandFailure.refused(
          "\(name) has changed while it was read. Its last rows are not imported. Import it again.")
      }
      return nil
    } catch let failure as CommandFailure {
      throw failure
    } catch {
      throw CommandFailure.refused(
        "\(name) can no longer be read: \(error.localizedDescription.madeVisible(limit: 500))")
    }
  }

  private func row(of record: FileRecords.Record) -> Row {
    if let fault = record.fault {
      let result = Self.result(of: record, nil, "\(fault).")
      return record.isUnclosed ? .end(result) : .malformed(result)
    }
    return columns.map { Self.row(of: record, $0) } ?? Self.row(ofJSON: record)
  }

  private static func row(of record: FileRecords.Record, _ columns: [String]) -> Row {
    guard record.fields.count == columns.count else {
      return malformed(
        record, nil,
        "The row has \(record.fields.count) values, the first row \(columns.count). Leave a missing value empty.")
    }
    var values: [String: String] = [:]
    for (column, bytes) in zip(columns, record.fields) where !bytes.isEmpty {
      guard let text = String(validating: bytes, as: UTF8.self) else {
        return malformed(record, column, "The value is not UTF-8. Save the file as UTF-8.")
      }
      values[column] = text
    }
    return row(of: record, values)
  }

  private static func row(of record: FileRecords.Record, _ values: [String: String]) -> Row {
    // JSON writes a control character in six bytes, and the server refuses U+0000 with the whole page.
    for (column, text) in values.sorted(by: { $0.key < $1.key }) where text.utf8.contains(where: isControl) {
      return malformed(record, column, "The value has a control character. Remove it.")
    }
    if let subject = values["subject"], let message = SubjectText.refusal(of: subject) {
      return malformed(record, "subject", message)
    }
    return .row(ImportRow(row: record.number, values: values))
  }

  /// Whether a byte is a control character. Line breaks and tabs are none: they can be in base64.
  private static func isControl(_ byte: UInt8) -> Bool {
    byte < 0x20 && ![0x09, 0x0A, 0x0D].contains(byte) || byte == 0x7F
  }

  private static func row(ofJSON record: FileRecords.Record) -> Row {
    let json = Data(record.fields.joined())
    // The decoder would use one of the values. The server refuses such JSON, too.
    if let name = JSONCheck.repeatedName(in: json) {
      return malformed(record, name.madeVisible(limit: 100), "The row has this member twice. Write it once.")
    }
    do {
      let members = try BoundedJSON.decode([String: String?].self, from: json)
      if let other = members.keys.sorted().first(where: { !ImportRow.columns.contains($0) }) {
        return malformed(
          record, other.madeVisible(limit: 100),
          "The member is not known. Members: \(ImportRow.columns.joined(separator: ", ")).")
      }
      return row(of: record, members.compactMapValues { $0 })
    } catch DecodingError.typeMismatch(_, let context) {
      let column = context.codingPath.last?.stringValue.madeVisible(limit: 100)
      return malformed(record, column, "Each row is one JSON object, and each value a string in quotation marks.")
    } catch {
      return malformed(record, nil, "The row is not JSON. Write one object per line.")
    }
  }

  private static func malformed(_ record: FileRecords.Record, _ column: String?, _ message: String) -> Row {
    .malformed(result(of: record, column, message))
  }

  private static func result(of record: FileRecords.Record, _ column: String?, _ message: String) -> ImportResultView {
    ImportResultView(row: record.number, .refused, column: column, code: "malformedRow", message: message)
  }
}
