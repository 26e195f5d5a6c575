#!/usr/bin/env node
/**
 * Makes pictures of pages with demo data: desktop and phone, light and dark.
 *
 *     npm run screenshots -- [--as NAME] [--forms all|desktop-light,…] [--language TAG] [--out FOLDER] [--full] [PATH…]
 *
 * Without paths it makes the main pages for `docs/pictures/`. The server runs in development, so that it shows the parts of
 * pages at `/-/ui` too.
 */
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import sharp from 'sharp'
import { demoPassword, makeDemoData } from './lib/demo-data.mjs'
import { apiOf } from './lib/api-client.mjs'
import { administrator, buildForge, startForge } from './lib/forge.mjs'
import { ensureReady, fail, fromRoot } from './lib/project.mjs'

await ensureReady()
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    as: { type: 'string', default: 'alice' },
    forms: { type: 'string', default: 'all' },
    language: { type: 'string', default: 'en-US' },
    out: { type: 'string', default: fromRoot('docs/pictures') },
    full: { type: 'boolean', default: false },
  },
})

const sizes = { desktop: { width: 1280, height: 860 }, phone: { width: 390, height: 844 } }
const allForms = ['desktop-light', 'desktop-dark', 'phone-light', 'phone-dark']

/** The main pages, by the name of their picture. */
const mainPages = {
  home: '/',
  repository: '/alice/anvil',
  file: '/alice/anvil/src/branch/main/src/groups.ts',
  issues: '/alice/anvil/issues',
  issue: '/alice/anvil/issues/1',
  pulls: '/alice/anvil/pulls',
  pull: '/alice/anvil/pulls/9',
  changes: '/alice/anvil/pulls/9/files',
  commit: '/alice/anvil/commits/branch/main',
  release: '/alice/anvil/releases',
  profile: '/alice',
  explore: '/explore/repos',
  package: '/alice/-/packages/container/anvil/1.4.0',
  parts: '/-/ui',
}

const forms = options.forms === 'all' ? allForms : options.forms.split(',')
for (const form of forms) {
  if (!allForms.includes(form)) fail(`there is no form ${form}: ${allForms.join(', ')}`)
}
const nameOf = (path) =>
  path
    .replace(/^\//, '')
    .replaceAll(/[^\w.-]+/g, '-')
    .slice(0, 80) || 'home'
const pages = positionals.length === 0 ? Object.entries(mainPages) : positionals.map((path) => [nameOf(path), path])

process.env['INGOT____RUN_MODE'] = 'dev'
process.env['INGOT____APP_NAME'] = 'Ingot'
const { chromium } = await import('playwright-core')
const forge = await startForge({
  program: await buildForge(),
  config: fromRoot('test/conformance/profiles/default.ini'),
  name: 'screenshots',
})
const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
})
try {
  await apiOf(forge.url)
  await makeDemoData(forge.url)
  const folder = resolve(options.out)
  mkdirSync(folder, { recursive: true })
  for (const form of forms) {
    const [size, colorScheme] = form.split('-')
    const context = await browser.newContext({
      viewport: sizes[size],
      colorScheme,
      locale: options.language,
      deviceScaleFactor: 1,
      baseURL: forge.url,
    })
    const page = await context.newPage()
    page.on('console', (message) => {
      if (message.type() === 'error') console.error(`${form}: ${message.text()}`)
    })
    if (options.as !== 'guest') {
      await page.goto('/user/login')
      await page.fill('#user_name', options.as === 'root' ? administrator.login : options.as)
      await page.fill('#password', demoPassword)
      await Promise.all([page.waitForURL((url) => !url.pathname.endsWith('/login')), page.keyboard.press('Enter')])
    }
    for (const [name, path] of pages) {
      const reply = await page.goto(path)
      await page.waitForLoadState('networkidle')
      const file = join(folder, `${name}.${form}.png`)
      await page.evaluate(() => scrollTo(0, 0))
      await page.waitForLoadState('networkidle')
      const picture = await page.screenshot({ fullPage: options.full || name === 'parts' })
      // A palette takes a third of the bytes in every clone, and pages have few colours.
      await sharp(picture).png({ palette: true }).toFile(file)
      const overflow = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      )
      console.log(
        `${reply?.status()} ${path} ${file}${overflow > 0 ? `  WIDER than the window by ${overflow} px` : ''}`,
      )
    }
    await context.close()
  }
} finally {
  await browser.close()
  await forge.stop()
}
