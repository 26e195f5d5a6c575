import { Type } from 'typebox'
import type { RepoCtx, SignedInRepoCtx } from '../../access/context.ts'
import { repoUnderQuota } from '../../access/quota/quota.requirements.ts'
import { canRead, canWrite, inRepo, notArchived } from '../../access/repo.requirements.ts'
import { signedIn } from '../../access/requirements.ts'
import type { FileEdit } from '../../git/git.ts'
import { operation, validBody, type Requirement } from '../../http/operation.ts'
import { created, ok } from '../../http/reply.ts'
import { Invalid } from '../../lib/errors.ts'
import { mapLimited } from '../../lib/map-limited.ts'
import { presentChange, presentContent, presentContentAt, presentFolder } from './content.present.ts'
import {
  ApplyDiffPatchFileOptions,
  ChangeFilesOptions,
  ContentsResponse,
  CreateFileOptions,
  DeleteFileOptions,
  FileDeleteResponse,
  FileResponse,
  FilesResponse,
  UpdateFileOptions,
} from './content.schemas.ts'
import { getContent, getRootFolder } from './content.service.ts'
import { decodeBase64, isFileOperation, writablePath } from './file-change.rules.ts'
import {
  applyPatchToBranch,
  changeFiles,
  deletionRules,
  type ChangeOptions,
  type MadeChange,
} from './file-change.service.ts'
import { branchWriter } from '../git-access.requirements.ts'

const refQuery = { ref: Type.Optional(Type.String()) } as const

/** The entries of the root folder; none in an empty repository. */
async function rootContents(ctx: RepoCtx, ref: string | undefined) {
  if (ctx.repo.is_empty) return []
  const { folder, ...view } = await getRootFolder(ctx, ref)
  return presentFolder(ctx, view, folder)
}

export const repoGetContentsList = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/contents',
  scope: 'repository',
  cost: 'expensive',
  requires: [inRepo, canRead('code')],
  query: refQuery,
  reply: { 200: Type.Array(ContentsResponse) },
  summary: 'List the contents of the root folder',
  run: async ({ ctx, query }) => ok(await rootContents(ctx, query.ref)),
})

export const repoGetContents = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/contents/{filepath+}',
  scope: 'repository',
  cost: 'expensive',
  requires: [inRepo, canRead('code')],
  query: refQuery,
  reply: { 200: Type.Union([Type.Array(ContentsResponse), ContentsResponse]) },
  summary: 'Get a file, or list the contents of a folder',
  run: async ({ ctx, params, query }) =>
    ok(ctx.repo.is_empty ? [] : await presentContentAt(ctx, await getContent(ctx, query.ref, params.filepath))),
})

/** The edit of one file, with the checks that need no repository. */
function changeOf(
  operation: FileEdit['operation'],
  path: string,
  sent: {
    readonly content?: string | undefined
    readonly sha?: string | undefined
    readonly from_path?: string | undefined
  },
): FileEdit {
  const content = decodeBase64(sent.content ?? '')
  if (!content) throw new Invalid('[content]: this is no base64', 'content_invalid')
  const fromPath = sent.from_path ? writablePath('from_path', sent.from_path) : undefined
  return {
    operation,
    path: writablePath('path', path),
    content,
    expectedOid: sent.sha || undefined,
    fromPath,
  }
}

/** Concurrent reads of changed files. */
const parallelReads = 16

/** Presents the files of a change on its branch. */
async function presentEntries(ctx: SignedInRepoCtx, made: MadeChange): Promise<(ContentsResponse | null)[]> {
  const view = { revision: { kind: 'branch', name: made.branch, commit: made.commit.oid }, ref: made.branch } as const
  return mapLimited(made.entries, parallelReads, async (written) => {
    if (!written) return null
    return presentContent(ctx, view, written.entry, written.isChanged ? made.commit : undefined)
  })
}

async function presentFileChange(ctx: SignedInRepoCtx, made: MadeChange): Promise<FileResponse> {
  const [[content], change] = await Promise.all([presentEntries(ctx, made), presentChange(ctx, made.commit)])
  return { content: content ?? null, ...change }
}

/** The commit options of a request. */
const optionsOf = ({ new_branch: newBranch, ...rest }: Omit<ChangeFilesOptions, 'files'>): ChangeOptions => ({
  ...rest,
  newBranch,
})

export const repoCreateFile = operation({
  method: 'POST',
  path: '/repos/{username}/{reponame}/contents/{filepath+}',
  cost: 'expensive',
  scope: 'repository',
  requires: [inRepo, canRead('code'), signedIn, validBody, branchWriter, notArchived, repoUnderQuota('size:repos:all')],
  body: CreateFileOptions,
  carriesFiles: true,
  reply: { 201: FileResponse },
  summary: 'Create a file',
  async run({ ctx, params, body }) {
    return created(
      await presentFileChange(
        ctx,
        await changeFiles(ctx, [changeOf('create', params.filepath, body)], optionsOf(body)),
      ),
    )
  },
})

export const repoUpdateFile = operation({
  method: 'PUT',
  path: '/repos/{username}/{reponame}/contents/{filepath+}',
  cost: 'expensive',
  scope: 'repository',
  requires: [inRepo, canRead('code'), signedIn, validBody, branchWriter, notArchived, repoUnderQuota('size:repos:all')],
  body: UpdateFileOptions,
  carriesFiles: true,
  reply: { 200: FileResponse },
  summary: 'Update a file, or create it',
  async run({ ctx, params, body }) {
    return ok(
      await presentFileChange(
        ctx,
        await changeFiles(ctx, [changeOf('update', params.filepath, body)], optionsOf(body)),
      ),
    )
  },
})

export const repoDeleteFile = operation({
  method: 'DELETE',
  path: '/repos/{username}/{reponame}/contents/{filepath+}',
  cost: 'expensive',
  scope: 'repository',
  // Deleting is allowed over quota (written contract, quota model).
  requires: [inRepo, canRead('code'), signedIn, validBody, branchWriter, notArchived],
  body: DeleteFileOptions,
  reply: { 200: FileDeleteResponse },
  summary: 'Delete a file',
  async run({ ctx, params, body }) {
    const made = await changeFiles(ctx, [changeOf('delete', params.filepath, body)], optionsOf(body), deletionRules)
    return ok({ content: null, ...(await presentChange(ctx, made.commit)) })
  },
})

const underQuota = repoUnderQuota('size:repos:all')

/** Changes of several files require quota unless all of them are deletions. */
const roomForChanges: Requirement<RepoCtx, object> = {
  ...underQuota,
  async check(ctx, call) {
    const { files } = (await call.decodedBody()) as ChangeFilesOptions
    const onlyDeletes = files.length > 0 && files.every((file) => file.operation === 'delete')
    return onlyDeletes ? {} : underQuota.check(ctx, call)
  },
}

export const repoChangeFiles = operation({
  method: 'POST',
  path: '/repos/{username}/{reponame}/contents',
  cost: 'expensive',
  scope: 'repository',
  requires: [inRepo, canRead('code'), signedIn, validBody, branchWriter, notArchived, roomForChanges],
  body: ChangeFilesOptions,
  carriesFiles: true,
  reply: { 201: FilesResponse },
  summary: 'Change several files in one commit',
  async run({ ctx, body }) {
    const changes = body.files.map((file) => {
      if (isFileOperation(file.operation)) return changeOf(file.operation, file.path, file)
      throw new Invalid(`[files.operation]: ${file.operation} is not create, update or delete`, 'operation_unknown')
    })
    const made = await changeFiles(ctx, changes, optionsOf(body))
    const [files, change] = await Promise.all([presentEntries(ctx, made), presentChange(ctx, made.commit)])
    return created({ files, ...change })
  },
})

export const repoApplyDiffPatch = operation({
  method: 'POST',
  path: '/repos/{username}/{reponame}/diffpatch',
  scope: 'repository',
  // `signedIn` comes first: the contract answers 401 to guests where the reference answers 403 (contents.md).
  cost: 'expensive',
  requires: [inRepo, signedIn, canWrite('code'), validBody, notArchived, repoUnderQuota('size:repos:all')],
  body: ApplyDiffPatchFileOptions,
  carriesFiles: true,
  reply: { 201: FileResponse },
  summary: 'Apply a diff or patch',
  async run({ ctx, body }) {
    const made = await applyPatchToBranch(ctx, Buffer.from(body.content ?? ''), optionsOf(body))
    return created({ content: null, ...(await presentChange(ctx, made.commit)) })
  },
})
