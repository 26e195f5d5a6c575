import type { Services, SubjectCtx } from '../../access/context.ts'
import type { PackageCleanupRuleRow } from '../../db/tables/packages.ts'
import { pluck } from '../../lib/pluck.ts'
import { BadRequest, Invalid } from '../../lib/errors.ts'
import type { PackageVersionId, UserId } from '../../lib/ids.ts'
import { nowUnix } from '../../lib/time.ts'
import { WorkBudget } from '../../lib/work-budget.ts'
import { expressionPattern } from '../../lib/expression.ts'
import { deleteVersion } from '../package.service.ts'
import { loadVersions, type VersionRecord } from '../package.store.ts'
import type { RuleSettings } from './cleanup-rule.rules.ts'
import {
  isUnchanged,
  isNeededByIndex,
  listPackagesFrom,
  listVersionNames,
  loadCandidates,
  loadManifests,
  pageOfVersionNames,
  type NamePosition,
  type PackageWithCount,
  type VersionName,
} from './cleanup.store.ts'
import {
  judgeVersions,
  keepNeededManifests,
  type Candidate,
  type ManifestLinks,
  type Matches,
  type Verdict,
} from './cleanup.rules.ts'

/** Number of packages whose versions are counted at once, and of versions that are read at once. */
const packagesAtOnce = 200
const versionsAtOnce = 1000

/**
 * Largest number of versions of a package that is judged, because the newest versions must be found among all of them.
 */
const maxVersions = 200_000

const imageType = 'container'

export const settingsOf = (row: PackageCleanupRuleRow): RuleSettings => ({
  isEnabled: row.is_enabled,
  keepCount: row.keep_count,
  keepPattern: row.keep_pattern,
  removeDays: row.remove_days,
  removePattern: row.remove_pattern,
  matchesFullName: row.matches_full_name,
})

/** A package with the decisions about all of its versions. */
interface JudgedPackage {
  readonly lowerName: string
  /** Number of versions; those whose files are gone have no decision. */
  readonly versions: number
  readonly verdicts: readonly Verdict[]
  readonly links: ReadonlyMap<PackageVersionId, ManifestLinks>
}

/** Groups small packages up to a number of versions; a large package is alone. */
function inGroups(packages: readonly PackageWithCount[], together: number): PackageWithCount[][] {
  const groups: PackageWithCount[][] = []
  let room = 0
  for (const each of packages) {
    if (each.versions > room) {
      groups.push([])
      room = together
    }
    groups.at(-1)?.push(each)
    room -= each.versions
  }
  return groups
}

async function* versionsOf(
  { db }: Pick<Services, 'db'>,
  group: readonly PackageWithCount[],
): AsyncGenerator<VersionName[]> {
  const [first] = group
  if (!first || group.length > 1 || first.versions <= versionsAtOnce) {
    yield await listVersionNames(db, pluck(group, 'id'))
    return
  }
  let count = 0
  for (let after = ''; count < maxVersions;) {
    const page = await pageOfVersionNames(db, first.id, after, versionsAtOnce)
    const last = page.at(-1)
    if (!last) return
    yield page
    count += page.length
    after = last.lowerVersion
  }
}

/** Evaluates the patterns of a rule on versions. Throws `Invalid` for a pattern that takes too long. */
function matchesOf(
  budget: WorkBudget,
  rule: RuleSettings,
  names: ReadonlyMap<number, string>,
  candidates: readonly Candidate[],
): Matches {
  const text = ({ packageId, version }: Candidate): string =>
    rule.matchesFullName ? `${names.get(packageId) ?? ''}/${version}` : version
  const fitting = (field: string, source: string): PackageVersionId[] | undefined => {
    if (source === '') return undefined
    const pattern = expressionPattern(source, budget, { isWhole: true, ignoresCase: true })
    return candidates.flatMap((candidate) => {
      const match = pattern.match(text(candidate))
      if (match === 'undecided') {
        const why = pattern.fault()?.reason ?? 'it takes too long'
        throw new Invalid(`[${field}]: the pattern cannot be compared: ${why}`, 'cleanup_pattern_slow', { field })
      }
      return match ? [candidate.id] : []
    })
  }
  const keep = fitting('keep_pattern', rule.keepPattern)
  const remove = fitting('remove_pattern', rule.removePattern)
  return { keep: keep && new Set(keep), remove: remove && new Set(remove) }
}

function linksOf({
  manifests,
  references,
}: Awaited<ReturnType<typeof loadManifests>>): Map<PackageVersionId, ManifestLinks> {
  const named = Map.groupBy(references, (reference) => reference.version_id)
  return new Map(
    manifests.map(({ version_id: id, sha256, sha512 }) => {
      const own = named.get(id) ?? []
      return [
        id,
        {
          digests: [`sha256:${sha256}`, `sha512:${sha512}`],
          parts: own.filter((each) => !each.is_subject).map(({ digest }) => digest),
          subject: own.find((each) => each.is_subject)?.digest,
        },
      ]
    }),
  )
}

const union = <Id>(one: ReadonlySet<Id> | undefined, other: ReadonlySet<Id> | undefined): Set<Id> | undefined =>
  one || other ? new Set([...(one ?? []), ...(other ?? [])]) : undefined

interface CleanupQuery {
  readonly type: string
  readonly rule: RuleSettings
  /** Returns the budget of one group of versions: a preview has one for all, a job yields between groups. */
  readonly budgetOf: () => WorkBudget
}

async function judgeGroup(
  services: Services,
  { type, rule, budgetOf }: CleanupQuery,
  group: readonly PackageWithCount[],
): Promise<JudgedPackage[]> {
  const isImage = type === imageType
  const names = new Map(group.map(({ id, name }) => [id as number, name]))
  const candidates: Candidate[] = []
  let matches: Matches = { keep: undefined, remove: undefined }
  const links = new Map<PackageVersionId, ManifestLinks>()
  for await (const versions of versionsOf(services, group)) {
    const some = await loadCandidates(services.db, versions)
    const found = matchesOf(budgetOf(), rule, names, some)
    candidates.push(...some)
    matches = { keep: union(matches.keep, found.keep), remove: union(matches.remove, found.remove) }
    if (!isImage) continue
    const ids = some.map(({ id }) => id)
    for (const [id, link] of linksOf(await loadManifests(services.db, ids))) links.set(id, link)
  }
  const byPackage = Map.groupBy(candidates, ({ packageId }) => packageId)
  const at = { nowUnix: nowUnix(services.clock), isImage }
  return group.map(({ id, lowerName, versions }) => {
    const verdicts = judgeVersions(rule, byPackage.get(id) ?? [], matches, at)
    return { lowerName, versions, verdicts: isImage ? keepNeededManifests(verdicts, links) : verdicts, links }
  })
}

/**
 * Yields the owner's packages by name with the decisions of a rule.
 * @param together number of versions of small packages that are judged at once
 * @param goesOn decides before each group, by the name of its first package, whether to continue
 */
async function* judgePackages(
  services: Services,
  row: PackageCleanupRuleRow,
  fromName: string,
  together = versionsAtOnce,
  goesOn: (lowerName: string) => boolean = () => true,
  budgetOf: () => WorkBudget = () => new WorkBudget(),
): AsyncGenerator<JudgedPackage> {
  const query = { type: row.type, rule: settingsOf(row), budgetOf }
  for (let from: NamePosition = { name: fromName, isIncluded: true }; ;) {
    const packages = await listPackagesFrom(services.db, row.owner_id, row.type, from, packagesAtOnce)
    for (const group of inGroups(packages, together)) {
      if (!goesOn(group[0]?.lowerName ?? '')) return
      yield* await judgeGroup(services, query, group)
    }
    const last = packages.at(-1)
    if (!last || packages.length < packagesAtOnce) return
    from = { name: last.lowerName, isIncluded: false }
  }
}

/**
 * Largest number of versions that one preview reads, and number of versions of small packages that it judges at once.
 */
const previewed = 400
const previewedAtOnce = 200

/** The versions to remove, by package name. */
export interface Preview {
  readonly versions: readonly { readonly version: VersionRecord; readonly sizeBytes: number; readonly reason: string }[]
  readonly examined: number
  /** The cursor of the next page; undefined at the end. */
  readonly next: string | undefined
}

/** The cursor of a preview: a package and the number of its versions on earlier pages. */
interface PreviewCursor {
  readonly lowerName: string
  readonly skipped: number
}

const encodeCursor = ({ lowerName, skipped }: PreviewCursor): string =>
  Buffer.from(`${skipped} ${lowerName}`).toString('base64url')

function decodeCursor(text: string | undefined): PreviewCursor {
  if (text === undefined || text === '') return { lowerName: '', skipped: 0 }
  const [, skipped, lowerName] = /^(\d{1,9}) ([^\0]*)$/s.exec(Buffer.from(text, 'base64url').toString('utf8')) ?? []
  if (lowerName === undefined) throw new BadRequest('this is no place to go on from', 'cleanup_place_invalid')
  return { lowerName, skipped: Number(skipped) }
}

/**
 * Returns a page of the versions that a rule would remove now. Throws `BadRequest` for an unknown cursor.
 * @param after the `next` of the previous page
 */
export async function previewCleanup(
  ctx: SubjectCtx,
  row: PackageCleanupRuleRow,
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
): Promise<Preview> {
  const cursor = decodeCursor(after)
  const going: Verdict[] = []
  let examined = 0
  let looked = 0
  const stop: { at?: PreviewCursor } = {}
  const goesOn = (lowerName: string): boolean => {
    if (looked < previewed && going.length < limit) return true
    stop.at = { lowerName, skipped: 0 }
    return false
  }
  const packages = judgePackages(ctx, row, cursor.lowerName, previewedAtOnce, goesOn, () => ctx.budget)
  for await (const { lowerName, versions, verdicts } of packages) {
    if (!goesOn(lowerName)) break
    const skipped = lowerName === cursor.lowerName ? cursor.skipped : 0
    const found = verdicts.filter(({ goes }) => goes).slice(skipped)
    const room = limit - going.length
    going.push(...found.slice(0, room))
    examined += verdicts.length
    looked += versions
    if (found.length > room) {
      stop.at = { lowerName, skipped: skipped + room }
      break
    }
  }
  const rows = await loadVersions(
    ctx.db,
    going.map(({ candidate }) => candidate.id),
  )
  const versions = going.flatMap(({ candidate: { id, sizeBytes }, reason }) => {
    const version = rows.get(id)
    return version ? [{ version, sizeBytes, reason }] : []
  })
  return { versions, examined, next: stop.at && encodeCursor(stop.at) }
}

/** Largest number of versions that one job removes, and that it reads. */
const removedAtOnce = 500
const examinedAtOnce = 50_000

/**
 * Removes versions that a rule selects, up to a limit. Returns their number and the package to continue with, which is
 * undefined at
 * the end. Throws `Invalid` for a pattern that takes too long.
 */
export async function applyCleanup(
  services: Services,
  row: PackageCleanupRuleRow,
  doerId: UserId,
  fromName: string,
  signal: AbortSignal,
): Promise<{ readonly removed: number; readonly next: string | undefined }> {
  let removed = 0
  let examined = 0
  for await (const { lowerName, verdicts, links } of judgePackages(services, row, fromName)) {
    if (examined >= examinedAtOnce || removed >= removedAtOnce) return { removed, next: lowerName }
    examined += verdicts.length
    // An index must be removed before its members.
    const partsIn = ({ id }: Candidate): number => links.get(id)?.parts.length ?? 0
    const going = verdicts
      .filter(({ goes }) => goes)
      .map(({ candidate }) => candidate)
      .toSorted((one, other) => partsIn(other) - partsIn(one))
    const some = going.slice(0, removedAtOnce - removed)
    const gone = await removeAll(services, some, links, doerId, signal)
    removed += gone
    if (gone > 0 && some.length < going.length) return { removed, next: lowerName }
  }
  return { removed, next: undefined }
}

/** Removes versions of a package that are unchanged since the decision. Returns their number. */
async function removeAll(
  services: Services,
  candidates: readonly Candidate[],
  links: ReadonlyMap<PackageVersionId, ManifestLinks>,
  doerId: UserId,
  signal: AbortSignal,
): Promise<number> {
  const rows = await loadVersions(services.db, pluck(candidates, 'id'))
  let removed = 0
  // The members of an index that is removed in this batch are checked again.
  for (let left = candidates; left.length > 0;) {
    const kept: Candidate[] = []
    for (const candidate of left) {
      signal.throwIfAborted()
      const version = rows.get(candidate.id)
      const sha256 = links.get(candidate.id)?.digests[0]?.slice('sha256:'.length)
      const isGone =
        version &&
        (await deleteVersion(services, version, doerId, async (tx) => {
          if (!(await isUnchanged(tx, candidate))) return false
          return sha256 === undefined || !(await isNeededByIndex(tx, candidate, sha256))
        }))
      if (isGone) removed += 1
      else kept.push(candidate)
    }
    if (kept.length === left.length) break
    left = kept
  }
  return removed
}
