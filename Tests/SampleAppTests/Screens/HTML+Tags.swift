@testable import WebSupport

extension HTML {
  /// What a reader of HTML finds in it that is markup: each tag with its attributes, values in quotes left out.
  var tags: [String] {
    var tags: [String] = []
    var rest = Substring(text)
    while let start = rest.firstIndex(of: "<") {
      var (quote, end): (Unicode.Scalar?, Substring.UnicodeScalarView.Index) = (nil, rest.unicodeScalars.endIndex)
      var tag = ""
      let scalars = rest.unicodeScalars
      for place in scalars.indices where place >= start {
        let scalar = scalars[place]
        if let open = quote {
          if scalar == open { quote = nil }
        } else if scalar == "\"" {
          quote = scalar
        } else {
          tag.unicodeScalars.append(scalar)
          if scalar == ">" {
            end = scalars.index(after: place)
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
