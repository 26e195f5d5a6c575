/**
 * Returns the text without `characters` at its end. It takes linear time: the pattern `/x+$/` tries each place of a run of
 * `x`, which is quadratic for a run that does not end the text.
 */
export function trimTrailing(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--
  return text.slice(0, end)
}

/** Returns the text without `characters` at both ends, in linear time. */
export function trimBoth(text: string, characters: string): string {
  const trimmed = trimTrailing(text, characters)
  let start = 0
  while (start < trimmed.length && characters.includes(trimmed.charAt(start))) start++
  return trimmed.slice(start)
}
