import type { RepoCtx } from '../../../access/context.ts'
import type { NamedCommit } from '../../../code/commits/named-commit.service.ts'
import { mapLimited } from '../../../lib/map-limited.ts'
import { readNotebook, type NotebookCell } from './notebook.rules.ts'
import { renderedFile } from '../home/readme.ts'

/** Cells that are rendered at once: the renderer refuses when too many wait. */
const atOnce = 4

/** A cell with its source as safe HTML: whole for text, in lines for code. */
export interface ShownCell extends Pick<NotebookCell, 'kind' | 'run' | 'outputs'> {
  readonly html: string | undefined
  readonly lines: readonly string[]
}

export interface ShownNotebook {
  readonly cells: readonly ShownCell[]
  readonly isCut: boolean
}

/** Renders the cells of a notebook; undefined when the text is no notebook. */
export async function renderNotebook(
  ctx: RepoCtx,
  revision: NamedCommit,
  path: string,
  text: string,
): Promise<ShownNotebook | undefined> {
  const notebook = readNotebook(text)
  if (!notebook) return undefined
  const cells = await mapLimited(notebook.cells, atOnce, async ({ kind, source, run, outputs }, index) => {
    // Links of a cell are relative to the folder of the notebook.
    const html =
      kind === 'markdown' ? await renderedFile(ctx, revision, `${path}.md`, source, `cell-${index}`) : undefined
    const lines = html === undefined ? await ctx.texts.lines(ctx, source, kind === 'code' ? notebook.language : '') : []
    return { kind, run, outputs, html, lines }
  })
  return { cells, isCut: notebook.isCut }
}
