import type { Services } from '../../access/context.ts'
import { readDiffText } from '../../code/commits/diff-text.service.ts'
import { parsePatch, type FilePatch } from '../../code/commits/patch.parse.ts'
import { transaction } from '../../db/database.ts'
import type { CommentRow } from '../../db/tables/issues.ts'
import type { RepoRow } from '../../db/tables/repositories.ts'
import type { Oid, PullId } from '../../lib/ids.ts'
import { findRepoById } from '../../repos/repo.store.ts'
import { mergeBaseOf } from '../pull.rules.ts'
import { findPullById } from '../pull.store.ts'
import { movedLines, type ChangedPart } from './moved-lines.rules.ts'
import { listLinesBehind, restoreLines, updateLines, type LineChange, type LineAddress } from './line.store.ts'

/** Most line comments that follow a push; the others of a larger pull request follow the next one. */
const maxComments = 1000

/** Most commits from which comments follow; comments of further ones are outdated. Usually there is one. */
const maxOrigins = 8

/** What is read of the differences of the commented files; comments on files beyond it are outdated. */
const diffLimits = { maxBytes: 4 << 20, maxLines: 50_000 }

/** Where a file is now, and what differs in it; undefined when it was deleted or cannot be compared. */
interface FileNow {
  readonly path: string
  readonly parts: readonly ChangedPart[]
}

/**
 * Finds the lines of a pull request's comments in its newest commits: unchanged lines get their new number, and comments
 * on changed ones are marked as outdated. May be called repeatedly and concurrently.
 */
export async function followLines(services: Services, id: PullId): Promise<void> {
  const pull = await findPullById(services.db, id)
  const repo = pull && !pull.is_merged ? await findRepoById(services.db, pull.repo_id) : undefined
  if (!pull || !repo) return
  const now = { newOid: pull.synced_oid, oldOid: mergeBaseOf(pull) }
  const behind = await listLinesBehind(services.db, pull.issue_id, now, maxComments)
  const origins = [...Map.groupBy(behind, (row) => row.line_oid)]
  const changes: LineChange[] = []
  for (const [index, [from, rows]] of origins.entries()) {
    const isFollowed = index < maxOrigins && from !== ''
    for (const side of ['old', 'new'] as const) {
      const ofSide = rows.filter((row) => (row.line < 0 ? 'old' : 'new') === side)
      const to = side === 'old' ? now.oldOid : now.newOid
      if (ofSide.length === 0 || to === undefined) continue
      const paths = [...new Set(ofSide.map((row) => row.tree_path))]
      const files = isFollowed ? await filesNow(services, repo, { from, to }, paths) : new Map<string, FileNow>()
      changes.push(...ofSide.map((row) => ({ row, now: currentLine(row, to, files.get(row.tree_path)) })))
    }
  }
  await transaction(services.db, async (tx) => {
    await restoreLines(tx, pull.issue_id, now)
    await updateLines(tx, changes)
  })
}

/** Returns where the lines of a comment are; undefined when they have changed. */
function currentLine(row: CommentRow, oid: Oid, file: FileNow | undefined): LineAddress | undefined {
  const last = Math.abs(row.line)
  const lines = file && movedLines({ first: row.first_line === 0 ? last : row.first_line, last }, file.parts)
  if (!file || !lines) return undefined
  return {
    line_oid: oid,
    tree_path: file.path,
    line: row.line < 0 ? -lines.last : lines.last,
    first_line: row.first_line === 0 ? 0 : lines.first,
  }
}

interface Range {
  readonly from: Oid
  readonly to: Oid
}

/**
 * Returns where files of one commit are in another one and what differs there. One git process compares all files; when
 * some are gone, two more look for their new names.
 */
async function filesNow(
  services: Services,
  repo: RepoRow,
  range: Range,
  paths: readonly string[],
): Promise<ReadonlyMap<string, FileNow>> {
  const key = repo.git_key
  // After a forced push, git may have deleted the commits that were replaced.
  if ((await services.git.missingObjects(key, [range.from, range.to])).length > 0) return new Map()
  const differences = await readDifferences(services, repo, range, paths)
  const isGone = (path: string) => isDeletion(differences.files.get(path))
  const found = new Map<string, FileNow>()
  for (const path of paths) {
    if (isGone(path)) continue
    const file = differences.files.get(path)
    // A file that the text does not reach may differ or not.
    if (differences.isWhole || (file && !file.isCut)) found.set(path, { path, parts: file?.hunks ?? [] })
  }
  const gone = new Set(paths.filter(isGone))
  if (gone.size === 0) return found
  const renames = (await services.git.diffFiles(key, { base: range.from, head: range.to })).filter(
    (change) => change.status === 'renamed' && change.oldPath !== undefined && gone.has(change.oldPath),
  )
  if (renames.length === 0) return found
  const moved = await readDifferences(
    services,
    repo,
    range,
    renames.flatMap(({ oldPath = '', path }) => [oldPath, path]),
  )
  for (const { oldPath = '', path } of renames) {
    const file = moved.files.get(path)
    if (moved.isWhole || (file && !file.isCut)) found.set(oldPath, { path, parts: file?.hunks ?? [] })
  }
  return found
}

/** Whether nothing is left of a file's lines: it may have another name. */
const isDeletion = (file: FilePatch | undefined): boolean =>
  file?.hunks.length === 1 && file.hunks[0]?.newBegin === 0 && file.hunks[0].newCount === 0

/** Returns the differences of files by their new path, and whether the text of git was short enough. */
async function readDifferences(
  services: Services,
  repo: RepoRow,
  { from, to }: Range,
  paths: readonly string[],
): Promise<{ readonly files: ReadonlyMap<string, FilePatch>; readonly isWhole: boolean }> {
  const query = { base: from, head: to, paths, contextLines: 0 }
  const { bytes, isWhole } = await readDiffText(services, repo.git_key, query, diffLimits)
  return { files: new Map(parsePatch(bytes, isWhole).map((file) => [file.path, file])), isWhole }
}
