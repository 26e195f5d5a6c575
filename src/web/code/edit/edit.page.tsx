import { Type } from 'typebox'
import { bytesOf, operation, validBody } from '../../../http/operation.ts'
import { requestObject } from '../../../http/schema.ts'
import { withLineEnds } from '../../../lib/line-ends.ts'
import { escapeHtml } from '../../../markup/html.ts'
import { markupKind } from '../../../markup/markup-kind.ts'
import { markupSettings } from '../../../site/render.service.ts'
import { inBrowser, ownForm } from '../../shell/browser.requirements.ts'
import { sendFragment } from '../../shell/send-page.tsx'
import { csrfName } from '../../ui/page-context.ts'
import { renderedFile } from '../home/readme.ts'
import { commitUnderQuota } from '../../../pulls/proposal.requirements.ts'
import type { RepoCtx } from '../../../access/context.ts'
import { getFile, type FileView } from '../../../code/contents/file.service.ts'
import { getEditorconfig } from '../../../code/contents/editorconfig.service.ts'
import { writablePath } from '../../../code/contents/file-change.rules.ts'
import type { FileEdit } from '../../../git/git.ts'
import { WorkTooCostly } from '../../../lib/work-budget.ts'
import { Conflict, Invalid, NotFound, Refusal } from '../../../lib/errors.ts'
import { inRepositoryFrame } from '../../frames/repository-frame.tsx'
import { act, page } from '../../shell/page.tsx'
import {
  commitEdit,
  commitFields,
  editTarget,
  proposalFormRequires,
  proposalRequires,
  problemFields,
  formData,
  titleOf,
  type EditTarget,
} from './edit-form.ts'
import { DeleteView, EditView } from './edit.view.tsx'
import { editorIndent, type Indent } from './editor-indent.rules.ts'
import { entryAt } from '../source.ts'
import { codeTexts as texts } from '../../languages/texts.ts'
import { text } from '../../ui/fields.ts'
import { typedPath } from '../../ui/path-field.ts'

/** Largest body of a form with the text of a file, in bytes. */
const maxFormBytes = 12 << 20

/** Longest text that is edited in the browser, in bytes. */
const maxEditedBytes = 2 << 20

async function fileAt(ctx: RepoCtx, { branch, path, commit }: EditTarget): Promise<FileView> {
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

/**
 * Returns how the editor indents: as `.editorconfig` says, otherwise with tabs if the text has them. Patterns that take too
 * long to match say nothing.
 */
async function indentOf(ctx: RepoCtx, { commit }: EditTarget, path: string, text: string): Promise<Indent> {
  const properties = commit === undefined ? undefined : getEditorconfig(ctx, commit, path)
  const found = await properties?.catch((error: unknown) => {
    if (!(error instanceof WorkTooCostly)) throw error
    return undefined
  })
  return editorIndent(found ?? {}, text)
}

export const editFilePage = page({
  path: '/{username}/{reponame}/_edit/{filepath+}',
  twin: 'repoUpdateFile',
  cost: 'expensive',
  requires: proposalFormRequires,
  frame: inRepositoryFrame('code'),
  async load({ ctx, params }) {
    const at = await editTarget(ctx, params.filepath)
    const file = await fileAt(ctx, at)
    const text = editableText(file)
    const indent = await indentOf(ctx, at, at.path, text)
    return {
      ...(await formData(ctx, at)),
      kind: 'edit' as const,
      text,
      oid: file.entry.oid,
      name: at.path,
      indent,
      hasPreview: rendersAs(ctx, at.path),
    }
  },
  meta: (data) => ({ ...titleOf(texts.editing(data.path), data), withEditor: true }),
  view: EditView,
})

/** The form for a new file. Links may propose a name below the folder, and the text. */
export const newFilePage = page({
  path: '/{username}/{reponame}/_new/{filepath+}',
  twin: 'repoCreateFile',
  cost: 'expensive',
  query: { name: text, value: text },
  requires: proposalFormRequires,
  frame: inRepositoryFrame('code'),
  async load({ ctx, params, query }) {
    const at = await editTarget(ctx, params.filepath)
    const name = [at.path, query.name ?? ''].filter((part) => part !== '').join('/')
    const nameInFolder = query.name === undefined && at.path !== '' ? `${at.path}/` : name
    const text = query.value ?? ''
    const indent = await indentOf(ctx, at, name, text)
    return {
      ...(await formData(ctx, at)),
      kind: 'new' as const,
      text,
      oid: undefined,
      name: nameInFolder,
      indent,
      hasPreview: true,
    }
  },
  meta: (data) => ({ ...titleOf(texts.newFile, data), withEditor: true }),
  view: EditView,
})

export const deleteFilePage = page({
  path: '/{username}/{reponame}/_delete/{filepath+}',
  twin: 'repoDeleteFile',
  cost: 'usual',
  requires: proposalFormRequires,
  frame: inRepositoryFrame('code'),
  async load({ ctx, params }) {
    const at = await editTarget(ctx, params.filepath)
    const { entry } = await fileAt(ctx, at)
    return { ...(await formData(ctx, at)), oid: entry.oid }
  },
  meta: (data) => titleOf(texts.deleting(data.path), data),
  view: DeleteView,
})

/** Whether pages render files with this name. */
const rendersAs = ({ config }: Pick<RepoCtx, 'config'>, name: string): boolean =>
  markupKind(name, markupSettings(config)) !== undefined

/** Renders the text of the editor as the page of its file would. */
export const previewFile = operation({
  method: 'POST',
  path: '/{username}/{reponame}/_preview/{filepath+}',
  base: 'site',
  scope: null,
  accepts: ['session'],
  cost: 'expensive',
  writes: false,
  requires: [inBrowser, ...proposalFormRequires, validBody, ownForm],
  body: requestObject('FilePreviewForm', { text, name: text, [csrfName]: text }),
  maxBodyBytes: maxFormBytes,
  reply: { 200: bytesOf('text/html') },
  async run({ ctx, params, body }) {
    const at = await editTarget(ctx, params.filepath)
    const branch = { kind: 'branch', name: at.branch } as const
    const rendered = await renderedFile(ctx, branch, typedPath(body.name ?? '', at.path), body.text ?? '', 'preview')
    return sendFragment(ctx, rendered ?? escapeHtml(texts.editorViews.noPreview))
  },
})

const textFields = {
  name: Type.String(),
  text: Type.String(),
  ...commitFields,
} as const

/** Returns the content of a file for a text that a browser sent. @param before the text that was edited */
function contentOf(sent: string, before = ''): Buffer {
  const mark = before.startsWith('\ufeff') ? '\ufeff' : ''
  return Buffer.from(mark + withLineEnds(before.slice(mark.length), sent))
}

/**
 * Returns the text that a form edits; empty when the form is of another version, which the commit refuses.
 * @throws Conflict when the file does not exist any longer
 */
async function editedText(ctx: RepoCtx, at: EditTarget, oid: string): Promise<string> {
  const file = await fileAt(ctx, at).catch((error: unknown) => {
    throw error instanceof NotFound ? new Conflict(texts.deletedMeanwhile, 'file_deleted') : error
  })
  return file.entry.oid === oid ? editableText(file) : ''
}

export const editFile = act({
  path: '/{username}/{reponame}/_edit/{filepath+}',
  twin: 'repoUpdateFile',
  cost: 'expensive',
  requires: [...proposalRequires, commitUnderQuota],
  fields: { ...textFields, oid: Type.String() },
  maxBodyBytes: maxFormBytes,
  async again({ ctx, params }) {
    const { path, commit } = await editTarget(ctx, params.filepath)
    const entry = commit && (await ctx.git.findPath(ctx.repo.git_key, commit, path))
    return entry ? editFilePage : undefined
  },
  problemFields: { ...problemFields, sha_mismatch: 'text' },
  async run({ ctx, params, body }) {
    const at = await editTarget(ctx, params.filepath)
    const path = writablePath('name', typedPath(body.name, at.path))
    const edit: FileEdit = {
      operation: 'update',
      path,
      fromPath: path === at.path ? undefined : at.path,
      content: contentOf(body.text, await editedText(ctx, at, body.oid)),
      expectedOid: body.oid,
    }
    return commitEdit(ctx, at, [edit], body).catch((error: unknown) => {
      // The page shows both versions; ids of contents say nothing to people.
      if (error instanceof Refusal && error.code === 'sha_mismatch') {
        throw new Invalid(texts.replacesPresent, error.code)
      }
      throw error
    })
  },
})

export const createFile = act({
  path: '/{username}/{reponame}/_new/{filepath+}',
  twin: 'repoCreateFile',
  cost: 'expensive',
  requires: [...proposalRequires, commitUnderQuota],
  fields: textFields,
  maxBodyBytes: maxFormBytes,
  again: newFilePage,
  problemFields,
  async run({ ctx, params, body }) {
    const at = await editTarget(ctx, params.filepath)
    const path = writablePath('name', typedPath(body.name, at.path === '' ? '' : `${at.path}/`))
    return commitEdit(ctx, at, [{ operation: 'create', path, content: contentOf(body.text) }], body)
  },
})

export const deleteFile = act({
  path: '/{username}/{reponame}/_delete/{filepath+}',
  twin: 'repoDeleteFile',
  cost: 'expensive',
  // Deleting in the browser makes a commit, unlike deleting through the API (written contract, quota model).
  requires: [...proposalRequires, commitUnderQuota],
  fields: { ...commitFields, oid: Type.String() },
  again: deleteFilePage,
  problemFields,
  async run({ ctx, params, body }) {
    const at = await editTarget(ctx, params.filepath)
    const edit: FileEdit = {
      operation: 'delete',
      path: at.path,
      content: Buffer.alloc(0),
      expectedOid: body.oid,
    }
    return commitEdit(ctx, at, [edit], body)
  },
})
