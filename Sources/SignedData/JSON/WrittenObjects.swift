/// JSON objects that are written once, for use in several places of an answer.
package struct WrittenObjects: Sendable {
  fileprivate let bytes: [UInt8]
  /// The members of each object, without braces.
  fileprivate let members: [Range<Int>]

  /// Writes one object for each element.
  ///
  /// - Parameter bytesPerElement: the expected size of an object.
  package init<Element>(
    of elements: some Collection<Element>, bytesPerElement: Int, _ content: (inout JSONWriter, Element) -> Void
  ) {
    var writer = JSONWriter(capacity: bytesPerElement * elements.count)
    var members: [Range<Int>] = []
    members.reserveCapacity(elements.count)
    for element in elements {
      let range = writer.nested { content(&$0, element) }
      members.append(range)
    }
    bytes = writer.bytes
    self.members = members
  }
}

extension JSONWriter {
  /// Writes the members of an object that is written already.
  package mutating func members(_ objects: WrittenObjects, at index: Int) {
    let range = objects.members[index]
    guard !range.isEmpty else { return }
    objects.bytes.withUnsafeBufferPointer { append(members: $0[range]) }
  }
}
