import type { Ctx } from '../../access/context.ts'
import { perApplication } from '../../access/per-application.ts'
import type { GitKey, Oid } from '../../lib/ids.ts'
import type { ParsedWorkflow } from './workflow.parse.ts'

/**
 * The folders of workflows. The first one that exists hides the others. Rows of `repo_without_workflows` depend on this list: a
 * migration that extends it must empty the table.
 */
const folders = ['.forgejo/workflows', '.gitea/workflows', '.github/workflows'] as const

/** Most workflow files of one commit. Further files are ignored. */
const maxFiles = 200

const maxFileBytes = 128 * 1024

/** The estimated size of a cache entry without its content. */
const entryBytes = 4096

/** The estimated size of a file in a cached list. */
const listedFileBytes = 250

/** A workflow file of a commit. */
export interface WorkflowFile {
  /** The path below the folder of workflows. */
  readonly id: string
  /** The path in the repository. */
  readonly path: string
  readonly parsed: ParsedWorkflow
}

/** Parsed workflows by the ids of immutable git objects. */
const workflowCaches = perApplication((caches) => ({
  // Measured as JSON, because aliases can expand a short file.
  files: caches.open<Oid, ParsedWorkflow>('workflows', {
    sizeOf: (parsed) => entryBytes + JSON.stringify(parsed).length,
  }),
  trees: caches.open<Oid, readonly { readonly id: string; readonly oid: Oid }[]>('workflows', {
    sizeOf: (files) => files.length * listedFileBytes,
  }),
}))

type FilesCtx = Pick<Ctx, 'git' | 'caches'>

/** Returns the workflows of a commit, ordered by name. For a commit without workflows it reads only the root tree. */
export async function listWorkflowFiles(ctx: FilesCtx, key: GitKey, commit: Oid): Promise<readonly WorkflowFile[]> {
  const known = workflowCaches(ctx)
  const entries = await ctx.git.readTree(key, commit)
  const roots = new Set(entries.filter(({ type }) => type === 'tree').map(({ name }) => name))
  for (const folder of folders) {
    if (!roots.has(folder.split('/', 1)[0] as string)) continue
    const found = await ctx.git.findPath(key, commit, folder)
    if (found?.type !== 'tree') continue
    const listed = known.trees.get(found.oid) ?? (await listFolder(ctx, key, found.oid))
    known.trees.set(found.oid, listed)
    return readFiles(ctx, key, folder, listed)
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
  folder: string,
  listed: readonly { readonly id: string; readonly oid: Oid }[],
): Promise<readonly WorkflowFile[]> {
  const { files } = workflowCaches(ctx)
  if (listed.length === 0) return []
  // The YAML library is loaded with the first file: most repositories have no workflows.
  const { parseWorkflow } = await import('./workflow.parse.ts')
  return Promise.all(
    listed.map(async ({ id, oid }) => {
      const path = `${folder}/${id}`
      const known = files.get(oid)
      if (known) return { id, path, parsed: known }
      const { content, sizeBytes } = await ctx.git.readBlob(key, oid, { maxBytes: maxFileBytes })
      const parsed: ParsedWorkflow = content
        ? parseWorkflow(content.toString('utf8'))
        : {
            ok: false,
            problem: `the file has ${sizeBytes} bytes; a workflow file has at most ${maxFileBytes} bytes`,
            triggers: undefined,
          }
      files.set(oid, parsed)
      return { id, path, parsed }
    }),
  )
}
