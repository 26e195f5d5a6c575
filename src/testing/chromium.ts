import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { chromium, type Browser } from 'playwright-core'

/** What Debian, and others, call the program. */
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

/** Where Chromium is; undefined where there is none, but in CI, where there must be: who tests with it skips then. */
export function chromiumProgram(): string | undefined {
  const program = findProgram()
  if (program === undefined && process.env['CI'] !== undefined) {
    throw new Error(`none of ${names.join(', ')} is in PATH: install Debian's package chromium`)
  }
  return program
}

/** The longest wait for one thing in a browser, in milliseconds: a machine that is busy takes its time. */
export const browserTimeoutMs = 60_000

/** A browser without a window, which keeps nothing and ends with what disposes it. */
export const startChromium = (program: string): Promise<Browser> =>
  chromium.launch({
    executablePath: program,
    headless: true,
    timeout: browserTimeoutMs,
    // Its own sandbox does not work for root, which is who tests in a container, and `/dev/shm` is small there.
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
  })
