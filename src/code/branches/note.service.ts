import type { RepoCtx, SignedInRepoCtx } from '../../access/context.ts'
import type { Commit } from '../../git/git.ts'
import { Invalid, NotFound } from '../../lib/errors.ts'
import type { Oid } from '../../lib/ids.ts'
import { zeroOid } from '../../lib/refs.ts'
import { refusalOf } from './branch.service.ts'
import { callerIdentity } from '../commits/commit-identities.ts'
import { checkRevisionName, findNamedCommit } from '../commits/named-commit.service.ts'
import { codeOf } from '../../refs/git-repository.ts'
import { moveRefs } from '../../refs/changes/ref-door.service.ts'
import { maxAttempts } from '../../refs/push/push-turns.ts'
import { hasGoodSignature, signedCommit, signingFor } from '../../refs/signing/signing.service.ts'
import { trimBoth } from '../../lib/trim-ends.ts'

const notesRef = 'refs/notes/commits'
/** Largest note, in bytes. */
const maxNoteBytes = 1024 * 1024

/** A note and the commit of the notes history that last touched it. */
export interface Note {
  readonly message: string
  readonly commit: Commit
}

/** Resolves a name. Throws `Invalid` when it is malformed, `NotFound` when it is unknown. */
async function annotated(ctx: RepoCtx, revision: string): Promise<Oid> {
  checkRevisionName(revision)
  const found = await findNamedCommit(ctx.git, ctx.repo.git_key, revision)
  if (!found) throw new NotFound(`there is no commit ${revision}`, 'commit_not_found')
  return found.commit
}

/** Finds the path of a note: git spreads many notes over folders of two digits. */
async function findNotePath(ctx: RepoCtx, notes: Oid, oid: Oid): Promise<{ path: string; blob: Oid } | undefined> {
  const paths = [oid, `${oid.slice(0, 2)}/${oid.slice(2)}`, `${oid.slice(0, 2)}/${oid.slice(2, 4)}/${oid.slice(4)}`]
  for (const path of paths) {
    const entry = await ctx.git.findPath(ctx.repo.git_key, notes, path)
    if (entry?.type === 'blob') return { path, blob: entry.oid }
  }
  return undefined
}

/** The path of a new note, in the layout of the existing ones. */
async function newNotePath(ctx: RepoCtx, notes: Oid | undefined, oid: Oid): Promise<string> {
  if (!notes) return oid
  const folder = await ctx.git.findPath(ctx.repo.git_key, notes, oid.slice(0, 2))
  const entries = folder ? [folder] : await ctx.git.readTree(ctx.repo.git_key, notes)
  const isSpread =
    entries.length > 0 && entries.every((entry) => entry.type === 'tree' && /^[0-9a-f]{2}$/.test(entry.name))
  return isSpread ? `${oid.slice(0, 2)}/${oid.slice(2)}` : oid
}

/** The note of a commit. Throws `NotFound`. */
export async function getNote(ctx: RepoCtx, revision: string): Promise<Note> {
  const { git, repo } = ctx
  const oid = await annotated(ctx, revision)
  const notes = await git.readRef(repo.git_key, notesRef)
  const found = notes && (await findNotePath(ctx, notes, oid))
  if (!notes || !found) throw new NotFound(`commit ${oid} has no note`, 'note_not_found')
  const [blob, last] = await Promise.all([
    git.readBlob(repo.git_key, found.blob, { maxBytes: maxNoteBytes }),
    git.lastCommitOfPath(repo.git_key, notes, found.path),
  ])
  return { message: blob.content?.toString('utf8') ?? '', commit: await git.readCommit(repo.git_key, last ?? notes) }
}

/** Cleans a message like git: no trailing blanks, no surrounding or repeated empty lines, a final newline. */
function cleanMessage(text: string): string {
  const lines = text.split('\n').map((line) => line.trimEnd())
  return `${trimBoth(lines.join('\n').replace(/\n{3,}/g, '\n\n'), '\n')}\n`
}

/** Sets the note of a commit. Throws `Invalid` for an empty one. */
export async function setNote(ctx: SignedInRepoCtx, revision: string, message: string): Promise<void> {
  const oid = await annotated(ctx, revision)
  const content = Buffer.from(cleanMessage(message))
  if (content.length <= 1) throw new Invalid('[message]: a note must not be empty', 'note_empty')
  if (content.length > maxNoteBytes) {
    throw new Invalid(`[message]: a note has at most ${maxNoteBytes} bytes`, 'note_too_long')
  }
  await changeNotes(ctx, "Notes added by 'git notes add'", async (notes) => {
    const found = notes && (await findNotePath(ctx, notes, oid))
    return { op: 'write', path: found?.path ?? (await newNotePath(ctx, notes, oid)), content }
  })
}

/** Removes the note of a commit. Throws `NotFound`. */
export async function removeNote(ctx: SignedInRepoCtx, revision: string): Promise<void> {
  const oid = await annotated(ctx, revision)
  await changeNotes(ctx, "Notes removed by 'git notes remove'", async (notes) => {
    const found = notes && (await findNotePath(ctx, notes, oid))
    if (!found) throw new NotFound(`commit ${oid} has no note`, 'note_not_found')
    return { op: 'delete', path: found.path }
  })
}

type NoteChange =
  | { readonly op: 'write'; readonly path: string; readonly content: Buffer }
  | { readonly op: 'delete'; readonly path: string }

async function changeNotes(
  ctx: SignedInRepoCtx,
  message: string,
  change: (notes: Oid | undefined) => Promise<NoteChange>,
): Promise<void> {
  const { git, repo } = ctx
  // The author of a note is the login, not the full name (observed).
  const identity = { ...callerIdentity(ctx), name: ctx.viewer.user.name }
  const caller = { ...identity, unixSeconds: Math.floor(ctx.clock.nowMs() / 1000), offsetMinutes: 0 }
  for (let attempt = 1; ; attempt++) {
    const notes = await git.readRef(repo.git_key, notesRef)
    const tree = { base: notes, changes: [await change(notes)] }
    const signing = await signingFor(ctx, 'crudActions', ctx.viewer.id, repo, {
      parentsigned: () => hasGoodSignature(ctx, repo.git_key, notes),
    })
    const commit = signedCommit(signing, { author: caller, committer: caller, message })
    const { oid } = await git.writeCommit(repo.git_key, { ...commit, parents: notes ? [notes] : [], tree })
    const update = { ref: notesRef, old: notes ?? zeroOid(repo.object_format), new: oid }
    const result = await moveRefs(ctx, codeOf(repo), [update], { doerId: ctx.viewer.id, via: 'api' })
    if (result.ok) return
    const isLate = result.reason === 'stale' || result.reason === 'exists'
    if (!isLate || attempt === maxAttempts) throw refusalOf(result)
  }
}
