@testable import WebSupport

extension HTML {
  /// The tags that an HTML parser finds, with their attributes, but without quoted values.
  var tags: [String] {
    var tags: [String] = []
    var rest = Substring(text)
    while let start = rest.firstIndex(of: "<") {
      var (quote, end): (Unicode.Scalar?, Substring.UnicodeScalarView.Index) = (nil, rest.unicodeScalars.endIndex)
      var tag = ""
      let scalars = rest.unicodeScalars
      for position in scalars.indices where position >= start {
        let scalar = scalars[position]
        if let open = quote {
          if scalar == open { quote = nil }
        } else if scalar == "\"" {
          quote = scalar
        } else {
          tag.unicodeScalars.append(scalar)
          if scalar == ">" {
            end = scalars.index(after: position)
            break
          }
        }
      }
      tags.append(tag)
      rest = Substring(scalars[end...])
    }
    return tags
  }
}
