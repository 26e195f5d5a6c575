/** What a browser is called; of several names in one text the first of these counts, since most call themselves the later ones too. */
const browsers: readonly (readonly [RegExp, string])[] = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bVivaldi\//, 'Vivaldi'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/\bChromium\//, 'Chromium'],
  [/Chrome\/|\bCriOS\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
  [/^(?:Lynx|w3m|ELinks|Links)\b/i, 'a text browser'],
]

const systems: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b|\biPad\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
]

const nameIn = (names: typeof browsers, text: string): string | undefined =>
  names.find(([pattern]) => pattern.test(text))?.[1]

/** A `User-Agent` in words that people know: `Firefox on Linux`. It is what the client says, and nothing depends on it. */
export function clientName(userAgent: string): string {
  const browser = nameIn(browsers, userAgent) ?? 'An unknown browser'
  const system = nameIn(systems, userAgent)
  const name = system === undefined ? browser : `${browser} on ${system}`
  return name.slice(0, 1).toUpperCase() + name.slice(1)
}
