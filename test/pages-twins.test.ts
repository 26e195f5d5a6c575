import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isPage, type NamedOperation } from '../src/http/operation.ts'
import { startForge } from '../src/testing/forge.ts'
import type { TwinOperation } from '../src/web/shell/page.tsx'
import { everythingOn } from './authorization-world.ts'

type NamedTwin = NamedOperation & TwinOperation

const hasTwin = (operation: NamedOperation): operation is NamedTwin => 'twin' in operation

/** Codes of how a caller signs in, what a body contains and which row an address names, which pages have otherwise. */
const isOfSurface = (code: string): boolean =>
  ['browser', 'session', 'T', 'bind', 'csrf', 'publicOnlyCheck'].includes(code) ||
  (/^(?:scope|resolve):/.test(code) && code !== 'resolve:repo' && code !== 'resolve:org')

/** Returns the codes that refuse callers, in their order. */
const rightsOf = ({ requires }: NamedOperation): readonly string[] =>
  requires.flatMap(({ codes, refuses }) => (refuses.length === 0 ? [] : codes)).filter((code) => !isOfSurface(code))

const isSignedIn = ({ requires }: NamedOperation): boolean =>
  requires.some(({ codes }) => codes.includes('T') || codes.includes('session'))

/** What a page may require although its twin does not: it is more careful than the API, and its address says more. */
const mayAdd: ReadonlySet<string> = new Set([
  'NA', // pages offer no change in an archived repository
  'WH', // the contract does not require it of an administrator
  'exploreSignIn',
  'resolve:org', // addresses of teams contain the organization
  'issuesOrPullsEnabled',
  'issuesEnabled',
  'pullsEnabled',
  'oauthEnabled',
  'attachmentsEnabled',
  'organizationsExploreEnabled',
  'uploadsOn',
  'RR(code)', // a page of a pull request shows its commits
])

/** Codes that a page replaces, each with the reason. */
const replaced: readonly (readonly [ids: RegExp, lacks: readonly string[], instead: readonly string[]])[] = [
  // The page has the owner in its form, and asks for the quota of that owner.
  [/^createRepositoryAct$/, ['quota:size:repos:all@user'], []],
  // The list has rows of many repositories; the service reads each as the caller.
  [/^endIssueSubscription$/, ['resolve:repo', 'issuesOrPullsEnabled'], []],
  [/^endRepositoryWatch$/, ['resolve:repo'], []],
  // A branch that only a maintainer's permission opens is changed on the page of its pull request. People who may only read
  // propose changes from their fork.
  [/^(?:newFile|editFile|deleteFile|uploadFiles)Page$/, ['branchWriter'], ['writesOrProposes']],
  [/^(?:create|edit)File$/, ['branchWriter'], ['writesOrProposes']],
  // Deleting in the browser makes a commit, which needs space (written contract, quota model).
  [/^deleteFile$/, ['branchWriter'], ['writesOrProposes', 'quota:size:repos:all@repo']],
  // The unit of the page's own kind.
  [
    /^(?:repositoryIssues|changeIssues|newIssuePage|openIssueOfPage|chooseIssueTemplate)$/,
    ['issuesOrPullsEnabled'],
    [],
  ],
  [/^commentOnPull$/, ['issuesOrPullsEnabled'], []],
  // Its address names the account, so that its owner is who may.
  [/CleanupRule/, ['packageRead', 'packageCleanupRules'], ['packagesEnabled']],
  [/^org.*CleanupRule|OrgCleanupRule/, ['packageRead', 'packageCleanupRules'], ['packagesEnabled', 'OO']],
  [/^cleanupRule/, ['packageRead', 'packageCleanupRules'], ['packagesEnabled']],
]

/** Returns how the requirements of a page differ from those of its twin. */
function differenceOf(page: NamedTwin, twin: NamedOperation): string | undefined {
  const rules = replaced.filter(([ids]) => ids.test(page.id))
  const lacks = new Set(rules.flatMap(([, codes]) => codes))
  const instead = new Set(rules.flatMap(([, , codes]) => codes))
  const ofTwin = rightsOf(twin).filter((code) => !lacks.has(code))
  const ofPage = rightsOf(page).filter((code) => ofTwin.includes(code) || !(mayAdd.has(code) || instead.has(code)))
  // A page with a form appears without the space that its form needs.
  const wanted = page.method === 'GET' ? ofTwin.filter((code) => !code.startsWith('quota:')) : ofTwin
  if (isSignedIn(twin) && !isSignedIn(page)) return `${page.id}: guests reach it, unlike ${twin.id}`
  return ofPage.join() === wanted.join()
    ? undefined
    : `${page.id} requires [${ofPage.join(' ')}], ${twin.id} [${wanted.join(' ')}]`
}

test('pages: each page and form requires what the operation of the API that does the same requires', async () => {
  await using forge = await startForge({ settings: everythingOn })
  const operations = forge.services.operations()
  const byId = new Map(operations.filter((each) => !isPage(each)).map((each) => [each.id, each]))
  const pages = operations.filter(hasTwin)
  const wrong = pages.flatMap((page) => {
    if (page.twin === null) return []
    const twin = byId.get(page.twin)
    return twin === undefined ? `${page.id}: there is no operation ${page.twin}` : (differenceOf(page, twin) ?? [])
  })
  assert.deepEqual(wrong, [])
  assert.ok(pages.filter(({ twin }) => twin !== null).length > 300, `${pages.length} pages`)
})
