import type { PackageFileId, PackageId, PackageVersionId } from '../../lib/ids.ts'
import type { Unix } from '../../lib/time.ts'
import type { RuleSettings } from './cleanup-rule.rules.ts'

/** A version that a rule judges. */
export interface Candidate {
  readonly id: PackageVersionId
  readonly packageId: PackageId
  readonly version: string
  /** Creation time of the newest file; image tags and Maven snapshots receive new files. */
  readonly changedUnix: Unix
  readonly lastFileId: PackageFileId
  readonly sizeBytes: number
  /** A tag points to it, such as npm's `latest`. */
  readonly hasTag: boolean
}

/** The manifest of an image version. */
export interface ManifestLinks {
  /** The digests of the manifest by each algorithm. */
  readonly digests: readonly string[]
  readonly parts: readonly string[]
  readonly subject: string | undefined
}

/** The decision about a version and its reason. */
export interface Verdict {
  readonly candidate: Candidate
  readonly goes: boolean
  readonly reason: string
}

/** Results of the patterns by version id; undefined without a pattern. */
export interface Matches {
  readonly keep: ReadonlySet<PackageVersionId> | undefined
  readonly remove: ReadonlySet<PackageVersionId> | undefined
}

const daySeconds = 86_400

/** Least age of an untagged manifest before it is removed, because the index that names it may be pushed after it. */
const untaggedSeconds = daySeconds

const isUntagged = (version: string): boolean => version.includes(':')

/** Returns the digest in a tag of the form `sha256-….sig`, by which signatures are stored without the referrers API. */
function namedSubject(version: string): string | undefined {
  const [, hex] = /^sha256-([0-9a-f]{64})(?:\..*)?$/.exec(version.toLowerCase()) ?? []
  return hex === undefined ? undefined : `sha256:${hex}`
}

const byAge = (one: Candidate, other: Candidate): number => other.changedUnix - one.changedUnix || other.id - one.id

/**
 * Judges the versions of one package independently of each other.
 * @param isImage digests and signatures of an image do not count as versions
 */
export function judgeVersions(
  rule: RuleSettings,
  candidates: readonly Candidate[],
  { keep, remove }: Matches,
  { nowUnix, isImage }: { readonly nowUnix: Unix; readonly isImage: boolean },
): Verdict[] {
  let counted = 0
  return candidates.toSorted(byAge).map((candidate): Verdict => {
    const { id, version, changedUnix } = candidate
    const isCounted = !isImage || !(isUntagged(version) || namedSubject(version) !== undefined)
    const rank = isCounted ? ++counted : Infinity
    const stays = (reason: string): Verdict => ({ candidate, goes: false, reason })
    const age = nowUnix - changedUnix
    if (candidate.hasTag || (isImage && version.toLowerCase() === 'latest')) return stays('a tag stands for it')
    if (rank <= rule.keepCount) return stays(`it is one of the ${rule.keepCount} newest`)
    if (keep?.has(id)) return stays('it fits the pattern of what stays')
    if (age < rule.removeDays * daySeconds) return stays(`it is younger than ${rule.removeDays} days`)
    if (remove && !remove.has(id)) return stays('it does not fit the pattern of what goes')
    if (isImage && isUntagged(version) && age < untaggedSeconds) return stays('its index may be on its way')
    const reasons = [
      ...(rule.keepCount > 0 && isCounted ? [`it is not one of the ${rule.keepCount} newest`] : []),
      ...(rule.removeDays > 0 ? [`it is older than ${rule.removeDays} days`] : []),
      ...(remove ? ['it fits the pattern of what goes'] : []),
    ]
    return { candidate, goes: true, reason: reasons.join(', ') || 'no tag and no index has it' }
  })
}

/**
 * Keeps manifests that a kept manifest needs: the members of an index, and manifests about it, such as signatures. Of
 * several
 * versions with one manifest only an untagged one needs to stay.
 */
export function keepNeededManifests(
  verdicts: readonly Verdict[],
  links: ReadonlyMap<PackageVersionId, ManifestLinks>,
): Verdict[] {
  const all = new Map(verdicts.map((verdict) => [verdict.candidate.id, verdict]))
  const carriers = new Map<string, Candidate[]>()
  const about = new Map<string, Candidate[]>()
  const note = (map: Map<string, Candidate[]>, digest: string, candidate: Candidate) => {
    const known = map.get(digest)
    if (known) known.push(candidate)
    else map.set(digest, [candidate])
  }
  for (const { candidate } of verdicts) {
    const { digests = [], subject = namedSubject(candidate.version) } = links.get(candidate.id) ?? {}
    for (const digest of digests) note(carriers, digest, candidate)
    if (subject !== undefined) note(about, subject, candidate)
  }
  const staying = verdicts.filter(({ goes }) => !goes).map(({ candidate }) => candidate)
  for (let next = staying.pop(); next; next = staying.pop()) {
    const { digests = [], parts = [] } = links.get(next.id) ?? {}
    const keep = (needed: readonly Candidate[], reason: string) => {
      for (const candidate of needed) {
        if (!all.get(candidate.id)?.goes) continue
        all.set(candidate.id, { candidate, goes: false, reason })
        staying.push(candidate)
      }
    }
    for (const part of parts) {
      const have = carriers.get(part) ?? []
      const untagged = have.filter(({ version }) => isUntagged(version))
      keep(untagged.length > 0 ? untagged : have, `it is a part of ${next.version}`)
    }
    for (const digest of digests) keep(about.get(digest) ?? [], `it is about ${next.version}`)
  }
  return verdicts.map((verdict) => all.get(verdict.candidate.id) ?? verdict)
}
