import { settingsTexts as texts } from '../../languages/texts.ts'

/** Names of browsers, '' for those without graphics. The first match counts, because most also claim to be the later ones. */
const browsers: readonly (readonly [RegExp, string])[] = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bVivaldi\//, 'Vivaldi'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/\bChromium\//, 'Chromium'],
  [/Chrome\/|\bCriOS\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
  [/^(?:Lynx|w3m|ELinks|Links)\b/i, ''],
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

/** Returns a short name for a `User-Agent`, such as `Firefox on Linux`. It is for display only, because clients choose their own. */
export function clientName(userAgent: string): string {
  const browser = (nameIn(browsers, userAgent) ?? texts.sessions.unknownBrowser) || texts.sessions.textBrowser
  const system = nameIn(systems, userAgent)
  const name = system === undefined ? browser : texts.sessions.onSystem(browser, system)
  return name.slice(0, 1).toUpperCase() + name.slice(1)
}
