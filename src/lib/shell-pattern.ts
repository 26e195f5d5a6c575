/** Returns whether a text matches a shell pattern, in which `*` matches any text and `?` one character. */
export function matchesShellPattern(pattern: string, text: string): boolean {
  let at = 0
  let next = 0
  let star = -1
  let starAt = 0
  while (at < text.length) {
    if (pattern[next] === '*') {
      star = next++
      starAt = at
    } else if (next < pattern.length && (pattern[next] === '?' || pattern[next] === text[at])) {
      at += 1
      next += 1
    } else if (star >= 0) {
      next = star + 1
      at = ++starAt
    } else {
      return false
    }
  }
  while (pattern[next] === '*') next += 1
  return next === pattern.length
}
