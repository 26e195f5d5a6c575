import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { makeDemoData } from '../scripts/lib/demo-data.mjs'
import { openContext, skip } from '../src/testing/chromium.ts'
import { startForge, testPassword } from '../src/testing/forge.ts'
import { assetPath } from '../src/web/shell/assets.ts'

/** One page of each kind. */
const pages = [
  '/',
  '/explore/repos',
  '/explore/users',
  '/alice',
  '/acme',
  '/org/acme/members',
  '/org/acme/teams/makers',
  '/org/acme/teams/makers/edit',
  '/org/acme/settings',
  '/alice/anvil',
  '/alice/anvil/src/branch/main/src/groups.ts',
  '/alice/anvil/commits/branch/main',
  '/alice/anvil/branches',
  '/alice/anvil/issues',
  '/alice/anvil/issues/2',
  '/alice/anvil/issues/new',
  '/alice/anvil/labels',
  '/alice/anvil/milestones',
  '/alice/anvil/pulls/9',
  '/alice/anvil/pulls/9/files',
  '/alice/anvil/releases',
  '/alice/anvil/wiki',
  '/alice/anvil/actions',
  '/alice/anvil/actions/environments',
  // It failed.
  '/alice/anvil/actions/runs/6',
  '/alice/anvil/actions/runs/6/jobs/0',
  '/alice/anvil/settings',
  '/alice/-/packages',
  '/repo/create',
  '/notifications',
  '/user/settings',
  '/user/settings/account',
  '/user/settings/applications',
  '/admin',
  '/admin/audit',
  '/nothing/here',
  '/api/swagger',
]

/** Contrast, by far the slowest rule, depends on the colours only, and the other rules do not depend on them. */
const contrast = 'color-contrast'
const desktop = { width: 1280, height: 900 }
const forms = [
  { name: 'light', colorScheme: 'light', viewport: desktop, rules: {} },
  { name: 'dark', colorScheme: 'dark', viewport: desktop, rules: { runOnly: { type: 'rule', values: [contrast] } } },
  {
    name: 'phone',
    colorScheme: 'light',
    viewport: { width: 360, height: 800 },
    rules: { rules: { [contrast]: { enabled: false } } },
  },
] as const

interface Finding {
  readonly id: string
  readonly impact: string | null
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[]
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Returns what is seriously wrong with the page for people who cannot see or point, as one line each. */
async function findingsOf(page: Page, rules: (typeof forms)[number]['rules']): Promise<readonly string[]> {
  const options = JSON.stringify({ ...rules, resultTypes: ['violations'], preload: false })
  const findings = (await page.evaluate(
    `axe.run(document, ${options}).then(({ violations }) => violations)`,
  )) as Finding[]
  return findings
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 160)} ${nodes[0]?.failureSummary?.slice(0, 160) ?? ''}`)
}

/**
 * Returns the selectors of `further.css` that match in a page which does not load this sheet: it must name the sheet, or
 * the rule belongs into `forge.css`.
 */
const unstyledOf = (page: Page, sheet: string): Promise<readonly string[]> =>
  page.evaluate(`(async () => {
    if (document.querySelector('link[rel=stylesheet][href="${sheet}"]')) return []
    const styles = new CSSStyleSheet()
    styles.replaceSync(await (await fetch('${sheet}')).text())
    const selectorsIn = (rules) =>
      [...rules].flatMap((rule) => rule.selectorText ?? (rule.cssRules ? selectorsIn(rule.cssRules) : []))
    const isThere = (selector) => {
      const ofElements = selector.replaceAll(/::?(?:before|after|-webkit[-a-z]+)/g, '')
      return document.querySelector(ofElements.replaceAll(/:(?:hover|focus-visible)/g, ':is(*)')) !== null
    }
    return selectorsIn(styles.cssRules).filter(isThere)
  })()`)

/**
 * Colours that still change from one scheme to the other have no contrast to measure. A script may change them some frames
 * after the scheme, so the transitions are ended until none is left.
 */
const endTransitions = `(async () => {
  const frame = () => new Promise((done) => requestAnimationFrame(done))
  const running = () => document.getAnimations().filter((each) => each instanceof CSSTransition)
  do {
    for (const each of running()) each.finish()
    await frame()
    await frame()
  } while (running().length > 0)
})()`

/** Looks at the page in each form, and returns what is wrong with it. */
async function wrongOf(page: Page, path: string, sheet: string): Promise<readonly string[]> {
  await page.goto(path)
  const wrong = (await unstyledOf(page, sheet)).map((selector) => `${path}: has no styles for ${selector}`)
  await page.evaluate(axeSource)
  for (const { name, colorScheme, viewport, rules } of forms) {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize(viewport)
    await page.evaluate(endTransitions)
    wrong.push(...(await findingsOf(page, rules)).map((finding) => `${path} (${name}): ${finding}`))
    const tooWide = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
    if (Number(tooWide) > 0) wrong.push(`${path} (${name}): wider than the window by ${String(tooWide)} px`)
  }
  return wrong
}

/** A browser shows hundreds of pages: a machine with other work needs longer than the usual limit of a test. */
const manyPages = { skip, timeout: 600_000 }

test(
  'pages: nothing serious hinders people with screen readers, in light, dark and on a phone',
  manyPages,
  async () => {
    await using forge = await startForge()
    await makeDemoData(forge.url)
    const context = await openContext({ baseURL: forge.url, viewport: desktop, reducedMotion: 'reduce' })
    const sheet = assetPath(forge.app.services.config, 'further.css')
    const wrong: string[] = []
    try {
      const page = await context.newPage()
      wrong.push(...(await wrongOf(page, '/user/login', sheet)))
      await page.fill('input[name=user_name]', 'alice')
      await page.fill('input[name=password]', testPassword)
      await Promise.all([page.waitForURL((url) => !url.pathname.endsWith('/login')), page.keyboard.press('Enter')])
      for (const path of pages) wrong.push(...(await wrongOf(page, path, sheet)))
    } finally {
      await context.close()
    }
    assert.deepEqual(wrong, [])
  },
)
