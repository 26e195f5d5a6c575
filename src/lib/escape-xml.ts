const special = /[&<>"']/

/** Replaces the characters with a meaning in XML and HTML. `quotation` stands for a double quotation mark. */
export function escapeMarks(text: string, quotation: '&quot;' | '&#34;'): string {
  if (!special.test(text)) return text
  // A function that is called for each character takes twice as long.
  return text
    .replaceAll(/&/g, '&amp;')
    .replaceAll(/</g, '&lt;')
    .replaceAll(/>/g, '&gt;')
    .replaceAll(/"/g, quotation)
    .replaceAll(/'/g, '&#39;')
}

/** Escapes text for XML and HTML elements and quoted attributes; it removes characters that XML does not allow. */
export function escapeXml(text: string): string {
  // oxlint-disable-next-line no-control-regex -- XML 1.0 allows no other control characters
  const allowed = text.replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '').toWellFormed()
  return escapeMarks(allowed, '&quot;')
}

/** Returns the bytes that `escapeXml` adds to a text, without making one. */
export function bytesOfEscapes(text: string): number {
  let bytes = 0
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      // `&` and `'`
      case 0x26:
      case 0x27:
        bytes += 4
        break
      // `<` and `>`
      case 0x3c:
      case 0x3e:
        bytes += 3
        break
      // `"`
      case 0x22:
        bytes += 5
    }
  }
  return bytes
}
