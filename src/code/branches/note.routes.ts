import { Type } from 'typebox'
import type { RepoCtx } from '../../access/context.ts'
import { canRead, canWrite, gitRepo, inRepo } from '../../access/repo.requirements.ts'
import { signedIn } from '../../access/requirements.ts'
import { operation, validBody } from '../../http/operation.ts'
import { ok } from '../../http/reply.ts'
import { presentCommit } from '../commits/commit.present.ts'
import { Note, NoteOptions } from './note.schemas.ts'
import { getNote, removeNote, setNote } from './note.service.ts'

async function presentNoteOf(
  ctx: RepoCtx,
  revision: string,
  parts: { verification?: boolean | undefined; files?: boolean | undefined } = {},
): Promise<Note> {
  const { message, commit } = await getNote(ctx, revision)
  const shown = { stats: 'zero', verification: parts.verification ?? true, files: parts.files ?? true } as const
  return { message, commit: await presentCommit(ctx, commit, shown) }
}

export const repoGetNote = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/git/notes/{sha}',
  cost: 'usual',
  scope: 'repository',
  requires: [inRepo, gitRepo, canRead('code')],
  query: { verification: Type.Optional(Type.Boolean()), files: Type.Optional(Type.Boolean()) },
  reply: { 200: Note },
  summary: 'Get the note of a commit',
  run: async ({ ctx, params, query }) => ok(await presentNoteOf(ctx, params.sha, query)),
})

export const repoSetNote = operation({
  method: 'POST',
  path: '/repos/{username}/{reponame}/git/notes/{sha}',
  cost: 'expensive',
  scope: 'repository',
  requires: [inRepo, gitRepo, canRead('code'), signedIn, canWrite('code'), validBody],
  body: NoteOptions,
  reply: { 200: Note },
  summary: 'Set the note of a commit',
  async run({ ctx, params, body }) {
    await setNote(ctx, params.sha, body.message ?? '')
    return ok(await presentNoteOf(ctx, params.sha))
  },
})

export const repoRemoveNote = operation({
  method: 'DELETE',
  path: '/repos/{username}/{reponame}/git/notes/{sha}',
  cost: 'usual',
  scope: 'repository',
  requires: [inRepo, gitRepo, canRead('code'), signedIn, canWrite('code')],
  reply: { 204: 'empty' },
  summary: 'Remove the note of a commit',
  run: ({ ctx, params }) => removeNote(ctx, params.sha),
})
