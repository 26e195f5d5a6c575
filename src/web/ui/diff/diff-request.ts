import { Type } from 'typebox'
import { enumeration } from '../../../http/schema.ts'
import type { Batch } from '../../../code/commits/shown-diff.service.ts'
import type { DiffAddress } from './diff-props.ts'
import type { DiffLayout } from './rows.ts'
import { withQuery } from '../paths.ts'
import { integer, text } from '../fields.ts'

/** Query of a page that shows a difference. */
export const diffQuery = {
  style: Type.Optional(enumeration('unified', 'split')),
  whitespace: Type.Optional(enumeration('hide')),
  file: text,
  context: integer,
  page: integer,
  batch: text,
} as const

export interface DiffQueryValues {
  readonly style?: string | undefined
  readonly whitespace?: string | undefined
  readonly file?: string | undefined
  readonly context?: number | undefined
  readonly page?: number | undefined
  readonly batch?: string | undefined
}

/** Most unchanged lines around a change. */
const maxContext = 100_000

/** What a page shows of a difference, by its query. */
export interface DiffChoice {
  readonly layout: DiffLayout
  readonly ignoresSpace: boolean
  readonly only: string | undefined
  readonly contextLines: number | undefined
  readonly page: number
  readonly batch: Batch | undefined
}

export const diffChoice = ({ style, whitespace, file, context, page, batch }: DiffQueryValues): DiffChoice => ({
  layout: style === 'split' ? 'split' : 'unified',
  ignoresSpace: whitespace === 'hide',
  only: file === '' ? undefined : file,
  contextLines: context === undefined ? undefined : Math.min(maxContext, Math.max(0, context)),
  page: Math.max(1, page ?? 1),
  batch: batchOf(batch),
})

/** Returns the batch that an address names, such as `30-60`; undefined for other texts. */
function batchOf(text: string | undefined): Batch | undefined {
  const [, from, to] = /^(\d{1,9})-(\d{1,9})$/.exec(text ?? '') ?? []
  return from === undefined ? undefined : { from: Number(from), to: Number(to) }
}

/** Returns the addresses of a page with other choices. */
export const diffAddress =
  (path: string, choice: DiffChoice) =>
  (changes: DiffAddress): string => {
    const layout = 'view' in changes ? changes.view : choice.layout
    const space = 'space' in changes ? changes.space : choice.ignoresSpace ? 'hide' : undefined
    return withQuery(path, {
      style: layout === 'split' ? 'split' : undefined,
      whitespace: space,
      file: changes.only,
      context: changes.context,
      batch: changes.batch && `${changes.batch.from}-${changes.batch.to}`,
    })
  }
