import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { chromium, type Browser } from 'playwright-core'

/** Names of the program. */
const names = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome']

function findProgram(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '')
  return folders
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK)
        return true
      } catch {
        return false
      }
    })
}

/** Returns the path of Chromium; undefined when it is missing, except in CI, where that is an error. */
export function chromiumProgram(): string | undefined {
  const program = findProgram()
  if (program === undefined && process.env['CI'] !== undefined) {
    throw new Error(`none of ${names.join(', ')} is in PATH: install Debian's package chromium`)
  }
  return program
}

/** Timeout of one wait in a browser, in milliseconds; less than a test may take. */
export const browserTimeoutMs = 100_000

/** A headless browser without a profile. */
export const startChromium = (program: string): Promise<Browser> =>
  chromium.launch({
    executablePath: program,
    headless: true,
    timeout: browserTimeoutMs,
    // Chromium's sandbox does not work for root, the user of containers, and their `/dev/shm` is small.
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
  })
