import { Type } from 'typebox'
import { repoUnderQuota } from '../../access/quota/quota.requirements.ts'
import type { RepoCtx, SignedInRepoCtx } from '../../access/context.ts'
import { canRead, canWrite, inRepo, notArchived } from '../../access/repo.requirements.ts'
import { checkBranchName } from '../../code/branches/branch-name.rules.ts'
import { getFile, type FileView } from '../../code/contents/file.service.ts'
import { writablePath } from '../../code/contents/file-change.rules.ts'
import { changeFiles, deletionRules } from '../../code/contents/file-change.service.ts'
import { typedRevisionInPath } from '../../code/git-access.requirements.ts'
import type { FileEdit } from '../../git/git.ts'
import { pathText } from '../../http/schema.ts'
import { Invalid, NotFound } from '../../lib/errors.ts'
import type { Oid } from '../../lib/ids.ts'
import { inRepositoryFrame } from '../frames/repository-frame.tsx'
import { inSession } from '../shell/browser.requirements.ts'
import { act, page } from '../shell/page.tsx'
import { repositoryPath, revisionPath } from './code-paths.ts'
import { DeleteView, EditView, type EditProps } from './edit.view.tsx'
import { entryAt } from './source.ts'
import { texts } from './texts.tsx'

/** Largest body of a form with the text of a file, in bytes. */
const maxFormBytes = 12 << 20

/** Longest text that is edited in the browser, in bytes. */
const maxEditedBytes = 2 << 20

/** The branch in an address of a form, and the path below it. */
interface EditPlace {
  readonly branch: string
  readonly path: string
  /** Undefined in an empty repository. */
  readonly commit: Oid | undefined
}

async function editPlace(ctx: RepoCtx, rest: string): Promise<EditPlace> {
  const { repo, git } = ctx
  if (repo.is_empty && (await git.isEmpty(repo.git_key))) {
    const branch = repo.default_branch
    const isBelow = rest === branch || rest.startsWith(`${branch}/`)
    return { branch, path: isBelow ? rest.slice(branch.length + 1) : rest, commit: undefined }
  }
  const found = await typedRevisionInPath(ctx, `branch/${rest}`)
  if (!found) throw new NotFound(texts.noSuchBranch, 'branch_not_found')
  return { branch: found.revision.name, path: found.treePath, commit: found.revision.commit }
}

async function fileAt(ctx: RepoCtx, { branch, path, commit }: EditPlace): Promise<FileView> {
  const entry = commit === undefined ? undefined : await entryAt(ctx, { kind: 'branch', name: branch, commit }, path)
  if (entry?.type !== 'blob') throw new NotFound(`${path} is not a file`, 'path_not_found')
  return getFile(ctx, entry)
}

/** Returns the text of a file that may be edited. Throws `Invalid` for another file. */
function editableText({ body, sizeBytes }: FileView): string {
  const fits = body.kind === 'text' && body.encoding === 'utf-8' && sizeBytes <= maxEditedBytes
  if (!fits) throw new Invalid(texts.notEditable, 'file_not_editable')
  return body.text
}

const formRequires = [inSession, inRepo, canRead('code'), canWrite('code'), notArchived] as const
const actRequires = [inRepo, canRead('code'), canWrite('code'), notArchived] as const
const formParams = { filepath: pathText }

const shared = (ctx: RepoCtx, { branch, path }: EditPlace) => ({
  place: { owner: ctx.owner, repo: ctx.repo },
  branch,
  path,
  isFirst: ctx.repo.is_empty,
})

const titleOf = (what: string, { place }: Pick<EditProps, 'place'>) => ({
  title: `${what} · ${place.owner.name}/${place.repo.name}`,
  isUnlisted: true,
})

export const editFilePage = page({
  path: '/{username}/{reponame}/_edit/{filepath+}',
  params: formParams,
  requires: formRequires,
  frame: inRepositoryFrame('code'),
  async load({ ctx, params }) {
    const at = await editPlace(ctx, params.filepath)
    const file = await fileAt(ctx, at)
    const text = editableText(file)
    return { ...shared(ctx, at), kind: 'edit' as const, text, oid: file.entry.oid, name: at.path }
  },
  meta: (data) => ({ ...titleOf(texts.editing(data.path), data), withEditor: true }),
  view: EditView,
})

export const newFilePage = page({
  path: '/{username}/{reponame}/_new/{filepath+}',
  params: formParams,
  query: { name: Type.Optional(Type.String()) },
  requires: formRequires,
  frame: inRepositoryFrame('code'),
  async load({ ctx, params, query }) {
    const at = await editPlace(ctx, params.filepath)
    const name = [at.path, query.name ?? ''].filter((part) => part !== '').join('/')
    const nameInFolder = query.name === undefined && at.path !== '' ? `${at.path}/` : name
    return { ...shared(ctx, at), kind: 'new' as const, text: '', oid: undefined, name: nameInFolder }
  },
  meta: (data) => ({ ...titleOf(texts.newFile, data), withEditor: true }),
  view: EditView,
})

export const deleteFilePage = page({
  path: '/{username}/{reponame}/_delete/{filepath+}',
  params: formParams,
  requires: formRequires,
  frame: inRepositoryFrame('code'),
  async load({ ctx, params }) {
    const at = await editPlace(ctx, params.filepath)
    const { entry } = await fileAt(ctx, at)
    return { ...shared(ctx, at), oid: entry.oid }
  },
  meta: (data) => titleOf(texts.deleting(data.path), data),
  view: DeleteView,
})

const commitFields = {
  summary: Type.Optional(Type.String()),
  description: Type.Optional(Type.String()),
  target: Type.Optional(Type.String()),
  new_branch: Type.Optional(Type.String()),
} as const

const textFields = {
  name: Type.String(),
  text: Type.String(),
  /** `crlf`, `bom` or both: how the file was written. */
  form: Type.Optional(Type.String()),
  ...commitFields,
} as const

interface CommitChoice {
  readonly summary?: string | undefined
  readonly description?: string | undefined
  readonly target?: string | undefined
  readonly new_branch?: string | undefined
}

/** Returns the content of a file for a text that a browser sent, with its line ends and its mark as before. */
function contentOf({ text, form = '' }: { readonly text: string; readonly form?: string | undefined }): Buffer {
  const plain = text.replaceAll('\r\n', '\n')
  const lines = form.includes('crlf') ? plain.replaceAll('\n', '\r\n') : plain
  return Buffer.from(form.includes('bom') ? `\ufeff${lines}` : lines)
}

/** Commits an edit to the branch or to a new one; returns where the person goes next. */
async function commitEdit(
  ctx: SignedInRepoCtx,
  { branch }: EditPlace,
  edits: readonly FileEdit[],
  choice: CommitChoice,
): Promise<{ to: string; notice: string }> {
  const isNew = choice.target === 'new'
  const newBranch = isNew ? (choice.new_branch ?? '').trim() : undefined
  if (newBranch !== undefined) checkBranchName(newBranch)
  const message = [choice.summary?.trim() ?? '', choice.description?.replaceAll('\r\n', '\n').trim() ?? '']
    .filter((part) => part !== '')
    .join('\n\n')
  const isDeletion = edits.every(({ operation }) => operation === 'delete')
  const made = await changeFiles(ctx, edits, { message, branch, newBranch }, isDeletion ? deletionRules : undefined)
  if (isNew) {
    return { to: repositoryPath(ctx, 'compare', `${branch}...${made.branch}`), notice: texts.committedTo(made.branch) }
  }
  const [edit] = edits
  const path = edit?.operation === 'delete' ? folderOf(edit.path) : (edit?.path ?? '')
  return {
    to: revisionPath(ctx, 'src', { kind: 'branch', name: made.branch }, path),
    notice: texts.committedTo(made.branch),
  }
}

const folderOf = (path: string): string => (path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '')

const problemFields = { path_: 'name', branch_: 'new_branch', ref_: 'new_branch' }

export const editFile = act({
  path: '/{username}/{reponame}/_edit/{filepath+}',
  params: formParams,
  requires: [...actRequires, repoUnderQuota('size:repos:all')],
  fields: { ...textFields, oid: Type.String() },
  maxBodyBytes: maxFormBytes,
  again: editFilePage,
  problemFields,
  async run({ ctx, params, body }) {
    const at = await editPlace(ctx, params.filepath)
    const path = writablePath('name', body.name.trim())
    const edit: FileEdit = {
      operation: 'update',
      path,
      fromPath: path === at.path ? undefined : at.path,
      content: contentOf(body),
      expectedOid: body.oid,
    }
    return commitEdit(ctx, at, [edit], body)
  },
})

export const createFile = act({
  path: '/{username}/{reponame}/_new/{filepath+}',
  params: formParams,
  requires: [...actRequires, repoUnderQuota('size:repos:all')],
  fields: textFields,
  maxBodyBytes: maxFormBytes,
  again: newFilePage,
  problemFields,
  async run({ ctx, params, body }) {
    const at = await editPlace(ctx, params.filepath)
    const path = writablePath('name', body.name.trim())
    return commitEdit(ctx, at, [{ operation: 'create', path, content: contentOf(body) }], body)
  },
})

export const deleteFile = act({
  path: '/{username}/{reponame}/_delete/{filepath+}',
  params: formParams,
  requires: actRequires,
  fields: { ...commitFields, oid: Type.String() },
  again: deleteFilePage,
  problemFields,
  async run({ ctx, params, body }) {
    const at = await editPlace(ctx, params.filepath)
    const edit: FileEdit = {
      operation: 'delete',
      path: at.path,
      content: Buffer.alloc(0),
      expectedOid: body.oid,
    }
    return commitEdit(ctx, at, [edit], body)
  },
})
