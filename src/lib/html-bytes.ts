/** Returns the bytes of a text in HTML, where the renderer escapes three characters. */
export function htmlBytes(text: string): number {
  let bytes = Buffer.byteLength(text)
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    // `"`, `&` and `<` become entities of up to six bytes.
    if (code === 0x22 || code === 0x26 || code === 0x3c) bytes += 5
  }
  return bytes
}
