import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { after } from 'node:test'
import { chromium, type Browser, type BrowserContext, type BrowserContextOptions } from 'playwright-core'

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
export const browserTimeoutMs = 250_000

/** Features that are off: those that Playwright turns off, whose list this one replaces, and the last two. */
const featuresOff = [
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'TcpPortRandomizationWin',
  'ThirdPartyStoragePartitioning',
  // Suggestions below the address bar, which nobody sees: pages with scripts, that each window loads. They cost more than most tests.
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxPopup',
]

/** A headless browser without a profile. */
const startChromium = (program: string): Promise<Browser> =>
  chromium.launch({
    executablePath: program,
    headless: true,
    timeout: browserTimeoutMs,
    args: [
      // Chromium's sandbox does not work for root, the user of containers, and their `/dev/shm` is small.
      '--no-sandbox',
      '--disable-dev-shm-usage',
      '--disable-gpu',
      `--disable-features=${featuresOff.join(',')}`,
    ],
  })

/** The browser of all tests of a process: its start costs more than most of them. */
let shared: Promise<Browser> | undefined
after(async () => (await shared)?.close())

/** Returns the browser that the tests of a process share, each with a context of its own. After a crash, it is another one. */
async function sharedChromium(): Promise<Browser> {
  const running = await shared
  if (running?.isConnected() === true) return running
  shared = startChromium(chromiumProgram() ?? '')
  return shared
}

/** Returns a context of the browser that the tests of a process share. The test closes it. */
export async function openContext(options: BrowserContextOptions): Promise<BrowserContext> {
  const context = await (await sharedChromium()).newContext(options)
  context.setDefaultTimeout(browserTimeoutMs)
  return context
}

/** Why tests with a browser are passed over; false when they run. */
export const skip = chromiumProgram() === undefined ? 'chromium is not installed' : false
