import type { Ctx } from '../../access/context.ts'
import { perApplication } from '../../access/per-application.ts'
import type { GitKey, Oid } from '../../lib/ids.ts'
import type { ParsedWorkflow } from './workflow.parse.ts'

/**
 * Folders in which workflows lie; the first that there is hides the others. Rows of `repo_without_workflows` were made with
 * these: a migration empties the table when there are more.
 */
const folders = ['.forgejo/workflows', '.gitea/workflows', '.github/workflows'] as const

/** Most files of one commit that are looked at. */
const maxFiles = 200

/** Largest file that is read, in bytes. */
const maxFileBytes = 128 * 1024

/** What the smallest of what is remembered comes to, in bytes. */
const entryBytes = 4096

/** What a file in a list of them comes to, in bytes. */
const listedFileBytes = 250

/** A workflow as it stands in a commit. */
export interface WorkflowFile {
  /** Below the folder of workflows. */
  readonly id: string
  readonly parsed: ParsedWorkflow
}

/** Workflows that were read before, by the id of what git has: that never changes. */
const readWorkflows = perApplication((caches) => ({
  // Measured as JSON, since a short file may come to much by its aliases.
  files: caches.open<Oid, ParsedWorkflow>('workflows', {
    sizeOf: (parsed) => entryBytes + JSON.stringify(parsed).length,
  }),
  trees: caches.open<Oid, readonly { readonly id: string; readonly oid: Oid }[]>('workflows', {
    sizeOf: (files) => files.length * listedFileBytes,
  }),
}))

type FilesCtx = Pick<Ctx, 'git' | 'caches'>

/**
 * The workflows of a commit, in the order of their names. A commit without any costs one look at its root, and one that
 * has those of the commit before costs nothing more.
 */
export async function listWorkflowFiles(ctx: FilesCtx, key: GitKey, commit: Oid): Promise<readonly WorkflowFile[]> {
  const known = readWorkflows(ctx)
  const entries = await ctx.git.readTree(key, commit)
  const roots = new Set(entries.filter(({ type }) => type === 'tree').map(({ name }) => name))
  for (const folder of folders) {
    if (!roots.has(folder.split('/', 1)[0] as string)) continue
    const found = await ctx.git.findPath(key, commit, folder)
    if (found?.type !== 'tree') continue
    const listed = known.trees.get(found.oid) ?? (await listFolder(ctx, key, found.oid))
    known.trees.set(found.oid, listed)
    return readFiles(ctx, key, listed)
  }
  return []
}

async function listFolder({ git }: FilesCtx, key: GitKey, tree: Oid) {
  const { entries } = await git.listTreeRecursive(key, tree, { limit: 2000 })
  return entries
    .filter(({ type, path }) => type === 'blob' && /\.ya?ml$/.test(path))
    .slice(0, maxFiles)
    .map(({ path, oid }) => ({ id: path, oid }))
}

async function readFiles(
  ctx: FilesCtx,
  key: GitKey,
  listed: readonly { readonly id: string; readonly oid: Oid }[],
): Promise<readonly WorkflowFile[]> {
  const { files } = readWorkflows(ctx)
  if (listed.length === 0) return []
  // Reading YAML is loaded with the first file: most repositories have none.
  const { parseWorkflow } = await import('./workflow.parse.ts')
  return Promise.all(
    listed.map(async ({ id, oid }) => {
      const known = files.get(oid)
      if (known) return { id, parsed: known }
      const { content, sizeBytes } = await ctx.git.readBlob(key, oid, { maxBytes: maxFileBytes })
      const parsed: ParsedWorkflow = content
        ? parseWorkflow(content.toString('utf8'))
        : {
            ok: false,
            problem: `the file has ${sizeBytes} bytes, more than the ${maxFileBytes} that are read`,
            triggers: undefined,
          }
      files.set(oid, parsed)
      return { id, parsed }
    }),
  )
}
