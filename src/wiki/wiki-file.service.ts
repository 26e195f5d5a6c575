import type { SignedInRepoCtx } from '../access/context.ts'
import type { UploadedFile } from '../attachments/repository-upload.service.ts'
import { writablePath } from '../code/contents/file-change.rules.ts'
import { Conflict } from '../lib/errors.ts'
import { commitToWiki } from './page-change.service.ts'
import { getOrCreateWiki } from './wiki-repository.service.ts'

/** The folder of files that pages show. */
const folder = 'uploads'

/** Most names that are tried for one file. */
const maxNames = 100

/** `a.png`, `a-2.png`, `a-3.png` … */
function pathsFor(name: string): string[] {
  const dot = name.lastIndexOf('.')
  const end = dot > 0 ? dot : name.length
  return Array.from({ length: maxNames }, (_, index) => {
    const number = index === 0 ? '' : `-${index + 1}`
    return writablePath('files', `${folder}/${name.slice(0, end)}${number}${name.slice(end)}`)
  })
}

/**
 * Commits a file to the wiki, beside its pages, so that a clone has it too. A present file stays: the new one gets a
 * number. Returns the path. Throws `Conflict` when the wiki cannot be changed.
 */
export async function addWikiFile(ctx: SignedInRepoCtx, { name, content }: UploadedFile): Promise<string> {
  const paths = pathsFor(name)
  const gitKey = await getOrCreateWiki(ctx, ctx.repo)
  const { file } = await commitToWiki(ctx, gitKey, async (wiki) => {
    const taken = wiki && (await ctx.git.findPaths(wiki.gitKey, wiki.head, paths))
    const path = paths.find((each) => !taken?.has(each))
    if (path === undefined) throw new Conflict(`too many files of the wiki are named ${name}`, 'wiki_file_exists')
    return {
      edits: [{ operation: 'create', path, content }],
      message: `Add ${path}`,
      event: undefined,
      file: path,
    }
  })
  return file
}
